/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/power-source.h"

#include <glib.h>

static void
test_texts_parse_back(void)
{
  EppdPowerSource source = EPPD_POWER_SOURCE_BATTERY;

  g_assert_cmpstr(eppd_power_source_text(EPPD_POWER_SOURCE_AC), ==, "ac");
  g_assert_cmpstr(eppd_power_source_text(EPPD_POWER_SOURCE_BATTERY), ==, "battery");
  g_assert_true(eppd_power_source_parse("ac", &source));
  g_assert_cmpint((int)source, ==, EPPD_POWER_SOURCE_AC);
  g_assert_true(eppd_power_source_parse("battery", &source));
  g_assert_cmpint((int)source, ==, EPPD_POWER_SOURCE_BATTERY);
}

static void
test_other_text_is_refused_and_changes_nothing(void)
{
  const char *const others[] = {NULL, "", "AC", "mains", "unknown"};
  EppdPowerSource source = EPPD_POWER_SOURCE_BATTERY;

  for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
    g_assert_false(eppd_power_source_parse(others[i], &source));
    g_assert_cmpint((int)source, ==, EPPD_POWER_SOURCE_BATTERY);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/power-source/texts-parse-back", test_texts_parse_back);
  g_test_add_func("/power-source/other-text-is-refused",
                  test_other_text_is_refused_and_changes_nothing);
  return g_test_run();
}
