/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/restore.h"
#include "hardware/amd-pstate.h"
#include "scratch.h"

#include <string.h>

#define DIR        "sys/devices/system/cpu/cpufreq/"
#define EPP        "energy_performance_preference"
#define BOOST_FILE EPPD_AMD_PSTATE_KERNEL_BOOST_FILE
#define EPP_FILE   EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE
#define RUN        "run"

/* What was said at the notice level since the set-up. */
static GString *notices;

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
  fixture->run = scratch_path(fixture->dir, RUN);
  scratch_mkdir(fixture->dir, RUN);
  scratch_write(fixture->dir, "proc/sys/kernel/random/boot_id", "boot-1\n");
  notices = g_string_new(NULL);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  eppd_sys_root_unref(fixture->root);
  g_free(fixture->run);
  g_string_free(notices, TRUE);
  scratch_free(fixture->dir);
}

static void
write_policy(Fixture *fixture, guint number, const char *file, const char *text)
{
  g_autofree char *path = g_strdup_printf(DIR "policy%u/%s", number, file);

  scratch_write(fixture->dir, path, text);
}

static void
make_policy(Fixture *fixture, guint number, const char *epp)
{
  g_autofree char *cpu = g_strdup_printf("%u\n", number);

  write_policy(fixture, number, "affected_cpus", cpu);
  write_policy(fixture, number, "scaling_driver", "amd-pstate-epp\n");
  write_policy(fixture, number, "scaling_governor", "powersave\n");
  write_policy(fixture, number, EPP, epp);
}

static void
assert_epp(Fixture *fixture, guint number, const char *epp)
{
  g_autofree char *path = g_strdup_printf(DIR "policy%u/" EPP, number);
  g_autofree char *text = scratch_read_line(fixture->dir, path);

  g_assert_cmpstr(text, ==, epp);
}

static void
write_journal(Fixture *fixture, const char *entries)
{
  g_autofree char *text = g_strconcat("[Journal]\nBootId=boot-1\n", entries, NULL);

  scratch_write(fixture->dir, RUN "/restore.ini", text);
}

static void
assert_restore(Fixture *fixture, guint restored, guint left_alone, guint pending)
{
  EppdRestoreResult result = eppd_restore(fixture->root, fixture->run);

  g_assert_cmpuint(result.restored, ==, restored);
  g_assert_cmpuint(result.left_alone, ==, left_alone);
  g_assert_cmpuint(result.pending, ==, pending);
}

static bool
has_journal(Fixture *fixture)
{
  g_autofree char *path = scratch_path(fixture->dir, RUN "/restore.ini");

  return g_file_test(path, G_FILE_TEST_EXISTS);
}

/* ---- One policy ---- */

typedef enum { RESTORED, LEFT_ALONE, PENDING, DROPPED } Outcome;

typedef struct {
  const char *name;
  const char *entry; /* of policy0 */
  const char *found; /* in its EPP file */
  Outcome outcome;
  const char *left; /* in it, after */
} Case;

#define D "Driver=amd-pstate-epp\n"

