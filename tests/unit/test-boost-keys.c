/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/boost-keys.h"

#include <string.h>

static const struct {
  EppdBoostKey key;
  const char *name;
  const char *good[4];
  const char *bad[10];
} table[] = {
    {EPPD_BOOST_KEY_BOOST,
     "X-Eppd-Boost",
     {"true", "false"},
     {"", "1", "0", "True", "yes", "true ", "truefalse"}},
    {EPPD_BOOST_KEY_TRIGGER, "X-Eppd-Trigger", {"core", "app"}, {"", "App", "core;app", "cpu"}},
    {EPPD_BOOST_KEY_THRESHOLD,
     "X-Eppd-Threshold",
     {"1", "50", "100"},
     {"", "0", "101", "-1", "+5", "50%", "5.5", "0x10", "18446744073709551617"}},
    {EPPD_BOOST_KEY_PROFILE,
     "X-Eppd-Profile",
     {"performance", "power-saver"},
     {"", "balanced", "powersave", "Performance"}},
};

static void
test_each_value_is_written_as_it_was_read(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
    g_assert_cmpstr(eppd_boost_key_name(table[i].key), ==, table[i].name);
    for (guint j = 0; j < G_N_ELEMENTS(table[i].good) && table[i].good[j]; j++) {
      EppdBoostKeys keys = {0};
      g_autofree char *value = NULL;

      g_assert_true(eppd_boost_keys_parse(&keys, table[i].key, table[i].good[j]));
      value = eppd_boost_keys_value(&keys, table[i].key);
      g_assert_cmpstr(value, ==, table[i].good[j]);
    }
  }
}

static void
test_a_wrong_value_changes_nothing(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
    for (guint j = 0; j < G_N_ELEMENTS(table[i].bad) && table[i].bad[j]; j++) {
      EppdBoostKeys keys;
      EppdBoostKeys before;

      memset(&keys, 0, sizeof keys);
      keys.has_boost = true;
      keys.boost = true;
      keys.threshold_percent = 7;
      memcpy(&before, &keys, sizeof keys);
      g_test_message("%s=%s", table[i].name, table[i].bad[j]);
      g_assert_false(eppd_boost_keys_parse(&keys, table[i].key, table[i].bad[j]));
      g_assert_cmpmem(&keys, sizeof keys, &before, sizeof before);
    }
  }
}

static void
test_no_key_is_there_at_first(void)
{
  const EppdBoostKeys keys = {0};

  for (int key = 0; key < EPPD_N_BOOST_KEYS; key++) {
    g_assert_null(eppd_boost_keys_value(&keys, (EppdBoostKey)key));
    g_assert_cmpstr(eppd_boost_key_expected((EppdBoostKey)key), !=, "unknown");
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/boost-keys/each-value-is-written-as-it-was-read",
                  test_each_value_is_written_as_it_was_read);
  g_test_add_func("/boost-keys/a-wrong-value-changes-nothing", test_a_wrong_value_changes_nothing);
  g_test_add_func("/boost-keys/no-key-is-there-at-first", test_no_key_is_there_at_first);
  return g_test_run();
}
