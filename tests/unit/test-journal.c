/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpu-list.h"
#include "base/error.h"
#include "daemon/journal.h"
#include "hardware/amd-pstate.h"
#include "scratch.h"

#include <string.h>
#include <sys/stat.h>

#define HEAD       "# What eppd would have to put back.\n[Journal]\nBootId=boot-1\n"
#define BOOST_FILE EPPD_AMD_PSTATE_KERNEL_BOOST_FILE

typedef struct {
  Scratch *dir; /* the root, and the runtime directory "run" in it */
  EppdSysRoot *root;
  char *run;
} Fixture;

static void
set_up(Fixture *fixture, gconstpointer data)
{
  fixture->dir = scratch_new();
  fixture->root = eppd_sys_root_new(fixture->dir);
  fixture->run = scratch_path(fixture->dir, "run");
  scratch_mkdir(fixture->dir, "run");
  scratch_write(fixture->dir, "proc/sys/kernel/random/boot_id", "boot-1\n");
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  eppd_sys_root_unref(fixture->root);
  g_free(fixture->run);
  scratch_free(fixture->dir);
}

static void
commit(EppdJournal *journal)
{
  g_autoptr(GError) error = NULL;

  g_assert_true(eppd_journal_commit(journal, &error));
  g_assert_no_error(error);
}

/* As a start does. */
static EppdJournal *
open_journal(Fixture *fixture)
{
  EppdJournal *journal = eppd_journal_load(fixture->root, fixture->run);

  commit(journal);
  return journal;
}

static void
set_policy(EppdJournal *journal, const char *policy, const char *base, const char *boost)
{
  EppdEpp base_epp = eppd_epp_parse(base);
  EppdEppTwin twin = {.written = eppd_epp_parse(boost)};

  eppd_journal_set_policy(journal, policy, "amd-pstate-epp", &base_epp, &twin);
}

static void
set_boosted(EppdJournal *journal, const char *policy, bool boosted)
{
  g_autoptr(GError) error = NULL;

  g_assert_true(eppd_journal_set_boosted(journal, policy, boosted, &error));
  g_assert_no_error(error);
}

static void
assert_text(Fixture *fixture, const char *expected)
{
  g_autofree char *text = scratch_read(fixture->dir, "run/restore.ini");

  g_assert_cmpstr(text, ==, expected);
}

static ino_t
get_inode(Fixture *fixture)
{
  g_autofree char *path = scratch_path(fixture->dir, "run/restore.ini");
  struct stat st;

  g_assert_cmpint(stat(path, &st), ==, 0);
  return st.st_ino;
}

/* What a new process finds: "policy:base:boost:readback " for each boosted policy. */
static void
assert_found(Fixture *fixture, const char *expected)
{
  g_autoptr(EppdJournal) journal = eppd_journal_load(fixture->root, fixture->run);
  g_autoptr(GPtrArray) policies = eppd_journal_policies(journal);
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < policies->len; i++) {
    const EppdRestoreEntry *policy = policies->pdata[i];
    char base[EPPD_EPP_TEXT_SIZE];
    char boost[EPPD_EPP_TEXT_SIZE];
    char readback[EPPD_EPP_TEXT_SIZE];

    g_string_append_printf(text, "%s:%s:%s:%s ", policy->policy, eppd_epp_text(&policy->base, base),
                           eppd_epp_text(&policy->boost.written, boost),
                           eppd_epp_text(&policy->boost.readback, readback));
  }
  g_assert_cmpstr(text->str, ==, expected);
}

static void
test_text(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdJournal) journal = open_journal(fixture);

  assert_text(fixture, HEAD);
  set_policy(journal, "policy10", "power", "performance");
  set_policy(journal, "policy2", "128", "32");
  assert_text(fixture, HEAD);
  commit(journal);
  assert_text(fixture, HEAD "\n[policy2]\nDriver=amd-pstate-epp\nBase=128\nBoost=32\nBoosted=0\n"
                            "\n[policy10]\nDriver=amd-pstate-epp\nBase=power\nBoost=performance\n"
                            "Boosted=0\n");
}

