/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/action-settings.h"

#include <math.h>

static void
test_peripherals_trickle_in_power_saver(void)
{
  static const struct {
    const char *current;
    const char *power_saver;
    const char *else_; /* in balanced and performance alike */
  } cases[] = {
      {"Trickle", NULL, "Standard"},
      {"Standard", "Trickle", NULL},
      {"Fast", "Trickle", "Standard"},
      {"Custom", NULL, NULL},
      {"Adaptive", NULL, NULL},
      {"Long Life", NULL, NULL},
      {"N/A", NULL, NULL},
      {"Unknown", NULL, NULL},
      {"trickle", NULL, NULL},
      {"", NULL, NULL},
      {NULL, NULL, NULL},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const char *current = cases[i].current;

    g_test_message("charge_type %s", current ? current : "(none)");
    g_assert_cmpstr(eppd_decide_charge_type(EPPD_PROFILE_POWER_SAVER, current), ==,
                    cases[i].power_saver);
    g_assert_cmpstr(eppd_decide_charge_type(EPPD_PROFILE_BALANCED, current), ==, cases[i].else_);
    g_assert_cmpstr(eppd_decide_charge_type(EPPD_PROFILE_PERFORMANCE, current), ==, cases[i].else_);
  }
}

static void
test_the_panel_saves_by_battery_level(void)
{
  static const struct {
    double battery_percent;
    guint power_saver;
    guint balanced;
  } cases[] = {
      {100, 0, 0},  {50, 0, 0},   {49.9, 1, 0},     {30.1, 1, 0}, {30, 2, 0},
      {29.9, 2, 1}, {20.1, 2, 1}, {20, 3, 1},       {0, 3, 1},    {EPPD_BATTERY_UNKNOWN, 0, 0},
      {-50, 0, 0},  {NAN, 0, 0},  {INFINITY, 0, 0},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    double percent = cases[i].battery_percent;

    g_test_message("%g %%", percent);
    g_assert_cmpuint(eppd_decide_panel_power_savings(EPPD_PROFILE_POWER_SAVER,
                                                     EPPD_POWER_SOURCE_BATTERY, percent),
                     ==, cases[i].power_saver);
    g_assert_cmpuint(
        eppd_decide_panel_power_savings(EPPD_PROFILE_BALANCED, EPPD_POWER_SOURCE_BATTERY, percent),
        ==, cases[i].balanced);
    g_assert_cmpuint(eppd_decide_panel_power_savings(EPPD_PROFILE_PERFORMANCE,
                                                     EPPD_POWER_SOURCE_BATTERY, percent),
                     ==, 0);
    for (int p = 0; p < EPPD_N_PROFILES; p++)
      g_assert_cmpuint(
          eppd_decide_panel_power_savings((EppdProfile)p, EPPD_POWER_SOURCE_AC, percent), ==, 0);
  }
}

static void
test_a_gpu_is_low_in_power_saver(void)
{
  static const struct {
    const char *current;
    const char *power_saver;
    const char *else_; /* in balanced and performance alike */
  } cases[] = {
      {"auto", "low", NULL},           {"low", NULL, "auto"},  {"high", "low", "auto"},
      {"profile_peak", "low", "auto"}, {"manual", NULL, NULL}, {NULL, NULL, NULL},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const char *current = cases[i].current;

    g_test_message("level %s", current ? current : "(none)");
    g_assert_cmpstr(eppd_decide_dpm_level(EPPD_PROFILE_POWER_SAVER, current), ==,
                    cases[i].power_saver);
    g_assert_cmpstr(eppd_decide_dpm_level(EPPD_PROFILE_BALANCED, current), ==, cases[i].else_);
    g_assert_cmpstr(eppd_decide_dpm_level(EPPD_PROFILE_PERFORMANCE, current), ==, cases[i].else_);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/action-settings/peripherals-trickle-in-power-saver",
                  test_peripherals_trickle_in_power_saver);
  g_test_add_func("/action-settings/the-panel-saves-by-battery-level",
                  test_the_panel_saves_by_battery_level);
  g_test_add_func("/action-settings/a-gpu-is-low-in-power-saver", test_a_gpu_is_low_in_power_saver);
  return g_test_run();
}
