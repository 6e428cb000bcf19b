/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/profile-settings.h"

#include <glib.h>

static void
test_settings_are_power_profiles_daemons(void)
{
  static const struct {
    EppdProfile profile;
    const char *governor;
    int core_boost;
    int floor;
  } cases[] = {
      {EPPD_PROFILE_POWER_SAVER, "powersave", 0, EPPD_FLOOR_CPUINFO_MIN},
      {EPPD_PROFILE_BALANCED, "powersave", 1, EPPD_FLOOR_LOWEST_NONLINEAR},
      {EPPD_PROFILE_PERFORMANCE, "performance", 1, EPPD_FLOOR_LOWEST_NONLINEAR},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    EppdProfileSettings settings = eppd_decide_profile_settings(cases[i].profile, true, true, true);

    g_assert_cmpstr(settings.governor, ==, cases[i].governor);
    g_assert_cmpint(settings.core_boost, ==, cases[i].core_boost);
    g_assert_cmpint((int)settings.floor, ==, cases[i].floor);
  }
}

static void
test_what_is_not_managed_is_left_alone(void)
{
  EppdProfileSettings settings =
      eppd_decide_profile_settings(EPPD_PROFILE_POWER_SAVER, false, true, true);

  g_assert_null(settings.governor);
  g_assert_cmpint(settings.core_boost, ==, 0);
  g_assert_cmpint((int)settings.floor, ==, EPPD_FLOOR_CPUINFO_MIN);

  settings = eppd_decide_profile_settings(EPPD_PROFILE_POWER_SAVER, true, false, false);
  g_assert_cmpstr(settings.governor, ==, "powersave");
  g_assert_cmpint(settings.core_boost, ==, -1);
  g_assert_cmpint((int)settings.floor, ==, EPPD_FLOOR_LEAVE);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile-settings/are-power-profiles-daemons",
                  test_settings_are_power_profiles_daemons);
  g_test_add_func("/profile-settings/what-is-not-managed-is-left-alone",
                  test_what_is_not_managed_is_left_alone);
  return g_test_run();
}