static const Case cases[] = {
    {"boosted", D "Base=balance_performance\nBoost=performance\nBoosted=1\n", "performance\n",
     RESTORED, "balance_performance"},
    {"shorter-base", D "Base=power\nBoost=performance\nBoosted=1\n", "performance\n", RESTORED,
     "power"},
    {"number", D "Base=128\nBoost=32\nBoosted=1\n", "32\n", RESTORED, "128"},
    {"number-that-reads-as-a-name", D "Base=power\nBoost=0\nBoostReadback=performance\nBoosted=1\n",
     "performance\n", RESTORED, "power"},
    {"name-that-reads-as-a-number",
     D "Base=power\nBoost=performance\nBoostReadback=16\nBoosted=1\n", "16\n", RESTORED, "power"},
    {"number-that-reads-as-a-name-unlearned", D "Base=power\nBoost=0\nBoosted=1\n", "performance\n",
     RESTORED, "power"},
    {"unlearned-another-number", D "Base=power\nBoost=7\nBoosted=1\n", "9\n", LEFT_ALONE, "9"},
    {"unlearned-and-its-base", D "Base=performance\nBoost=7\nBoosted=1\n", "performance\n",
     LEFT_ALONE, "performance"},
    {"not-boosted", D "Base=power\nBoost=performance\nBoosted=0\n", "performance\n", DROPPED,
     "performance"},
    {"another-hand", D "Base=power\nBoost=performance\nBoosted=1\n", "balance_power\n", LEFT_ALONE,
     "balance_power"},
    {"base-already", D "Base=power\nBoost=performance\nBoosted=1\n", "power\n", LEFT_ALONE,
     "power"},
    {"unknown-text", D "Base=power\nBoost=performance\nBoosted=1\n", "turbo\n", LEFT_ALONE,
     "turbo"},
    {"kernel-dynamic", D "Base=power\nBoost=performance\nBoosted=1\n",
     "dynamic(profile:balanced)\n", LEFT_ALONE, "dynamic(profile:balanced)"},
    {"taken-over", D "Base=power\nBoost=performance\nTakenOver=1\nBoosted=0\n", "power\n", RESTORED,
     "dynamic"},
    {"taken-over-and-boosted", D "Base=power\nBoost=performance\nTakenOver=1\nBoosted=1\n",
     "performance\n", RESTORED, "dynamic"},
    {"taken-over-not-boosted", D "Base=power\nBoost=performance\nTakenOver=1\nBoosted=0\n",
     "performance\n", LEFT_ALONE, "performance"},
    {"taken-over-then-another-hand", D "Base=power\nBoost=performance\nTakenOver=1\nBoosted=1\n",
     "balance_power\n", LEFT_ALONE, "balance_power"},
    {"taken-over-dynamic-already", D "Base=power\nBoost=performance\nTakenOver=1\nBoosted=1\n",
     "dynamic(profile:power)\n", LEFT_ALONE, "dynamic(profile:power)"},
    {"taken-over-garbage", D "Base=power\nBoost=performance\nTakenOver=yes\nBoosted=1\n",
     "performance\n", DROPPED, "performance"},
    {"empty-file", D "Base=power\nBoost=performance\nBoosted=1\n", "", PENDING, ""},
    {"other-driver", "Driver=intel_pstate\nBase=power\nBoost=performance\nBoosted=1\n",
     "performance\n", DROPPED, "performance"},
    {"no-driver-in-the-journal", "Base=power\nBoost=performance\nBoosted=1\n", "performance\n",
     RESTORED, "power"},
    {"garbage-base", D "Base=; reboot\nBoost=performance\nBoosted=1\n", "performance\n", DROPPED,
     "performance"},
    {"unwritable-base", D "Base=custom\nBoost=performance\nBoosted=1\n", "performance\n", DROPPED,
     "performance"},
};

static void
test_policy(Fixture *fixture, gconstpointer data)
{
  const Case *c = data;
  g_autofree char *entries = g_strconcat("[policy0]\n", c->entry, NULL);

  make_policy(fixture, 0, c->found);
  write_journal(fixture, entries);
  assert_restore(fixture, c->outcome == RESTORED, c->outcome == LEFT_ALONE, c->outcome == PENDING);
  assert_epp(fixture, 0, c->left);
  g_assert_cmpint(has_journal(fixture), ==, c->outcome == PENDING);
}

/* A raw number without a name: EINVAL on older kernels. NUL bytes are INVALID likewise. */
static void
test_unreadable_number_is_ours(Fixture *fixture, gconstpointer data)
{
  make_policy(fixture, 0, "");
  scratch_write_bytes(fixture->dir, DIR "policy0/" EPP, "\0\n", 2);
  make_policy(fixture, 1, "");
  scratch_write_bytes(fixture->dir, DIR "policy1/" EPP, "\0\n", 2);
  write_journal(fixture, "[policy0]\n" D "Base=power\nBoost=17\nBoosted=1\n"
                         "[policy1]\n" D "Base=power\nBoost=performance\nBoosted=1\n");
  assert_restore(fixture, 1, 0, 1);
  assert_epp(fixture, 0, "power");
}