static void
test_edges_flip_in_place(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdJournal) journal = open_journal(fixture);
  ino_t inode;

  set_policy(journal, "policy0", "power", "performance");
  set_policy(journal, "policy1", "power", "performance");
  commit(journal);
  inode = get_inode(fixture);
  assert_found(fixture, "");
  set_boosted(journal, "policy1", true);
  assert_found(fixture, "policy1:power:performance:unknown ");
  set_boosted(journal, "policy0", true);
  set_boosted(journal, "policy1", true);
  assert_found(fixture, "policy0:power:performance:unknown policy1:power:performance:unknown ");
  set_boosted(journal, "policy1", false);
  assert_found(fixture, "policy0:power:performance:unknown ");
  set_boosted(journal, "policy0", false);
  assert_found(fixture, "");
  g_assert_cmpuint(get_inode(fixture), ==, inode);
}

static void
test_nothing_new_is_not_written(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdJournal) journal = open_journal(fixture);
  ino_t inode;

  set_policy(journal, "policy0", "power", "performance");
  commit(journal);
  inode = get_inode(fixture);
  set_policy(journal, "policy0", "power", "performance");
  commit(journal);
  g_assert_cmpuint(get_inode(fixture), ==, inode);
}

static void
test_flag_of_an_uncommitted_policy(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdJournal) journal = open_journal(fixture);

  set_policy(journal, "policy0", "power", "performance");
  set_boosted(journal, "policy0", true);
  assert_found(fixture, "policy0:power:performance:unknown ");
}

static void
test_unknown_policies(Fixture *fixture, gconstpointer data)
{
  const char *const names[] = {"policy7", "policyX", "../policy1", "Journal", "policy1]\n[policy2"};
  g_autoptr(EppdJournal) journal = open_journal(fixture);

  for (gsize i = 1; i < G_N_ELEMENTS(names); i++)
    set_policy(journal, names[i], "power", "performance");
  commit(journal);
  assert_text(fixture, HEAD);
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(GError) error = NULL;

    g_assert_false(eppd_journal_set_boosted(journal, names[i], true, &error));
    g_assert_error(error, EPPD_ERROR, EPPD_ERROR_INVALID);
  }
}

static void
test_new_base_while_boosted(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdJournal) journal = open_journal(fixture);

  set_policy(journal, "policy0", "power", "performance");
  set_boosted(journal, "policy0", true);
  set_policy(journal, "policy0", "balance_power", "performance");
  commit(journal);
  assert_found(fixture, "policy0:balance_power:performance:unknown ");
}

static void
test_readback_learned_while_boosted(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdJournal) journal = open_journal(fixture);
  EppdEpp base = eppd_epp_parse("power");
  EppdEppTwin twin = {eppd_epp_parse("0"), eppd_epp_parse("performance")};

  set_policy(journal, "policy0", "power", "0");
  set_boosted(journal, "policy0", true);
  eppd_journal_set_policy(journal, "policy0", "amd-pstate-epp", &base, &twin);
  commit(journal);
  assert_found(fixture, "policy0:power:0:performance ");
}

static void
learn(EppdJournal *journal, const char *policy, const char *boost, const char *readback)
{
  EppdEpp base = eppd_epp_parse("power");
  EppdEppTwin twin = {eppd_epp_parse(boost), eppd_epp_parse(readback)};

  eppd_journal_set_policy(journal, policy, "amd-pstate-epp", &base, &twin);
}

static void
test_a_readback_that_was_learned_is_expected_of_all(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdJournal) journal = open_journal(fixture);
  ino_t inode;

  set_policy(journal, "policy0", "power", "performance");
  set_policy(journal, "policy1", "power", "performance");
  set_policy(journal, "policy2", "power", "7");
  set_policy(journal, "policy3", "power", "performance");
  commit(journal);
  set_boosted(journal, "policy0", true);
  learn(journal, "policy0", "performance", "0");
  commit(journal);

  inode = get_inode(fixture);
  for (guint i = 0; i < 2; i++) {
    set_boosted(journal, "policy1", true);
    learn(journal, "policy1", "performance", "0");
    commit(journal);
  }
  set_boosted(journal, "policy2", true);
  set_policy(journal, "policy3", "power", "performance");
  set_boosted(journal, "policy3", true);
  g_assert_cmpuint(get_inode(fixture), ==, inode);
  assert_found(fixture, "policy0:power:performance:0 policy1:power:performance:0 "
                        "policy2:power:7:unknown policy3:power:performance:0 ");

  learn(journal, "policy3", "performance", "16");
  commit(journal);
  assert_found(fixture, "policy0:power:performance:0 policy1:power:performance:0 "
                        "policy2:power:7:unknown policy3:power:performance:16 ");
}

/* On hybrid parts a number reads as a name on one kind of core and as another on the next: what is
 * only guessed must not make restore leave a boost alone. */
