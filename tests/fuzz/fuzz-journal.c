/* SPDX-License-Identifier: GPL-2.0-or-later */
/* restore.ini and what it makes --restore do on a small tree: it writes bases into EPP files that
 * hold the boost value, known values into the two other files, and nothing else anywhere. */
#include "fuzz.h"

#include "daemon/journal.h"
#include "daemon/restore.h"
#include "hardware/amd-pstate.h"
#include "scratch.h"

#define CPUFREQ    "sys/devices/system/cpu/cpufreq/"
#define EPP        "/energy_performance_preference"
#define BOOST_FILE EPPD_AMD_PSTATE_KERNEL_BOOST_FILE
#define EPP_FILE   EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE

static const FuzzPlace places[] = {
    {"", "run/restore.ini"},
    {"restore.ini", "run/restore.ini"},
    {"boot_id", "proc/sys/kernel/random/boot_id"},
    {"policy0/epp", CPUFREQ "policy0" EPP},
    {"policy1/epp", CPUFREQ "policy1" EPP},
    {"policy0/cpus", CPUFREQ "policy0/affected_cpus"},
    {"policy1/cpus", CPUFREQ "policy1/affected_cpus"},
    {"policy1/driver", CPUFREQ "policy1/scaling_driver"},
    {"epp_boost", BOOST_FILE},
    {"dynamic_epp", EPP_FILE},
};

static void
make_policy(const Scratch *dir, const char *policy)
{
  static const char *const files[][2] = {
      {"affected_cpus", "0\n"},
      {"scaling_driver", "amd-pstate-epp\n"},
      {"scaling_governor", "powersave\n"},
      {"energy_performance_preference", "performance\n"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = g_build_filename(CPUFREQ, policy, files[i][0], NULL);

    scratch_write(dir, path, files[i][1]);
  }
}

static void
make_tree(const Scratch *dir)
{
  make_policy(dir, "policy0");
  make_policy(dir, "policy1");
  scratch_write(dir, BOOST_FILE, "N\n");
  scratch_write(dir, EPP_FILE, "disabled\n");
  scratch_write(dir, "proc/sys/kernel/random/boot_id", "boot-1\n");
  scratch_write(dir, "etc/shadow", "N\n");
}

static void
check_policies(EppdJournal *journal)
{
  g_autoptr(GPtrArray) entries = eppd_journal_policies(journal);

  g_assert_cmpint(entries->len > 0, ==, eppd_journal_has_policies(journal));
  for (guint i = 0; i < entries->len; i++) {
    const EppdRestoreEntry *entry = entries->pdata[i];

    g_assert_true(eppd_epp_is_writable(&entry->base));
    g_assert_true(eppd_epp_is_writable(&entry->boost.written));
    g_assert_nonnull(entry->driver);
    g_assert_true(i == 0 || entry->number > ((EppdRestoreEntry *)entries->pdata[i - 1])->number);
  }
}

static void
check_files(EppdJournal *journal)
{
  g_autoptr(GPtrArray) entries = eppd_journal_files(journal);

  for (guint i = 0; i < entries->len; i++) {
    const EppdRestoreSetting *entry = entries->pdata[i];

    g_assert_true(g_str_equal(entry->path, BOOST_FILE) || g_str_equal(entry->path, EPP_FILE));
  }
}

static guint
count_boosted(EppdJournal *journal)
{
  g_autoptr(GPtrArray) entries = eppd_journal_policies(journal);

  return entries->len;
}

/* What it found it tells again, also in the file. */
static void
check_rewritten(EppdSysRoot *root, const char *run)
{
  const EppdEpp base = eppd_epp_named(EPPD_EPP_POWER);
  const EppdEppTwin boost = {.written = eppd_epp_named(EPPD_EPP_PERFORMANCE)};
  g_autoptr(GError) error = NULL;
  g_autoptr(EppdJournal) journal = eppd_journal_load(root, run);
  g_autoptr(EppdJournal) again = NULL;

  eppd_journal_set_policy(journal, "policy7", "amd-pstate-epp", &base, &boost);
  eppd_journal_commit(journal, &error);
  g_assert_no_error(error);
  eppd_journal_set_boosted(journal, "policy7", true, &error);
  g_assert_no_error(error);
  again = eppd_journal_load(root, run);
  g_assert_cmpuint(count_boosted(again), ==, count_boosted(journal));
  check_policies(again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const Scratch *dir = fuzz_scratch();
  g_autofree char *run = scratch_path(dir, "run");
  g_autofree char *shadow = NULL;
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autoptr(EppdJournal) journal = NULL;
  EppdRestoreResult first;
  EppdRestoreResult second;
  guint n_entries;

  fuzz_clear();
  make_tree(dir);
  scratch_mkdir(dir, "run");
  fuzz_write_files(data, size, places, G_N_ELEMENTS(places));

  journal = eppd_journal_load(root, run);
  check_policies(journal);
  check_files(journal);
  n_entries = count_boosted(journal);
  g_clear_pointer(&journal, eppd_journal_free);

  first = eppd_restore(root, run);
  second = eppd_restore(root, run);
  /* Each entry once; what could not be put back stays, and nothing became possible meanwhile. */
  g_assert_cmpuint(first.restored + first.left_alone + first.pending, <=, n_entries + 2);
  g_assert_cmpuint(second.restored, ==, 0);
  g_assert_cmpuint(second.left_alone, ==, 0);
  g_assert_cmpuint(second.pending, ==, first.pending);
  shadow = scratch_read(dir, "etc/shadow");
  g_assert_cmpstr(shadow, ==, "N\n");
  check_rewritten(root, run);
  return 0;
}
