/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/action-settings.h"

const char *
eppd_decide_charge_type(EppdProfile profile, const char *current)
{
  static const char *const ours[] = {"Trickle", "Standard", "Fast", NULL};
  const char *wanted = profile == EPPD_PROFILE_POWER_SAVER ? "Trickle" : "Standard";

  if (!current || !g_strv_contains(ours, current) || g_str_equal(current, wanted))
    return NULL;
  return wanted;
}

guint
eppd_decide_panel_power_savings(EppdProfile profile, EppdPowerSource source, double battery_percent)
{
  /* A NaN is no battery level either. */
  if (source != EPPD_POWER_SOURCE_BATTERY || !(battery_percent >= 0))
    return 0;

  switch (profile) {
  case EPPD_PROFILE_POWER_SAVER:
    if (battery_percent >= 50)
      return 0;
    if (battery_percent > 30)
      return 1;
    return battery_percent > 20 ? 2 : 3;
  case EPPD_PROFILE_BALANCED:
    return battery_percent >= 30 ? 0 : 1;
  default:
    return 0;
  }
}

const char *
eppd_decide_dpm_level(EppdProfile profile, const char *current)
{
  const char *wanted = profile == EPPD_PROFILE_POWER_SAVER ? "low" : "auto";

  if (!current || g_str_equal(current, "manual") || g_str_equal(current, wanted))
    return NULL;
  return wanted;
}
