/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/epb-table.h"

static const guint8 epbs[EPPD_N_PROFILES][EPPD_N_POWER_SOURCES] = {
    /*                            on AC, on battery */
    [EPPD_PROFILE_POWER_SAVER] = {15, 15},
    [EPPD_PROFILE_BALANCED] = {6, 8},
    [EPPD_PROFILE_PERFORMANCE] = {0, 0},
};

guint
eppd_epb_table_lookup(EppdProfile profile, EppdPowerSource source)
{
  return epbs[profile][source];
}