static void
test_of_a_number_nothing_is_expected(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdJournal) journal = open_journal(fixture);

  set_policy(journal, "policy0", "power", "16");
  set_policy(journal, "policy1", "power", "16");
  set_boosted(journal, "policy0", true);
  learn(journal, "policy0", "16", "performance");
  commit(journal);
  set_boosted(journal, "policy1", true);
  assert_found(fixture, "policy0:power:16:performance policy1:power:16:unknown ");
}

static void
test_new_boost_value_waits_for_the_edge(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdJournal) journal = open_journal(fixture);

  set_policy(journal, "policy0", "power", "performance");
  set_boosted(journal, "policy0", true);
  set_policy(journal, "policy0", "power", "32");
  commit(journal);
  assert_found(fixture, "policy0:power:performance:unknown ");
  set_boosted(journal, "policy0", false);
  set_boosted(journal, "policy0", true);
  assert_found(fixture, "policy0:power:32:unknown ");
}

static void
test_odd_driver_texts(Fixture *fixture, gconstpointer data)
{
  const char *const drivers[] = {NULL, "", "a]b\n[policy9]\nBoosted=1", "\xff\x1b", "x=y\\n#;"};
  EppdEpp base = eppd_epp_parse("power");
  EppdEppTwin boost = {.written = eppd_epp_parse("performance")};

  for (gsize i = 0; i < G_N_ELEMENTS(drivers); i++) {
    g_autoptr(EppdJournal) journal = open_journal(fixture);

    eppd_journal_set_policy(journal, "policy0", drivers[i], &base, &boost);
    set_boosted(journal, "policy0", true);
    assert_found(fixture, "policy0:power:performance:unknown ");
  }
}

static void
test_pending_is_kept_until_its_base_is_written(Fixture *fixture, gconstpointer data)
{
  EppdJournal *journal = open_journal(fixture);
  g_autoptr(GError) error = NULL;

  set_policy(journal, "policy0", "power", "performance");
  set_policy(journal, "policy1", "power", "performance");
  set_boosted(journal, "policy1", true);
  eppd_journal_free(journal);

  journal = open_journal(fixture);
  assert_found(fixture, "policy1:power:performance:unknown ");
  set_policy(journal, "policy0", "power", "performance");
  set_policy(journal, "policy1", "balance_power", "performance");
  commit(journal);
  assert_found(fixture, "policy1:balance_power:performance:unknown ");
  g_assert_true(eppd_journal_clear(journal, &error));
  assert_found(fixture, "policy1:balance_power:performance:unknown ");
  set_boosted(journal, "policy1", false);
  assert_found(fixture, "");
  g_assert_true(eppd_journal_clear(journal, &error));
  assert_text(fixture, NULL);
  g_assert_no_error(error);
  eppd_journal_free(journal);
}

static void
test_clear_and_start_again(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdJournal) journal = open_journal(fixture);

  set_policy(journal, "policy0", "power", "performance");
  commit(journal);
  g_assert_true(eppd_journal_clear(journal, NULL));
  assert_text(fixture, NULL);
  g_assert_true(eppd_journal_clear(journal, NULL));
  set_policy(journal, "policy0", "power", "performance");
  set_boosted(journal, "policy0", true);
  assert_found(fixture, "policy0:power:performance:unknown ");
}

static void
test_a_take_over_is_kept_until_it_is_given_back(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdJournal) journal = open_journal(fixture);
  g_autoptr(EppdJournal) next = NULL;
  g_autoptr(GError) error = NULL;

  eppd_journal_set_taken_over(journal, "policy0", true);
  g_assert_false(eppd_journal_is_taken_over(journal, "policy0"));
  set_policy(journal, "policy0", "power", "performance");
  eppd_journal_set_taken_over(journal, "policy0", true);
  commit(journal);
  assert_text(fixture, HEAD "\n[policy0]\nDriver=amd-pstate-epp\nBase=power\nBoost=performance\n"
                            "TakenOver=1\nBoosted=0\n");
  g_assert_true(eppd_journal_has_policies(journal));
  assert_found(fixture, "policy0:power:performance:unknown ");
  g_assert_true(eppd_journal_clear(journal, &error));
  next = open_journal(fixture);
  g_assert_true(eppd_journal_is_taken_over(next, "policy0"));
  eppd_journal_set_taken_over(next, "policy0", false);
  g_assert_false(eppd_journal_has_policies(next));
  g_assert_true(eppd_journal_clear(next, &error));
  assert_found(fixture, "");
  g_assert_no_error(error);
}

