/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/power-source.h"
#include "policy/profile.h"

#include <glib.h>

/* What the actions beside a profile set, as those of power-profiles-daemon 0.30 do. */

/* The charge_type of a peripheral (a mouse, a keyboard) that now reads @current: "Trickle" in
 * power-saver, else "Standard"; NULL where it is to be left alone: it is that already, or is none
 * of Trickle, Standard and Fast. */
const char *eppd_decide_charge_type(EppdProfile profile, const char *current);

/* No battery is known. */
#define EPPD_BATTERY_UNKNOWN (-1)

/* panel_power_savings, 0 to 4: 0 on AC, in performance, and where the battery is unknown.
 * @battery_percent: 0..100 or EPPD_BATTERY_UNKNOWN. */
guint eppd_decide_panel_power_savings(EppdProfile profile,
                                      EppdPowerSource source,
                                      double battery_percent);

/* power_dpm_force_performance_level of a GPU that now reads @current: "low" in power-saver, else
 * "auto"; NULL where it is that already, is "manual", or can't be read (NULL). */
const char *eppd_decide_dpm_level(EppdProfile profile, const char *current);
