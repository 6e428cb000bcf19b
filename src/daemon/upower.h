/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/power-source.h"

#include <gio/gio.h>
#include <stdbool.h>

/* UPower, as far as a profile asks for it: OnBattery, and the display device's Percentage. It is
 * never started by us; everything is asynchronous. */
typedef struct _EppdUPower EppdUPower;

/* @changed: what the functions below tell changed, which is also how UPower's coming and going
 * shows. Never from within new(). */
EppdUPower *eppd_upower_new(GDBusConnection *bus, void (*changed)(gpointer data), gpointer data);
void eppd_upower_free(EppdUPower *upower);

/* False, and @source untouched, while UPower is not there or has not answered. */
bool eppd_upower_source(const EppdUPower *upower, EppdPowerSource *source);
/* 0..100; EPPD_BATTERY_UNKNOWN (policy/action-settings.h) where there is no battery or no UPower.
 */
double eppd_upower_battery_percent(const EppdUPower *upower);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdUPower, eppd_upower_free)