static void
test_files(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdJournal) journal = open_journal(fixture);
  g_autoptr(GError) error = NULL;
  const char *text = HEAD "\n[File " BOOST_FILE "]\nFound=Y\nOurs=N\n";

  g_assert_true(eppd_journal_set_file(journal, BOOST_FILE, "Y", "N", &error));
  assert_text(fixture, text);
  /* What is found later is our own value: the first is the one to go back to. */
  g_assert_true(eppd_journal_set_file(journal, BOOST_FILE, "N", "N", &error));
  assert_text(fixture, text);
  g_assert_true(eppd_journal_set_file(journal, BOOST_FILE, NULL, NULL, &error));
  assert_text(fixture, HEAD);
  g_assert_true(eppd_journal_set_file(journal, BOOST_FILE, NULL, NULL, &error));
  g_assert_true(eppd_journal_set_file(journal, EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE, "enabled",
                                      "disabled", &error));
  g_assert_true(eppd_journal_clear(journal, &error));
  assert_text(fixture,
              HEAD "\n[File " EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE "]\nFound=enabled\nOurs=disabled\n");
  g_assert_no_error(error);
}

static void
test_files_that_are_not_ours(Fixture *fixture, gconstpointer data)
{
  const struct {
    const char *path, *found, *ours;
  } cases[] = {
      {"/etc/passwd", "Y", "N"},        {"/sys/power/state", "mem", "disk"},
      {BOOST_FILE, "enabled", "N"},     {BOOST_FILE, "Y", "; rm"},
      {BOOST_FILE, "Y", NULL},          {"." BOOST_FILE, "Y", "N"},
      {BOOST_FILE "\n[x]\n", "Y", "N"},
  };
  g_autoptr(EppdJournal) journal = open_journal(fixture);

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GError) error = NULL;

    g_assert_false(
        eppd_journal_set_file(journal, cases[i].path, cases[i].found, cases[i].ours, &error));
    g_assert_error(error, EPPD_ERROR, EPPD_ERROR_INVALID);
  }
  assert_text(fixture, HEAD);
}

/* ---- What is on disk may be anything ---- */

typedef struct {
  const char *name;
  const char *text;
  const char *found;
  guint n_files;
} LoadCase;

#define ENTRY(policy, base) "[" policy "]\nDriver=d\nBase=" base "\nBoost=performance\nBoosted=1\n"
#define GOOD                ENTRY("policy3", "power")
#define GOOD_FOUND          "policy3:power:performance:unknown "

static const LoadCase load_cases[] = {
    {"good", HEAD GOOD, GOOD_FOUND, 0},
    {"empty", "", "", 0},
    {"other-boot", "[Journal]\nBootId=boot-0\n" GOOD, "", 0},
    {"no-boot", GOOD, "", 0},
    {"junk-lines", "junk\n" HEAD "[\n" GOOD "junk\xff\n[]\nx", GOOD_FOUND, 0},
    {"unknown-group", HEAD "[policyX]\nBoosted=1\n[What]\n" GOOD, GOOD_FOUND, 0},
    {"paths-for-policies", HEAD ENTRY("policy1/../../x", "power") GOOD, GOOD_FOUND, 0},
    {"huge-policy-number", HEAD ENTRY("policy99999999999999999999", "power") GOOD, GOOD_FOUND, 0},
    {"unwritable-base", HEAD ENTRY("policy1", "custom") ENTRY("policy2", "rm -rf") GOOD, GOOD_FOUND,
     0},
    {"missing-base", HEAD "[policy1]\nDriver=d\nBoost=performance\nBoosted=1\n" GOOD, GOOD_FOUND,
     0},
    {"unwritable-boost", HEAD "[policy1]\nBase=power\nBoost=turbo\nBoosted=1\n" GOOD, GOOD_FOUND,
     0},
    {"number-out-of-range", HEAD ENTRY("policy1", "256") GOOD, GOOD_FOUND, 0},
    {"odd-flag", HEAD "[policy1]\nBase=power\nBoost=performance\nBoosted=yes\n" GOOD, GOOD_FOUND,
     0},
    {"not-boosted", HEAD "[policy1]\nBase=power\nBoost=performance\nBoosted=0\n", "", 0},
    {"readback", HEAD "[policy1]\nBase=power\nBoost=0\nBoostReadback=performance\nBoosted=1\n",
     "policy1:power:0:performance ", 0},
    {"two-entries-of-a-policy", HEAD ENTRY("policy3", "balance_power") GOOD, GOOD_FOUND, 0},
    {"cut-short", HEAD GOOD "[policy4]\nDriver=d\nBase=pow", GOOD_FOUND, 0},
    {"file", HEAD "[File " BOOST_FILE "]\nFound=Y\nOurs=N\n", "", 1},
    {"files-that-are-not-ours",
     HEAD "[File /etc/passwd]\nFound=Y\nOurs=N\n[File " BOOST_FILE "]\nFound=1\nOurs=N\n" GOOD,
     GOOD_FOUND, 0},
};

