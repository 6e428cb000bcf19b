/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"
#include "policy/power-source.h"

#include <gio/gio.h>

/* The power source, by UPower while that is there, else by power_supply, followed with patience:
 * see policy/power-debounce.h. */
typedef struct _EppdPowerWatch EppdPowerWatch;

typedef struct {
  void (*source_changed)(gpointer data); /* another source is followed now */
  void (*battery_changed)(gpointer data);
} EppdPowerWatchListener;

/* Reads it at once. @bus NULL: UPower is not asked. @wait_usec: PowerSourceDebounceMs. */
EppdPowerWatch *eppd_power_watch_new(EppdSysRoot *root,
                                     GDBusConnection *bus,
                                     gint64 wait_usec,
                                     const EppdPowerWatchListener *listener,
                                     gpointer data);
void eppd_power_watch_free(EppdPowerWatch *watch);

EppdPowerSource eppd_power_watch_source(const EppdPowerWatch *watch);
/* 0..100, or EPPD_BATTERY_UNKNOWN (policy/action-settings.h). */
double eppd_power_watch_battery_percent(const EppdPowerWatch *watch);

/* There is news of a power supply; may call source_changed(). */
void eppd_power_watch_look(EppdPowerWatch *watch);
/* Follows what it reads now, without patience and without calling the listener: a new
 * configuration, or the end of a sleep. */
void eppd_power_watch_restart(EppdPowerWatch *watch, gint64 wait_usec);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdPowerWatch, eppd_power_watch_free)
