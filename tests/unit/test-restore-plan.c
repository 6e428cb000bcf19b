/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/restore-plan.h"

static EppdRestoreEntry *
set(EppdRestorePlan *plan, guint number, const char *base, const char *boost, const char *readback)
{
  g_autofree char *policy = g_strdup_printf("policy%u", number);
  EppdRestoreEntry *entry = eppd_restore_plan_entry(plan, policy, number);
  EppdEpp base_epp = eppd_epp_parse(base);
  EppdEppTwin twin = {eppd_epp_parse(boost), eppd_epp_parse(readback)};

  eppd_restore_plan_set_epp(plan, entry, &base_epp, &twin);
  return entry;
}

/* Whether it changed since the last call. */
static bool
changed(EppdRestorePlan *plan)
{
  bool is_changed = eppd_restore_plan_is_changed(plan);

  eppd_restore_plan_note_saved(plan);
  g_assert_false(eppd_restore_plan_is_changed(plan));
  return is_changed;
}

static void
assert_boost(const EppdEppTwin *twin, const char *written, const char *readback)
{
  char buffer[EPPD_EPP_TEXT_SIZE];

  g_assert_cmpstr(eppd_epp_text(&twin->written, buffer), ==, written);
  g_assert_cmpstr(eppd_epp_text(&twin->readback, buffer), ==, readback);
}

static void
test_only_what_is_new_is_a_change(void)
{
  g_autoptr(EppdRestorePlan) plan = eppd_restore_plan_new();
  EppdRestoreEntry *entry;

  g_assert_true(changed(plan));
  entry = set(plan, 0, "power", "performance", "");
  g_assert_true(changed(plan));
  g_assert_true(set(plan, 0, "power", "performance", "") == entry);
  g_assert_false(changed(plan));
  set(plan, 0, "balance_power", "performance", "");
  g_assert_true(changed(plan));
  eppd_restore_plan_set_driver(plan, entry, "");
  eppd_restore_plan_set_taken_over(plan, entry, false);
  g_assert_false(changed(plan));
  eppd_restore_plan_set_driver(plan, entry, "amd-pstate-epp");
  g_assert_true(changed(plan));
  eppd_restore_plan_set_taken_over(plan, entry, true);
  g_assert_true(changed(plan));
  eppd_restore_plan_forget(plan, "policy1");
  g_assert_false(changed(plan));
  eppd_restore_plan_forget(plan, "policy0");
  g_assert_true(changed(plan));
  g_assert_null(eppd_restore_plan_find(plan, "policy0"));
  eppd_restore_plan_note_lost(plan);
  g_assert_true(changed(plan));
}

static void
test_a_flag_is_no_change(void)
{
  g_autoptr(EppdRestorePlan) plan = eppd_restore_plan_new();
  EppdRestoreEntry *entry = set(plan, 0, "power", "performance", "");

  changed(plan);
  eppd_restore_plan_set_boosted(plan, entry, true);
  g_assert_true(entry->boosted);
  g_assert_true(eppd_restore_plan_has_due(plan));
  eppd_restore_plan_set_boosted(plan, entry, false);
  g_assert_false(eppd_restore_plan_has_due(plan));
  g_assert_false(changed(plan));
}

static void
test_another_boost_value_waits_for_the_edge(void)
{
  g_autoptr(EppdRestorePlan) plan = eppd_restore_plan_new();
  EppdRestoreEntry *entry = set(plan, 0, "power", "performance", "");

  eppd_restore_plan_set_boosted(plan, entry, true);
  changed(plan);
  set(plan, 0, "power", "32", "");
  g_assert_false(changed(plan));
  assert_boost(&entry->boost, "performance", "unknown");
  eppd_restore_plan_set_boosted(plan, entry, false);
  g_assert_true(changed(plan));
  assert_boost(&entry->boost, "32", "unknown");
}

static void
test_what_one_learned_is_expected_of_all(void)
{
  g_autoptr(EppdRestorePlan) plan = eppd_restore_plan_new();
  EppdRestoreEntry *idle = set(plan, 1, "power", "performance", "");
  EppdRestoreEntry *number = set(plan, 2, "power", "16", "");
  EppdRestoreEntry *boosted = set(plan, 3, "power", "performance", "");

  eppd_restore_plan_set_boosted(plan, boosted, true);
  set(plan, 0, "power", "performance", "0");
  assert_boost(&idle->boost, "performance", "0");
  assert_boost(&number->boost, "16", "unknown");
  /* What its file holds was written before that was known. */
  assert_boost(&boosted->boost, "performance", "unknown");
  assert_boost(&boosted->next_boost, "performance", "0");
  changed(plan);
  set(plan, 1, "power", "performance", "");
  set(plan, 1, "power", "performance", "0");
  g_assert_false(changed(plan));
  /* A number's read-back is its own. */
  set(plan, 2, "power", "16", "performance");
  assert_boost(&set(plan, 1, "power", "16", "")->boost, "16", "unknown");
}

