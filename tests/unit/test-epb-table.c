/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/epb-table.h"

static void
test_power_profiles_daemons_values(void)
{
  static const struct {
    EppdProfile profile;
    EppdPowerSource source;
    guint epb;
  } cases[] = {
      {EPPD_PROFILE_POWER_SAVER, EPPD_POWER_SOURCE_AC, 15},
      {EPPD_PROFILE_POWER_SAVER, EPPD_POWER_SOURCE_BATTERY, 15},
      {EPPD_PROFILE_BALANCED, EPPD_POWER_SOURCE_AC, 6},
      {EPPD_PROFILE_BALANCED, EPPD_POWER_SOURCE_BATTERY, 8},
      {EPPD_PROFILE_PERFORMANCE, EPPD_POWER_SOURCE_AC, 0},
      {EPPD_PROFILE_PERFORMANCE, EPPD_POWER_SOURCE_BATTERY, 0},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_test_message("%s on %s", eppd_profile_text(cases[i].profile),
                   eppd_power_source_text(cases[i].source));
    g_assert_cmpuint(eppd_epb_table_lookup(cases[i].profile, cases[i].source), ==, cases[i].epb);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/epb-table/power-profiles-daemons-values", test_power_profiles_daemons_values);
  return g_test_run();
}
