/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/profile-drivers.h"

#include <glib.h>

typedef struct {
  const char *cpu;
  const char *platform;
  const char *driver;
  bool is_available;
} Expected;

static void
test_who_stands_behind_a_profile(void)
{
  static const struct {
    const char *what;
    EppdProfileDrivers drivers;
    Expected lower; /* in power-saver and balanced alike */
    Expected performance;
  } cases[] = {
      {"nothing known",
       {NULL, EPPD_DRIVER_PLACEHOLDER},
       {NULL, "placeholder", "placeholder", true},
       {NULL, NULL, NULL, false}},
      {"AMD's CPU alone",
       {EPPD_DRIVER_AMD_PSTATE, EPPD_DRIVER_PLACEHOLDER},
       {"amd_pstate", "placeholder", "multiple", true},
       {"amd_pstate", NULL, "amd_pstate", true}},
      {"Intel's CPU alone",
       {EPPD_DRIVER_INTEL_PSTATE, EPPD_DRIVER_PLACEHOLDER},
       {"intel_pstate", "placeholder", "multiple", true},
       {"intel_pstate", NULL, "intel_pstate", true}},
      {"the platform alone",
       {NULL, EPPD_DRIVER_PLATFORM_PROFILE},
       {NULL, "platform_profile", "platform_profile", true},
       {NULL, "platform_profile", "platform_profile", true}},
      {"both",
       {EPPD_DRIVER_AMD_PSTATE, EPPD_DRIVER_PLATFORM_PROFILE},
       {"amd_pstate", "platform_profile", "multiple", true},
       {"amd_pstate", "platform_profile", "multiple", true}},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const EppdProfileDrivers *drivers = &cases[i].drivers;

    for (int p = 0; p < EPPD_N_PROFILES; p++) {
      EppdProfile profile = (EppdProfile)p;
      const Expected *expected =
          profile == EPPD_PROFILE_PERFORMANCE ? &cases[i].performance : &cases[i].lower;

      g_test_message("%s, %s", cases[i].what, eppd_profile_text(profile));
      g_assert_cmpstr(eppd_profile_cpu_driver(drivers, profile), ==, expected->cpu);
      g_assert_cmpstr(eppd_profile_platform_driver(drivers, profile), ==, expected->platform);
      g_assert_cmpstr(eppd_profile_driver(drivers, profile), ==, expected->driver);
      g_assert_cmpint(eppd_profile_is_available(drivers, profile), ==, expected->is_available);
    }
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile-drivers/who-stands-behind-a-profile", test_who_stands_behind_a_profile);
  return g_test_run();
}
