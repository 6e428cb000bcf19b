/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/trigger.h"

#include <glib.h>

static void
test_texts_parse_back(void)
{
  EppdTrigger trigger = EPPD_TRIGGER_APP;

  g_assert_cmpstr(eppd_trigger_text(EPPD_TRIGGER_CORE), ==, "core");
  g_assert_cmpstr(eppd_trigger_text(EPPD_TRIGGER_APP), ==, "app");
  g_assert_true(eppd_trigger_parse("core", &trigger));
  g_assert_cmpint((int)trigger, ==, EPPD_TRIGGER_CORE);
  g_assert_true(eppd_trigger_parse("app", &trigger));
  g_assert_cmpint((int)trigger, ==, EPPD_TRIGGER_APP);
}

static void
test_other_text_is_refused_and_changes_nothing(void)
{
  const char *const others[] = {NULL, "", "Core", "application", "unknown"};
  EppdTrigger trigger = EPPD_TRIGGER_APP;

  for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
    g_assert_false(eppd_trigger_parse(others[i], &trigger));
    g_assert_cmpint((int)trigger, ==, EPPD_TRIGGER_APP);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/trigger/texts-parse-back", test_texts_parse_back);
  g_test_add_func("/trigger/other-text-is-refused", test_other_text_is_refused_and_changes_nothing);
  return g_test_run();
}
