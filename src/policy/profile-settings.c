/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/profile-settings.h"

#include <glib.h>

static const EppdProfileSettings leave_alone = {NULL, -1, EPPD_FLOOR_LEAVE};

static const EppdProfileSettings amd_settings[EPPD_N_PROFILES] = {
    [EPPD_PROFILE_POWER_SAVER] = {"powersave", 0, EPPD_FLOOR_CPUINFO_MIN},
    [EPPD_PROFILE_BALANCED] = {"powersave", 1, EPPD_FLOOR_LOWEST_NONLINEAR},
    [EPPD_PROFILE_PERFORMANCE] = {"performance", 1, EPPD_FLOOR_LOWEST_NONLINEAR},
};

static const EppdProfileSettings intel_settings = {"powersave", -1, EPPD_FLOOR_LEAVE};

static EppdProfileSettings
settings_of(EppdProfile profile, const char *driver)
{
  if (g_strcmp0(driver, "amd-pstate-epp") == 0)
    return amd_settings[profile];
  return g_strcmp0(driver, "intel_pstate") == 0 ? intel_settings : leave_alone;
}

EppdProfileSettings
eppd_decide_profile_settings(EppdProfile profile,
                             const char *driver,
                             const EppdEpp *epp,
                             const EppdProfileScope *scope)
{
  EppdProfileSettings settings = settings_of(profile, driver);

  if (settings.governor && epp->kind != EPPD_EPP_PERFORMANCE)
    settings.governor = "powersave";
  if (!scope->governor)
    settings.governor = NULL;
  if (!scope->core_boost)
    settings.core_boost = -1;
  if (!scope->floor)
    settings.floor = EPPD_FLOOR_LEAVE;
  return settings;
}
