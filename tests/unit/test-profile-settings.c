/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/profile-settings.h"

#include <glib.h>

static const EppdProfileScope everything = {true, true, true};
static const EppdEpp performance = {.kind = EPPD_EPP_PERFORMANCE};
static const EppdEpp power = {.kind = EPPD_EPP_POWER};

static void
test_table(void)
{
  static const struct {
    const char *driver;
    EppdProfile profile;
    const EppdEpp *epp;
    const char *governor;
    int core_boost;
    int floor;
  } cases[] = {
      {"amd-pstate-epp", EPPD_PROFILE_POWER_SAVER, &power, "powersave", 0, EPPD_FLOOR_CPUINFO_MIN},
      {"amd-pstate-epp", EPPD_PROFILE_BALANCED, &power, "powersave", 1,
       EPPD_FLOOR_LOWEST_NONLINEAR},
      {"amd-pstate-epp", EPPD_PROFILE_PERFORMANCE, &performance, "performance", 1,
       EPPD_FLOOR_LOWEST_NONLINEAR},
      /* A kernel that refuses the EPP under the governor would fail the profile. */
      {"amd-pstate-epp", EPPD_PROFILE_PERFORMANCE, &power, "powersave", 1,
       EPPD_FLOOR_LOWEST_NONLINEAR},
      {"amd-pstate-epp", EPPD_PROFILE_BALANCED, &performance, "powersave", 1,
       EPPD_FLOOR_LOWEST_NONLINEAR},
      {"intel_pstate", EPPD_PROFILE_POWER_SAVER, &power, "powersave", -1, EPPD_FLOOR_LEAVE},
      {"intel_pstate", EPPD_PROFILE_PERFORMANCE, &performance, "powersave", -1, EPPD_FLOOR_LEAVE},
      {"amd-pstate", EPPD_PROFILE_PERFORMANCE, &performance, NULL, -1, EPPD_FLOOR_LEAVE},
      {"acpi-cpufreq", EPPD_PROFILE_BALANCED, &power, NULL, -1, EPPD_FLOOR_LEAVE},
      {NULL, EPPD_PROFILE_BALANCED, &power, NULL, -1, EPPD_FLOOR_LEAVE},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    EppdProfileSettings settings =
        eppd_decide_profile_settings(cases[i].profile, cases[i].driver, cases[i].epp, &everything);

    g_test_message("%s %s", cases[i].driver ? cases[i].driver : "(unknown)",
                   eppd_profile_text(cases[i].profile));
    g_assert_cmpstr(settings.governor, ==, cases[i].governor);
    g_assert_cmpint(settings.core_boost, ==, cases[i].core_boost);
    g_assert_cmpint((int)settings.floor, ==, cases[i].floor);
  }
}

static void
test_what_is_not_managed_is_left_alone(void)
{
  EppdProfileScope no_governor = {false, true, true};
  EppdProfileScope only_governor = {true, false, false};
  EppdProfileSettings settings = eppd_decide_profile_settings(
      EPPD_PROFILE_POWER_SAVER, "amd-pstate-epp", &power, &no_governor);

  g_assert_null(settings.governor);
  g_assert_cmpint(settings.core_boost, ==, 0);
  g_assert_cmpint((int)settings.floor, ==, EPPD_FLOOR_CPUINFO_MIN);

  settings = eppd_decide_profile_settings(EPPD_PROFILE_POWER_SAVER, "amd-pstate-epp", &power,
                                          &only_governor);
  g_assert_cmpstr(settings.governor, ==, "powersave");
  g_assert_cmpint(settings.core_boost, ==, -1);
  g_assert_cmpint((int)settings.floor, ==, EPPD_FLOOR_LEAVE);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile-settings/table", test_table);
  g_test_add_func("/profile-settings/what-is-not-managed-is-left-alone",
                  test_what_is_not_managed_is_left_alone);
  return g_test_run();
}
