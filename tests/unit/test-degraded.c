/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/degraded.h"

static void
test_the_cpus_reason_comes_first(void)
{
  static const struct {
    guint reasons;
    const char *text;
  } cases[] = {
      {0, ""},
      {EPPD_DEGRADED_HIGH_OPERATING_TEMPERATURE, "high-operating-temperature"},
      {EPPD_DEGRADED_LAP_DETECTED, "lap-detected"},
      {EPPD_DEGRADED_LAP_DETECTED | EPPD_DEGRADED_HIGH_OPERATING_TEMPERATURE,
       "high-operating-temperature,lap-detected"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *text = eppd_degraded_text(cases[i].reasons);

    g_assert_cmpstr(text, ==, cases[i].text);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/degraded/the-cpus-reason-comes-first", test_the_cpus_reason_comes_first);
  return g_test_run();
}
