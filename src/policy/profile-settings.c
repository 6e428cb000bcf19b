/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/profile-settings.h"

#include <stddef.h>

static const EppdProfileSettings settings_of[EPPD_N_PROFILES] = {
    [EPPD_PROFILE_POWER_SAVER] = {"powersave", 0, EPPD_FLOOR_CPUINFO_MIN},
    [EPPD_PROFILE_BALANCED] = {"powersave", 1, EPPD_FLOOR_LOWEST_NONLINEAR},
    [EPPD_PROFILE_PERFORMANCE] = {"performance", 1, EPPD_FLOOR_LOWEST_NONLINEAR},
};

EppdProfileSettings
eppd_decide_profile_settings(EppdProfile profile,
                             bool manage_governor,
                             bool manage_core_boost,
                             bool manage_floor)
{
  EppdProfileSettings settings = settings_of[profile];

  if (!manage_governor)
    settings.governor = NULL;
  if (!manage_core_boost)
    settings.core_boost = -1;
  if (!manage_floor)
    settings.floor = EPPD_FLOOR_LEAVE;
  return settings;
}
