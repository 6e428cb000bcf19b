/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/power-source.h"
#include "policy/profile.h"

#include <glib.h>

/* Intel's energy performance bias, 0 (performance) to 15 (power), by profile and power source, as
 * power-profiles-daemon has it: 15, 6 (on battery 8), 0. */
guint eppd_epb_table_lookup(EppdProfile profile, EppdPowerSource source);
