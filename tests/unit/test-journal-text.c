/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/journal-text.h"
#include "hardware/amd-pstate.h"
#include "scratch.h"

/* What may stand in the file otherwise: test-journal.c. */

static void
set(EppdRestorePlan *plan, guint number, const char *readback, bool boosted, bool taken_over)
{
  g_autofree char *policy = g_strdup_printf("policy%u", number);
  EppdRestoreEntry *entry = eppd_restore_plan_entry(plan, policy, number);
  EppdEpp base = eppd_epp_parse("balance_power");
  EppdEppTwin boost = {eppd_epp_parse("performance"), eppd_epp_parse(readback)};

  eppd_restore_plan_set_driver(plan, entry, "a driver");
  eppd_restore_plan_set_epp(plan, entry, &base, &boost);
  eppd_restore_plan_set_boosted(plan, entry, boosted);
  eppd_restore_plan_set_taken_over(plan, entry, taken_over);
}

static EppdRestorePlan *
make_plan(void)
{
  EppdRestorePlan *plan = eppd_restore_plan_new();

  set(plan, 0, "0", true, false);
  set(plan, 7, "", false, true);
  set(plan, 12, "", true, true);
  eppd_restore_plan_set_setting(plan, EPPD_AMD_PSTATE_KERNEL_BOOST_FILE,
                                EPPD_AMD_PSTATE_KERNEL_BOOST_ON, EPPD_AMD_PSTATE_KERNEL_BOOST_OFF);
  return plan;
}

static char *
text_of(const EppdRestorePlan *plan)
{
  g_autoptr(GHashTable) flags = NULL;
  GString *text = eppd_journal_text_make(plan, "boot-1", &flags);

  return g_string_free(text, FALSE);
}

static EppdKeyFile *
load(const char *text)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *path = scratch_path(dir, "file");
  EppdKeyFile *file;

  scratch_write(dir, "file", text);
  file = eppd_key_file_load(path, NULL, NULL, NULL);
  g_assert_nonnull(file);
  return file;
}

static void
test_what_is_written_reads_the_same(void)
{
  g_autoptr(EppdRestorePlan) plan = make_plan();
  g_autofree char *text = text_of(plan);
  g_autoptr(EppdKeyFile) file = load(text);
  g_autoptr(EppdRestorePlan) again = eppd_restore_plan_new();
  g_autofree char *text_again = NULL;

  g_assert_true(eppd_journal_text_read(file, "boot-1", again));
  text_again = text_of(again);
  g_assert_cmpstr(text_again, ==, text);
}

static void
test_another_boot_adds_nothing(void)
{
  g_autoptr(EppdRestorePlan) plan = make_plan();
  g_autofree char *text = text_of(plan);
  g_autoptr(EppdKeyFile) file = load(text);
  g_autoptr(EppdRestorePlan) again = eppd_restore_plan_new();

  g_assert_false(eppd_journal_text_read(file, "boot-2", again));
  g_assert_true(eppd_restore_plan_is_empty(again));
}

static void
test_each_flag_stands_where_it_is_told(void)
{
  g_autoptr(EppdRestorePlan) plan = make_plan();
  g_autoptr(GHashTable) flags = NULL;
  GString *text = eppd_journal_text_make(plan, "boot-1", &flags);
  g_autoptr(GPtrArray) policies = eppd_restore_plan_policies(plan);

  g_assert_cmpuint(g_hash_table_size(flags), ==, policies->len);
  for (guint i = 0; i < policies->len; i++) {
    EppdRestoreEntry *entry = policies->pdata[i];
    gsize offset = GPOINTER_TO_SIZE(g_hash_table_lookup(flags, GUINT_TO_POINTER(entry->number)));

    g_assert_cmpint(text->str[offset], ==, eppd_journal_text_flag(entry->boosted));
    /* Setting it by hand is what a plan with that flag is written as. */
    text->str[offset] = eppd_journal_text_flag(!entry->boosted);
    eppd_restore_plan_set_boosted(plan, entry, !entry->boosted);
  }
  {
    g_autofree char *flipped = text_of(plan);

    g_assert_cmpstr(flipped, ==, text->str);
  }
  g_string_free(text, TRUE);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/journal-text/what-is-written-reads-the-same",
                  test_what_is_written_reads_the_same);
  g_test_add_func("/journal-text/another-boot-adds-nothing", test_another_boot_adds_nothing);
  g_test_add_func("/journal-text/each-flag-stands-where-it-is-told",
                  test_each_flag_stands_where_it_is_told);
  return g_test_run();
}