static void
test_others_go_on(Fixture *fixture, gconstpointer data)
{
  make_policy(fixture, 0, "performance\n");
  make_policy(fixture, 2, "performance\n");
  write_journal(fixture, "junk\n[policyX]\nBoosted=1\n"
                         "[policy0]\n" D "Base=power\nBoost=performance\nBoosted=1\n"
                         "[policy1]\n" D "Base=power\nBoost=performance\nBoosted=1\n"
                         "[\xff]\nBoosted=1\n"
                         "[policy2]\n" D "Base=balance_power\nBoost=performance\nBoosted=1\n");
  assert_restore(fixture, 2, 0, 1);
  assert_epp(fixture, 0, "power");
  assert_epp(fixture, 2, "balance_power");
}

static void
test_offline_stays_and_is_tried_again(Fixture *fixture, gconstpointer data)
{
  make_policy(fixture, 0, "performance\n");
  write_policy(fixture, 0, "affected_cpus", "\n");
  write_journal(fixture, "[policy0]\n" D
                         "Base=balance_power\nBoost=0\nBoostReadback=performance\nBoosted=1\n");
  assert_restore(fixture, 0, 0, 1);
  assert_epp(fixture, 0, "performance");

  assert_restore(fixture, 0, 0, 1);
  write_policy(fixture, 0, "affected_cpus", "0\n");
  assert_restore(fixture, 1, 0, 0);
  assert_epp(fixture, 0, "balance_power");
  g_assert_false(has_journal(fixture));
}

/* Stands for EBUSY, which plain files do not have. */
static void
test_refused_write_stays(Fixture *fixture, gconstpointer data)
{
  make_policy(fixture, 0, "performance\n");
  write_journal(fixture, "[policy0]\n" D "Base=power\nBoost=performance\nBoosted=1\n");
  scratch_chmod(fixture->dir, DIR "policy0/" EPP, 0444);
  scratch_chmod(fixture->dir, RUN, 0777);
  scratch_be_nobody(true);
  assert_restore(fixture, 0, 0, 1);
  scratch_be_nobody(false);
  g_assert_true(has_journal(fixture));
  scratch_chmod(fixture->dir, DIR "policy0/" EPP, 0644);
  assert_restore(fixture, 1, 0, 0);
  assert_epp(fixture, 0, "power");
}

static void
test_other_boot(Fixture *fixture, gconstpointer data)
{
  make_policy(fixture, 0, "performance\n");
  write_journal(fixture, "[policy0]\n" D "Base=power\nBoost=performance\nBoosted=1\n");
  scratch_write(fixture->dir, "proc/sys/kernel/random/boot_id", "boot-2\n");
  assert_restore(fixture, 0, 0, 0);
  assert_epp(fixture, 0, "performance");
  g_assert_false(has_journal(fixture));
}

static void
test_no_journal(Fixture *fixture, gconstpointer data)
{
  assert_restore(fixture, 0, 0, 0);
  scratch_remove(fixture->dir, RUN);
  assert_restore(fixture, 0, 0, 0);
}

/* The machine matters more than the journal. */
static void
test_unwritable_runtime_directory(Fixture *fixture, gconstpointer data)
{
  make_policy(fixture, 0, "performance\n");
  write_journal(fixture, "[policy0]\n" D "Base=power\nBoost=performance\nBoosted=1\n");
  scratch_chmod(fixture->dir, DIR "policy0/" EPP, 0666);
  scratch_chmod(fixture->dir, RUN, 0555);
  scratch_be_nobody(true);
  assert_restore(fixture, 1, 0, 0);
  scratch_be_nobody(false);
  assert_epp(fixture, 0, "power");
}

/* ---- Files ---- */

static void
assert_file(Fixture *fixture, const char *file, const char *text)
{
  g_autofree char *line = scratch_read_line(fixture->dir, file);

  g_assert_cmpstr(line, ==, text);
}