static void
test_load(Fixture *fixture, gconstpointer data)
{
  const LoadCase *c = data;
  g_autoptr(EppdJournal) journal = NULL;
  g_autoptr(GPtrArray) files = NULL;

  scratch_write(fixture->dir, "run/restore.ini", c->text);
  assert_found(fixture, c->found);
  assert_text(fixture, c->text);
  journal = eppd_journal_load(fixture->root, fixture->run);
  files = eppd_journal_files(journal);
  g_assert_cmpuint(files->len, ==, c->n_files);
}

static void
test_no_boot_id_on_either_side(Fixture *fixture, gconstpointer data)
{
  scratch_remove(fixture->dir, "proc");
  scratch_write(fixture->dir, "run/restore.ini", "[Journal]\nBootId=\n" GOOD);
  assert_found(fixture, GOOD_FOUND);
}

static void
test_unreadable_journals(Fixture *fixture, gconstpointer data)
{
  g_autofree char *huge = g_strnfill(2 * 1024 * 1024, '\n');

  assert_found(fixture, "");
  scratch_write(fixture->dir, "run/restore.ini", huge);
  assert_found(fixture, "");
  scratch_write(fixture->dir, "run/restore.ini", HEAD GOOD);
  scratch_chmod(fixture->dir, "run/restore.ini", 0);
  scratch_be_nobody(true);
  assert_found(fixture, "");
  scratch_be_nobody(false);
  scratch_remove(fixture->dir, "run/restore.ini");
  scratch_mkdir(fixture->dir, "run/restore.ini");
  assert_found(fixture, "");
}

static void
test_unwritable_directory(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdJournal) journal = open_journal(fixture);
  g_autoptr(GError) denied_error = NULL;
  g_autoptr(GError) flag_error = NULL;
  g_autoptr(GError) missing_error = NULL;
  g_autoptr(EppdJournal) late = NULL;

  set_policy(journal, "policy0", "power", "performance");
  scratch_chmod(fixture->dir, "run", 0555);
  scratch_be_nobody(true);
  g_assert_false(eppd_journal_commit(journal, &denied_error));
  g_assert_false(eppd_journal_set_boosted(journal, "policy0", true, &flag_error));
  scratch_be_nobody(false);
  g_assert_error(denied_error, EPPD_ERROR, EPPD_ERROR_DENIED);
  g_assert_error(flag_error, EPPD_ERROR, EPPD_ERROR_DENIED);
  g_assert_nonnull(strstr(denied_error->message, fixture->run));
  g_assert_false(eppd_journal_has_policies(journal));

  /* It is written once that is possible again. */
  scratch_chmod(fixture->dir, "run", 0755);
  set_boosted(journal, "policy0", true);
  assert_found(fixture, "policy0:power:performance:unknown ");

  scratch_remove(fixture->dir, "run");
  late = eppd_journal_load(fixture->root, fixture->run);
  g_assert_false(eppd_journal_commit(late, &missing_error));
  g_assert_error(missing_error, EPPD_ERROR, EPPD_ERROR_GONE);
}

static void
test_flags_without_room_for_a_new_base(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdJournal) journal = open_journal(fixture);
  g_autoptr(GError) on_error = NULL;
  g_autoptr(GError) off_error = NULL;

  set_policy(journal, "policy0", "power", "performance");
  set_policy(journal, "policy1", "power", "performance");
  commit(journal);
  set_boosted(journal, "policy1", true);
  set_policy(journal, "policy0", "balance_power", "performance");
  scratch_chmod(fixture->dir, "run", 0555);
  scratch_be_nobody(true);
  g_assert_false(eppd_journal_set_boosted(journal, "policy0", true, &on_error));
  g_assert_false(eppd_journal_set_boosted(journal, "policy1", false, &off_error));
  scratch_be_nobody(false);
  scratch_chmod(fixture->dir, "run", 0755);
  /* What can't be restored to its base is not to be boosted. */
  assert_found(fixture, "");

  set_boosted(journal, "policy0", true);
  assert_found(fixture, "policy0:balance_power:performance:unknown ");
}

