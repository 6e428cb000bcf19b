/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"
#include "policy/power-source.h"

/* The power source, followed with patience: see policy/power-debounce.h. */
typedef struct _EppdPowerWatch EppdPowerWatch;

/* Reads it at once. @changed: another source is followed now. */
EppdPowerWatch *eppd_power_watch_new(EppdSysRoot *root,
                                     void (*changed)(gpointer data),
                                     gpointer data);
void eppd_power_watch_free(EppdPowerWatch *watch);

EppdPowerSource eppd_power_watch_source(const EppdPowerWatch *watch);

/* There is news of a power supply. @wait_usec: PowerSourceDebounceMs. */
void eppd_power_watch_look(EppdPowerWatch *watch, gint64 wait_usec);
/* Follows what it reads now, without patience and without calling @changed. */
void eppd_power_watch_restart(EppdPowerWatch *watch);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdPowerWatch, eppd_power_watch_free)
