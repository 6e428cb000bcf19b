/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/managed-policy.h"
#include "scratch.h"

#include <string.h>
#include <unistd.h>

#define DIR "sys/devices/system/cpu/cpufreq/policy0/"
#define EPP DIR "energy_performance_preference"

typedef struct {
  Scratch *dir; /* the root, and the runtime directory "run" in it */
  EppdSysRoot *root;
  EppdJournal *journal;
  EppdStatistics statistics;
} Fixture;

static const EppdEpp boost = {.kind = EPPD_EPP_PERFORMANCE};

static void
set_up(Fixture *fixture, gconstpointer data)
{
  g_autofree char *run = NULL;

  fixture->dir = scratch_new();
  fixture->root = eppd_sys_root_new(fixture->dir);
  scratch_mkdir(fixture->dir, "run");
  scratch_write(fixture->dir, "proc/sys/kernel/random/boot_id", "boot-1\n");
  scratch_write(fixture->dir, DIR "affected_cpus", "0\n");
  scratch_write(fixture->dir, DIR "scaling_driver", "amd-pstate-epp\n");
  scratch_write(fixture->dir, DIR "scaling_governor", "powersave\n");
  run = scratch_path(fixture->dir, "run");
  fixture->journal = eppd_journal_load(fixture->root, run);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  eppd_journal_free(fixture->journal);
  eppd_sys_root_unref(fixture->root);
  scratch_free(fixture->dir);
}

static EppdManagedPolicy *
make(Fixture *fixture)
{
  return eppd_managed_policy_new(eppd_cpufreq_policy_new(fixture->root, 0), fixture->journal,
                                 &fixture->statistics, &boost);
}

static void
apply(EppdManagedPolicy *policy, EppdEppKind kind)
{
  g_autoptr(GError) error = NULL;
  const EppdPolicyWish wish = {.profile = EPPD_PROFILE_BALANCED, .epp = {.kind = kind}};

  eppd_managed_policy_apply(policy, &wish, false, &error);
  g_assert_no_error(error);
}

/* Whether the profile must be applied once more. */
static bool
is_new(Fixture *fixture, EppdManagedPolicy *policy)
{
  return eppd_managed_policy_refresh(policy, eppd_cpufreq_policy_new(fixture->root, 0));
}

static void
test_new_when_its_file_is_back(Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = scratch_path(fixture->dir, EPP);
  g_autoptr(EppdManagedPolicy) policy = NULL;

  /* It is there, and not open. */
  g_assert_cmpint(symlink(path, path), ==, 0);
  policy = make(fixture);
  g_assert_cmpint(unlink(path), ==, 0);
  apply(policy, EPPD_EPP_POWER);

  scratch_write(fixture->dir, EPP, "balance_power\n");
  g_assert_true(is_new(fixture, policy));
  apply(policy, EPPD_EPP_POWER);
  g_assert_false(is_new(fixture, policy));
}

static void
test_new_when_it_gets_a_file(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdManagedPolicy) policy = make(fixture);

  g_assert_false(is_new(fixture, policy));
  apply(policy, EPPD_EPP_POWER);
  g_assert_false(is_new(fixture, policy));

  scratch_write(fixture->dir, EPP, "balance_power\n");
  g_assert_true(is_new(fixture, policy));
  apply(policy, EPPD_EPP_POWER);
  g_assert_false(is_new(fixture, policy));
}

static void
assert_journal(Fixture *fixture, const char *line)
{
  g_autofree char *path = scratch_path(fixture->dir, "run/restore.ini");
  g_autofree char *text = NULL;

  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_assert_nonnull(strstr(text, line));
}

static void
test_profile_that_is_there_already_ends_the_boost(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdManagedPolicy) policy = NULL;

  scratch_write(fixture->dir, EPP, "balance_power\n");
  policy = make(fixture);
  apply(policy, EPPD_EPP_BALANCE_POWER);
  g_assert_true(eppd_journal_commit(fixture->journal, NULL));
  g_assert_cmpint(eppd_managed_policy_busy_edge(policy, 1), ==, EPPD_OUTCOME_DONE);
  assert_journal(fixture, "Boosted=1");

  /* Another program's write, of what the next profile wants. */
  scratch_write(fixture->dir, EPP, "power\n");
  apply(policy, EPPD_EPP_POWER);
  g_assert_false(eppd_managed_policy_state(policy)->boosted);
  g_assert_true(eppd_journal_commit(fixture->journal, NULL));
  assert_journal(fixture, "Boosted=0");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add("/managed-policy/one-whose-file-goes-under-a-profile-is-new-when-it-is-back", Fixture,
             NULL, set_up, test_new_when_its_file_is_back, tear_down);
  g_test_add("/managed-policy/one-without-a-file-is-new-when-it-gets-one", Fixture, NULL, set_up,
             test_new_when_it_gets_a_file, tear_down);
  g_test_add("/managed-policy/a-profile-that-is-there-already-ends-the-boost-in-the-journal",
             Fixture, NULL, set_up, test_profile_that_is_there_already_ends_the_boost, tear_down);
  return g_test_run();
}