static void
test_removed_by_another(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdJournal) journal = open_journal(fixture);

  set_policy(journal, "policy0", "power", "performance");
  commit(journal);
  scratch_remove(fixture->dir, "run/restore.ini");
  set_boosted(journal, "policy0", true);
  assert_found(fixture, "policy0:power:performance:unknown ");
}

static void
test_leftovers_and_links(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdJournal) journal = NULL;
  g_autofree char *victim = NULL;

  scratch_write(fixture->dir, "victim", "precious");
  scratch_symlink(fixture->dir, "../victim", "run/restore.ini");
  scratch_symlink(fixture->dir, "../victim", "run/restore.ini.new");
  journal = open_journal(fixture);
  assert_text(fixture, HEAD);
  victim = scratch_read(fixture->dir, "victim");
  g_assert_cmpstr(victim, ==, "precious");
}

static void
test_many_policies(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdJournal) journal = open_journal(fixture);
  g_autoptr(EppdJournal) found = NULL;
  g_autoptr(GPtrArray) policies = NULL;

  for (guint i = 0; i < EPPD_CPU_MAX; i++) {
    g_autofree char *name = g_strdup_printf("policy%u", i);

    set_policy(journal, name, "balance_performance", "performance");
  }
  commit(journal);
  for (guint i = 0; i < EPPD_CPU_MAX; i += 2) {
    g_autofree char *name = g_strdup_printf("policy%u", i);

    set_boosted(journal, name, true);
  }
  found = eppd_journal_load(fixture->root, fixture->run);
  policies = eppd_journal_policies(found);
  g_assert_cmpuint(policies->len, ==, EPPD_CPU_MAX / 2);
  for (guint i = 0; i < policies->len; i++)
    g_assert_cmpuint(((EppdRestoreEntry *)policies->pdata[i])->number, ==, 2 * i);
}

/* Its warnings are not what is tested here. */
static GLogWriterOutput
ignore_log(GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  return G_LOG_WRITER_HANDLED;
}

static void
add(const char *path, gconstpointer data, void (*func)(Fixture *, gconstpointer))
{
  g_autofree char *full = g_strconcat("/journal/", path, NULL);

  g_test_add(full, Fixture, data, set_up, func, tear_down);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_log_set_writer_func(ignore_log, NULL, NULL);
  add("text", NULL, test_text);
  add("edges-flip-in-place", NULL, test_edges_flip_in_place);
  add("nothing-new-is-not-written", NULL, test_nothing_new_is_not_written);
  add("flag-of-an-uncommitted-policy", NULL, test_flag_of_an_uncommitted_policy);
  add("unknown-policies", NULL, test_unknown_policies);
  add("new-base-while-boosted", NULL, test_new_base_while_boosted);
  add("readback-learned-while-boosted", NULL, test_readback_learned_while_boosted);
  add("a-readback-that-was-learned-is-expected-of-all", NULL,
      test_a_readback_that_was_learned_is_expected_of_all);
  add("of-a-number-nothing-is-expected", NULL, test_of_a_number_nothing_is_expected);
  add("new-boost-value-waits-for-the-edge", NULL, test_new_boost_value_waits_for_the_edge);
  add("odd-driver-texts", NULL, test_odd_driver_texts);
  add("pending-is-kept-until-its-base-is-written", NULL,
      test_pending_is_kept_until_its_base_is_written);
  add("clear-and-start-again", NULL, test_clear_and_start_again);
  add("a-take-over-is-kept-until-it-is-given-back", NULL,
      test_a_take_over_is_kept_until_it_is_given_back);
  add("files", NULL, test_files);
  add("files-that-are-not-ours", NULL, test_files_that_are_not_ours);
  for (gsize i = 0; i < G_N_ELEMENTS(load_cases); i++) {
    g_autofree char *path = g_strconcat("load/", load_cases[i].name, NULL);

    add(path, &load_cases[i], test_load);
  }
  add("no-boot-id-on-either-side", NULL, test_no_boot_id_on_either_side);
  add("unreadable-journals", NULL, test_unreadable_journals);
  add("unwritable-directory", NULL, test_unwritable_directory);
  add("flags-without-room-for-a-new-base", NULL, test_flags_without_room_for_a_new_base);
  add("removed-by-another", NULL, test_removed_by_another);
  add("leftovers-and-links", NULL, test_leftovers_and_links);
  add("many-policies", NULL, test_many_policies);
  return g_test_run();
}