static void
test_files(Fixture *fixture, gconstpointer data)
{
  scratch_write(fixture->dir, BOOST_FILE, "N\n");
  scratch_write(fixture->dir, EPP_FILE, "enabled\n");
  write_journal(fixture, "[File " BOOST_FILE "]\nFound=Y\nOurs=N\n"
                         "[File " EPP_FILE "]\nFound=enabled\nOurs=disabled\n");
  assert_restore(fixture, 1, 1, 0);
  assert_file(fixture, BOOST_FILE, "Y");
  assert_file(fixture, EPP_FILE, "enabled");
  g_assert_false(has_journal(fixture));
}

static void
test_missing_file_stays(Fixture *fixture, gconstpointer data)
{
  write_journal(fixture, "[File " BOOST_FILE "]\nFound=Y\nOurs=N\n");
  assert_restore(fixture, 0, 0, 1);
  scratch_write(fixture->dir, BOOST_FILE, "N\n");
  assert_restore(fixture, 1, 0, 0);
  assert_file(fixture, BOOST_FILE, "Y");
}

static void
test_no_other_file_is_written(Fixture *fixture, gconstpointer data)
{
  scratch_write(fixture->dir, "etc/shadow", "N\n");
  scratch_write(fixture->dir, BOOST_FILE, "N\n");
  write_journal(fixture, "[File /etc/shadow]\nFound=Y\nOurs=N\n"
                         "[File /sys/../etc/shadow]\nFound=Y\nOurs=N\n"
                         "[File " BOOST_FILE "]\nFound=7\nOurs=N\n");
  assert_restore(fixture, 0, 0, 0);
  assert_file(fixture, "etc/shadow", "N");
  assert_file(fixture, BOOST_FILE, "N");
}

static void
test_what_was_restored_is_told(Fixture *fixture, gconstpointer data)
{
  make_policy(fixture, 0, "performance\n");
  make_policy(fixture, 1, "power\n");
  scratch_write(fixture->dir, BOOST_FILE, "N\n");
  write_journal(fixture, "[policy0]\n" D "Base=balance_power\nBoost=performance\nBoosted=1\n"
                         "[policy1]\n" D "Base=balance_power\nBoost=performance\nBoosted=1\n"
                         "[File " BOOST_FILE "]\nFound=Y\nOurs=N\n");
  assert_restore(fixture, 2, 1, 0);
  g_assert_nonnull(strstr(notices->str, "policy0: its EPP is balance_power again\n"));
  g_assert_nonnull(strstr(notices->str, BOOST_FILE " is Y again\n"));
  g_assert_null(strstr(notices->str, "policy1"));
}

/* Keeps the notices; nothing is printed. */
static GLogWriterOutput
keep_notices(GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  for (gsize i = 0; i < n_fields && level == G_LOG_LEVEL_MESSAGE; i++) {
    if (g_str_equal(fields[i].key, "MESSAGE"))
      g_string_append_printf(notices, "%s\n", (const char *)fields[i].value);
  }
  return G_LOG_WRITER_HANDLED;
}

static void
add(const char *path, gconstpointer data, void (*func)(Fixture *, gconstpointer))
{
  g_autofree char *full = g_strconcat("/restore/", path, NULL);

  g_test_add(full, Fixture, data, set_up, func, tear_down);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_log_set_writer_func(keep_notices, NULL, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("policy/", cases[i].name, NULL);

    add(path, &cases[i], test_policy);
  }
  add("unreadable-number-is-ours", NULL, test_unreadable_number_is_ours);
  add("others-go-on", NULL, test_others_go_on);
  add("offline-stays-and-is-tried-again", NULL, test_offline_stays_and_is_tried_again);
  add("refused-write-stays", NULL, test_refused_write_stays);
  add("other-boot", NULL, test_other_boot);
  add("no-journal", NULL, test_no_journal);
  add("unwritable-runtime-directory", NULL, test_unwritable_runtime_directory);
  add("files", NULL, test_files);
  add("missing-file-stays", NULL, test_missing_file_stays);
  add("what-was-restored-is-told", NULL, test_what_was_restored_is_told);
  add("no-other-file-is-written", NULL, test_no_other_file_is_written);
  return g_test_run();
}