static void
test_another_driver_may_read_back_otherwise(void)
{
  g_autoptr(EppdRestorePlan) plan = eppd_restore_plan_new();
  EppdRestoreEntry *entry = set(plan, 0, "power", "performance", "0");

  eppd_restore_plan_set_driver(plan, entry, "intel_pstate");
  assert_boost(&set(plan, 1, "power", "performance", "")->boost, "performance", "unknown");
}

static void
test_settings_go_back_to_what_was_found_first(void)
{
  g_autoptr(EppdRestorePlan) plan = eppd_restore_plan_new();
  const EppdRestoreSetting *setting;

  changed(plan);
  g_assert_null(eppd_restore_plan_setting(plan, "/b"));
  eppd_restore_plan_set_setting(plan, "/b", "Y", "N");
  g_assert_true(changed(plan));
  eppd_restore_plan_set_setting(plan, "/b", "N", "N");
  g_assert_false(changed(plan));
  eppd_restore_plan_set_setting(plan, "/b", "N", "Y");
  g_assert_true(changed(plan));
  setting = eppd_restore_plan_setting(plan, "/b");
  g_assert_cmpstr(setting->found, ==, "Y");
  g_assert_cmpstr(setting->ours, ==, "Y");
  eppd_restore_plan_forget_setting(plan, "/a");
  g_assert_false(changed(plan));
  g_assert_false(eppd_restore_plan_is_empty(plan));
  eppd_restore_plan_forget_setting(plan, "/b");
  g_assert_true(changed(plan));
  g_assert_true(eppd_restore_plan_is_empty(plan));
}

static void
test_they_come_in_order(void)
{
  g_autoptr(EppdRestorePlan) plan = eppd_restore_plan_new();
  g_autoptr(GPtrArray) policies = NULL;
  g_autoptr(GPtrArray) settings = NULL;

  for (guint i = 20; i > 0; i--)
    set(plan, i, "power", "performance", "");
  eppd_restore_plan_set_setting(plan, "/b", "Y", "N");
  eppd_restore_plan_set_setting(plan, "/a", "Y", "N");
  policies = eppd_restore_plan_policies(plan);
  settings = eppd_restore_plan_settings(plan);
  g_assert_cmpuint(policies->len, ==, 20);
  for (guint i = 0; i < policies->len; i++)
    g_assert_cmpuint(((EppdRestoreEntry *)policies->pdata[i])->number, ==, i + 1);
  g_assert_cmpuint(settings->len, ==, 2);
  g_assert_cmpstr(((EppdRestoreSetting *)settings->pdata[0])->path, ==, "/a");
}

static void
test_what_is_due_is_kept(void)
{
  g_autoptr(EppdRestorePlan) plan = eppd_restore_plan_new();

  set(plan, 0, "power", "performance", "");
  eppd_restore_plan_set_boosted(plan, set(plan, 1, "power", "performance", ""), true);
  eppd_restore_plan_set_taken_over(plan, set(plan, 2, "power", "performance", ""), true);
  changed(plan);
  eppd_restore_plan_keep_due(plan);
  g_assert_true(changed(plan));
  g_assert_null(eppd_restore_plan_find(plan, "policy0"));
  g_assert_nonnull(eppd_restore_plan_find(plan, "policy1"));
  g_assert_nonnull(eppd_restore_plan_find(plan, "policy2"));
  eppd_restore_plan_keep_due(plan);
  g_assert_false(changed(plan));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/restore-plan/only-what-is-new-is-a-change", test_only_what_is_new_is_a_change);
  g_test_add_func("/restore-plan/a-flag-is-no-change", test_a_flag_is_no_change);
  g_test_add_func("/restore-plan/another-boost-value-waits-for-the-edge",
                  test_another_boost_value_waits_for_the_edge);
  g_test_add_func("/restore-plan/what-one-learned-is-expected-of-all",
                  test_what_one_learned_is_expected_of_all);
  g_test_add_func("/restore-plan/another-driver-may-read-back-otherwise",
                  test_another_driver_may_read_back_otherwise);
  g_test_add_func("/restore-plan/settings-go-back-to-what-was-found-first",
                  test_settings_go_back_to_what_was_found_first);
  g_test_add_func("/restore-plan/they-come-in-order", test_they_come_in_order);
  g_test_add_func("/restore-plan/what-is-due-is-kept", test_what_is_due_is_kept);
  return g_test_run();
}
