/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "hardware/cpufreq-policy.h"
#include "scratch.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define DIR     "sys/devices/system/cpu/cpufreq/"
#define EPP     "energy_performance_preference"
#define CHOICES "energy_performance_available_preferences"

typedef struct {
  Scratch *dir;
  EppdSysRoot *root;
} Tree;

static void
write_policy(Tree *tree, guint number, const char *file, const char *text)
{
  g_autofree char *path = g_strdup_printf(DIR "policy%u/%s", number, file);

  scratch_write(tree->dir, path, text);
}

static void
assert_policy_file(Tree *tree, guint number, const char *file, const char *text)
{
  g_autofree char *path = g_strdup_printf(DIR "policy%u/%s", number, file);
  g_autofree char *line = scratch_read_line(tree->dir, path);

  g_assert_cmpstr(line, ==, text);
}

static void
make_policy(Tree *tree, guint number)
{
  g_autofree char *cpu = g_strdup_printf("%u\n", number);

  write_policy(tree, number, "affected_cpus", cpu);
  write_policy(tree, number, "related_cpus", cpu);
  write_policy(tree, number, "scaling_driver", "amd-pstate-epp\n");
  write_policy(tree, number, "scaling_governor", "powersave\n");
  write_policy(tree, number, EPP, "balance_performance\n");
  write_policy(tree, number, CHOICES,
               "default performance balance_performance balance_power power \n");
  write_policy(tree, number, "boost", "1\n");
  write_policy(tree, number, "cpuinfo_min_freq", "400000\n");
  write_policy(tree, number, "amd_pstate_lowest_nonlinear_freq", "1700000\n");
  write_policy(tree, number, "scaling_min_freq", "400000\n");
}

static void
tree_set_up(Tree *tree, gconstpointer data)
{
  tree->dir = scratch_new();
  tree->root = eppd_sys_root_new(tree->dir);
}

static void
tree_tear_down(Tree *tree, gconstpointer data)
{
  eppd_sys_root_unref(tree->root);
  scratch_free(tree->dir);
}

static void
assert_cpus(const EppdCpufreqPolicy *policy, const char *cpus)
{
  g_autofree char *formatted = eppd_cpu_list_format(eppd_cpufreq_policy_cpus(policy));

  g_assert_cmpstr(formatted, ==, cpus);
}

static void
assert_epp(EppdCpufreqPolicy *policy, EppdEppKind kind)
{
  g_autoptr(GError) error = NULL;
  EppdEpp epp = eppd_cpufreq_policy_read_epp(policy, &error);

  g_assert_no_error(error);
  g_assert_cmpint((int)epp.kind, ==, (int)kind);
}

static void
assert_epp_error(EppdCpufreqPolicy *policy, EppdError code)
{
  g_autoptr(GError) error = NULL;
  EppdEpp epp = eppd_cpufreq_policy_read_epp(policy, &error);

  g_assert_error(error, EPPD_ERROR, (int)code);
  g_assert_nonnull(strstr(error->message, EPP));
  g_assert_cmpint((int)epp.kind, ==, EPPD_EPP_UNKNOWN);
}

static gboolean
write_named(EppdCpufreqPolicy *policy, EppdEppKind kind, GError **error)
{
  EppdEpp epp = eppd_epp_named(kind);

  return eppd_cpufreq_policy_write_epp(policy, &epp, error);
}

/* ---- Names and scan ---- */

static void
test_names(void)
{
  const struct {
    const char *name;
    int number; /* -1: no policy */
  } cases[] = {
      {"policy0", 0},
      {"policy7", 7},
      {"policy8191", 8191},
      {"policy8192", -1},
      {"policy", -1},
      {"policy00", -1},
      {"policy07", -1},
      {"policy+7", -1},
      {"policy-1", -1},
      {"policy7x", -1},
      {"policy 7", -1},
      {"policyX", -1},
      {"xpolicy7", -1},
      {"Policy7", -1},
      {"", -1},
      {"policy7/../policy8", -1},
      {"policy0x10", -1},
      {"policy99999999999999999999", -1},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    guint number = 4242;
    bool ok = eppd_cpufreq_policy_parse_name(cases[i].name, &number);

    g_assert_cmpint(ok, ==, cases[i].number >= 0);
    g_assert_cmpuint(number, ==, ok ? (guint)cases[i].number : 4242);
  }
}

static void
test_scan_is_sorted_and_skips_odd_names(Tree *tree, gconstpointer data)
{
  const guint numbers[] = {10, 2, 0, 9, 1};
  const char *const odd[] = {"policyX", "policy007", "policy99999999999", "boost", "policy"};
  g_autoptr(GPtrArray) policies = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++)
    make_policy(tree, numbers[i]);
  for (gsize i = 0; i < G_N_ELEMENTS(odd); i++) {
    g_autofree char *path = g_strconcat(DIR, odd[i], "/" EPP, NULL);

    scratch_write(tree->dir, path, "power\n");
  }
  scratch_write(tree->dir, DIR "policy5", "a file\n");
  scratch_symlink(tree->dir, "policy6", DIR "policy6");

  policies = eppd_cpufreq_policies_scan(tree->root, NULL);
  g_assert_cmpuint(policies->len, ==, 5);
  g_assert_cmpstr(eppd_cpufreq_policy_name(policies->pdata[0]), ==, "policy0");
  g_assert_cmpstr(eppd_cpufreq_policy_name(policies->pdata[3]), ==, "policy9");
  g_assert_cmpuint(eppd_cpufreq_policy_number(policies->pdata[4]), ==, 10);
}

static void
test_no_cpufreq_is_no_policies(Tree *tree, gconstpointer data)
{
  g_autoptr(GPtrArray) missing = eppd_cpufreq_policies_scan(tree->root, NULL);
  g_autoptr(GPtrArray) file = NULL;

  g_assert_cmpuint(missing->len, ==, 0);
  scratch_write(tree->dir, "sys/devices/system/cpu/cpufreq", "a file\n");
  file = eppd_cpufreq_policies_scan(tree->root, NULL);
  g_assert_cmpuint(file->len, ==, 0);
}

/* How many descriptors this process may open more. */
static void
limit_descriptors(struct rlimit *before, rlim_t n_free)
{
  struct rlimit scarce;
  int next = dup(STDIN_FILENO);

  g_assert_cmpint(next, >=, 0);
  close(next);
  g_assert_cmpint(getrlimit(RLIMIT_NOFILE, before), ==, 0);
  scarce = (struct rlimit){(rlim_t)next + n_free, before->rlim_max};
  g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &scarce), ==, 0);
}

static void
test_too_few_descriptors_are_no_empty_machine(Tree *tree, gconstpointer data)
{
  for (guint number = 0; number < 4; number++)
    make_policy(tree, number);

  for (rlim_t n_free = 0; n_free < 4; n_free++) {
    g_autoptr(GPtrArray) policies = NULL;
    g_autoptr(GError) error = NULL;
    struct rlimit before;

    g_test_message("%u descriptors", (guint)n_free);
    limit_descriptors(&before, n_free);
    policies = eppd_cpufreq_policies_scan(tree->root, &error);
    g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &before), ==, 0);
    g_assert_null(policies);
    g_assert_error(error, EPPD_ERROR, EPPD_ERROR_LIMIT);
  }
}

/* ---- Facts ---- */

static void
test_facts(Tree *tree, gconstpointer data)
{
  g_autoptr(EppdCpufreqPolicy) policy = NULL;
  const EppdEppChoices *choices;

  make_policy(tree, 3);
  policy = eppd_cpufreq_policy_new(tree->root, 3);
  assert_cpus(policy, "3");
  g_assert_true(eppd_cpufreq_policy_is_online(policy));
  g_assert_cmpstr(eppd_cpufreq_policy_driver(policy), ==, "amd-pstate-epp");
  g_assert_cmpstr(eppd_cpufreq_policy_governor(policy), ==, "powersave");
  g_assert_false(eppd_cpufreq_policy_governor_is_performance(policy));
  g_assert_true(eppd_cpufreq_policy_has_epp(policy));
  g_assert_true(
      g_str_has_suffix(eppd_cpufreq_policy_governor_path(policy), "/policy3/scaling_governor"));
  choices = eppd_cpufreq_policy_choices(policy);
  g_assert_true(choices->kinds & (1U << EPPD_EPP_BALANCE_POWER));
  g_assert_false(choices->accepts_raw);
}

static void
test_raw_numbers_by_list_or_driver(Tree *tree, gconstpointer data)
{
  g_autoptr(EppdCpufreqPolicy) amd = NULL;
  g_autoptr(EppdCpufreqPolicy) intel = NULL;

  make_policy(tree, 0);
  write_policy(tree, 0, CHOICES, "performance power custom\n");
  make_policy(tree, 1);
  write_policy(tree, 1, "scaling_driver", "intel_pstate\n");
  amd = eppd_cpufreq_policy_new(tree->root, 0);
  intel = eppd_cpufreq_policy_new(tree->root, 1);
  g_assert_true(eppd_cpufreq_policy_choices(amd)->accepts_raw);
  g_assert_true(eppd_cpufreq_policy_choices(intel)->accepts_raw);
}

typedef struct {
  const char *name;
  const char *affected; /* NULL: no file */
  const char *related;
  const char *cpus; /* of policy4 */
  bool online;
} CpusCase;

static const CpusCase cpus_cases[] = {
    {"several", "4 5 6 7\n", "4 5 6 7\n", "4-7", true},
    {"some-offline", "4 6\n", "4 5 6 7\n", "4,6", true},
    {"all-offline", "\n", "4 5 6 7\n", "4-7", false},
    {"offline-and-unreadable", NULL, NULL, "4", false},
    {"empty-files", "", "", "4", false},
    {"garbage", "\x01\x02\xff", "4 5\n", "4-5", false},
    {"huge-numbers", "4 99999999\n", "4-99999999\n", "4", false},
    {"list", "4-7\n", "4-7\n", "4-7", true},
};

static void
test_cpus(Tree *tree, gconstpointer data)
{
  const CpusCase *c = data;
  g_autoptr(EppdCpufreqPolicy) policy = NULL;

  scratch_mkdir(tree->dir, DIR "policy4");
  if (c->affected)
    write_policy(tree, 4, "affected_cpus", c->affected);
  if (c->related)
    write_policy(tree, 4, "related_cpus", c->related);
  policy = eppd_cpufreq_policy_new(tree->root, 4);
  assert_cpus(policy, c->cpus);
  g_assert_cmpint(eppd_cpufreq_policy_is_online(policy), ==, c->online);
}

static void
test_refresh_follows_changes(Tree *tree, gconstpointer data)
{
  g_autoptr(EppdCpufreqPolicy) policy = NULL;

  make_policy(tree, 0);
  policy = eppd_cpufreq_policy_new(tree->root, 0);
  write_policy(tree, 0, "affected_cpus", "\n");
  write_policy(tree, 0, "related_cpus", "0 1\n");
  write_policy(tree, 0, "scaling_driver", "acpi-cpufreq\n");
  write_policy(tree, 0, "scaling_governor", "performance\n");
  scratch_remove(tree->dir, DIR "policy0/" EPP);
  scratch_remove(tree->dir, DIR "policy0/" CHOICES);

  eppd_cpufreq_policy_refresh_governor(policy);
  g_assert_true(eppd_cpufreq_policy_governor_is_performance(policy));
  g_assert_cmpstr(eppd_cpufreq_policy_driver(policy), ==, "amd-pstate-epp");

  eppd_cpufreq_policy_refresh(policy);
  assert_cpus(policy, "0-1");
  g_assert_false(eppd_cpufreq_policy_is_online(policy));
  g_assert_cmpstr(eppd_cpufreq_policy_driver(policy), ==, "acpi-cpufreq");
  g_assert_false(eppd_cpufreq_policy_has_epp(policy));
  g_assert_cmpuint(eppd_cpufreq_policy_choices(policy)->kinds, ==, 0);
  assert_epp_error(policy, EPPD_ERROR_GONE);
}

static void
test_choices_are_read_again_when_performance_leaves(Tree *tree, gconstpointer data)
{
  g_autoptr(EppdCpufreqPolicy) policy = NULL;
  const EppdEppChoices *choices;

  make_policy(tree, 0);
  write_policy(tree, 0, "scaling_governor", "performance\n");
  write_policy(tree, 0, CHOICES, "performance\n");
  policy = eppd_cpufreq_policy_new(tree->root, 0);
  choices = eppd_cpufreq_policy_choices(policy);
  g_assert_cmpuint(choices->kinds, ==, 1U << EPPD_EPP_PERFORMANCE);

  write_policy(tree, 0, CHOICES, "performance power \n");
  eppd_cpufreq_policy_refresh_governor(policy);
  g_assert_cmpuint(choices->kinds, ==, 1U << EPPD_EPP_PERFORMANCE);
  write_policy(tree, 0, "scaling_governor", "powersave\n");
  eppd_cpufreq_policy_refresh_governor(policy);
  g_assert_true(choices->kinds & (1U << EPPD_EPP_POWER));
}

/* As a rescan does. */
static bool
take_a_look(Tree *tree, EppdCpufreqPolicy *policy)
{
  return eppd_cpufreq_policy_take(policy, eppd_cpufreq_policy_new(tree->root, 0));
}

static void
test_a_policy_made_anew_is_told(Tree *tree, gconstpointer data)
{
  g_autoptr(EppdCpufreqPolicy) policy = NULL;
  g_autofree char *path = scratch_path(tree->dir, DIR "policy0");
  g_autofree char *old_path = scratch_path(tree->dir, DIR "old");

  make_policy(tree, 0);
  policy = eppd_cpufreq_policy_new(tree->root, 0);
  g_assert_false(eppd_cpufreq_policy_is_remade(policy));
  g_assert_false(take_a_look(tree, policy));

  /* Kept aside, so that no file system gives its inode away again. */
  g_assert_cmpint(rename(path, old_path), ==, 0);
  g_assert_false(eppd_cpufreq_policy_is_remade(policy));
  g_assert_false(take_a_look(tree, policy));
  make_policy(tree, 0);
  g_assert_true(eppd_cpufreq_policy_is_remade(policy));
  g_assert_true(take_a_look(tree, policy));
  g_assert_false(eppd_cpufreq_policy_is_remade(policy));
}

static void
test_taking_a_fresh_look_is_the_same_as_reading_again(Tree *tree, gconstpointer data)
{
  g_autoptr(EppdCpufreqPolicy) policy = NULL;
  g_autoptr(GError) error = NULL;
  EppdEpp power = eppd_epp_named(EPPD_EPP_POWER);

  make_policy(tree, 0);
  policy = eppd_cpufreq_policy_new(tree->root, 0);
  write_policy(tree, 0, "affected_cpus", "0 1\n");
  write_policy(tree, 0, "scaling_governor", "performance\n");
  g_assert_false(take_a_look(tree, policy));
  assert_cpus(policy, "0-1");
  g_assert_true(eppd_cpufreq_policy_governor_is_performance(policy));
  g_assert_true(eppd_cpufreq_policy_write_epp(policy, &power, &error));
  g_assert_no_error(error);

  scratch_remove(tree->dir, DIR "policy0");
  g_assert_false(take_a_look(tree, policy));
  g_assert_false(eppd_cpufreq_policy_is_online(policy));
  g_assert_null(eppd_cpufreq_policy_driver(policy));
}

static void
test_vanished_policy(Tree *tree, gconstpointer data)
{
  g_autoptr(EppdCpufreqPolicy) policy = NULL;
  g_autoptr(GError) error = NULL;

  make_policy(tree, 0);
  policy = eppd_cpufreq_policy_new(tree->root, 0);
  scratch_remove(tree->dir, DIR "policy0");
  eppd_cpufreq_policy_refresh(policy);
  g_assert_null(eppd_cpufreq_policy_driver(policy));
  g_assert_null(eppd_cpufreq_policy_governor(policy));
  g_assert_false(eppd_cpufreq_policy_governor_is_performance(policy));
  g_assert_false(eppd_cpufreq_policy_is_online(policy));
  assert_cpus(policy, "0");
  assert_epp_error(policy, EPPD_ERROR_GONE);
  g_assert_false(write_named(policy, EPPD_EPP_POWER, &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_GONE);

  /* It comes back, and needs no refresh for its EPP. */
  make_policy(tree, 0);
  assert_epp(policy, EPPD_EPP_BALANCE_PERFORMANCE);
  g_assert_true(eppd_cpufreq_policy_has_epp(policy));
}

/* ---- EPP ---- */

static void
test_epp_round_trip(Tree *tree, gconstpointer data)
{
  g_autoptr(EppdCpufreqPolicy) policy = NULL;
  g_autoptr(GError) error = NULL;
  EppdEpp raw = eppd_epp_raw(32);

  make_policy(tree, 0);
  policy = eppd_cpufreq_policy_new(tree->root, 0);
  assert_epp(policy, EPPD_EPP_BALANCE_PERFORMANCE);
  g_assert_true(write_named(policy, EPPD_EPP_POWER, &error));
  assert_policy_file(tree, 0, EPP, "power");
  assert_epp(policy, EPPD_EPP_POWER);
  g_assert_true(write_named(policy, EPPD_EPP_BALANCE_PERFORMANCE, &error));
  assert_epp(policy, EPPD_EPP_BALANCE_PERFORMANCE);
  g_assert_true(eppd_cpufreq_policy_write_epp(policy, &raw, &error));
  assert_policy_file(tree, 0, EPP, "32");
  g_assert_no_error(error);
  /* Another program's value is seen without a refresh. */
  write_policy(tree, 0, EPP, "performance\n");
  assert_epp(policy, EPPD_EPP_PERFORMANCE);
}

static void
test_unwritable_values_are_refused(Tree *tree, gconstpointer data)
{
  const EppdEppKind kinds[] = {EPPD_EPP_UNKNOWN, EPPD_EPP_CUSTOM, EPPD_EPP_OTHER};
  g_autoptr(EppdCpufreqPolicy) policy = NULL;

  make_policy(tree, 0);
  policy = eppd_cpufreq_policy_new(tree->root, 0);
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    g_autoptr(GError) error = NULL;

    g_assert_false(write_named(policy, kinds[i], &error));
    g_assert_error(error, EPPD_ERROR, EPPD_ERROR_INVALID);
  }
  assert_policy_file(tree, 0, EPP, "balance_performance");
}

static void
test_odd_epp_files(Tree *tree, gconstpointer data)
{
  g_autoptr(EppdCpufreqPolicy) policy = NULL;
  g_autofree char *huge = g_strnfill(1024 * 1024, 'x');

  make_policy(tree, 0);
  policy = eppd_cpufreq_policy_new(tree->root, 0);
  write_policy(tree, 0, EPP, "");
  assert_epp_error(policy, EPPD_ERROR_EMPTY);
  write_policy(tree, 0, EPP, huge);
  assert_epp_error(policy, EPPD_ERROR_LIMIT);
  scratch_write_bytes(tree->dir, DIR "policy0/" EPP, "po\0wer\n", 7);
  assert_epp_error(policy, EPPD_ERROR_INVALID);
  write_policy(tree, 0, EPP, "turbo\n");
  assert_epp(policy, EPPD_EPP_OTHER);
  write_policy(tree, 0, EPP, "dynamic(profile:balance_performance)\n");
  assert_epp(policy, EPPD_EPP_DYNAMIC);
  write_policy(tree, 0, EPP, "power\n");
  assert_epp(policy, EPPD_EPP_POWER);
}

static void
test_epp_of_a_link_loop(Tree *tree, gconstpointer data)
{
  g_autoptr(EppdCpufreqPolicy) policy = NULL;

  make_policy(tree, 0);
  scratch_remove(tree->dir, DIR "policy0/" EPP);
  scratch_symlink(tree->dir, EPP, DIR "policy0/" EPP);
  policy = eppd_cpufreq_policy_new(tree->root, 0);
  assert_epp_error(policy, EPPD_ERROR_FAILED);
}

static void
test_denied(Tree *tree, gconstpointer data)
{
  g_autoptr(EppdCpufreqPolicy) policy = NULL;
  g_autoptr(GError) error = NULL;

  make_policy(tree, 0);
  scratch_chmod(tree->dir, DIR "policy0/" EPP, 0444);
  scratch_chmod(tree->dir, DIR "policy0/scaling_governor", 0000);
  scratch_be_nobody(true);
  policy = eppd_cpufreq_policy_new(tree->root, 0);
  assert_epp(policy, EPPD_EPP_BALANCE_PERFORMANCE);
  g_assert_false(write_named(policy, EPPD_EPP_POWER, &error));
  g_assert_null(eppd_cpufreq_policy_governor(policy));
  scratch_be_nobody(false);
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_DENIED);
  g_assert_true(eppd_cpufreq_policy_has_epp(policy));
  assert_policy_file(tree, 0, EPP, "balance_performance");
}

/* ---- The rest of a profile ---- */

static void
test_governor(Tree *tree, gconstpointer data)
{
  g_autoptr(EppdCpufreqPolicy) policy = NULL;
  g_autoptr(GError) error = NULL;

  make_policy(tree, 0);
  policy = eppd_cpufreq_policy_new(tree->root, 0);
  g_assert_true(eppd_cpufreq_policy_write_governor(policy, "performance", &error));
  assert_policy_file(tree, 0, "scaling_governor", "performance");
  g_assert_true(eppd_cpufreq_policy_governor_is_performance(policy));
  g_assert_true(eppd_cpufreq_policy_write_governor(policy, "powersave", &error));
  g_assert_false(eppd_cpufreq_policy_governor_is_performance(policy));
  g_assert_no_error(error);

  scratch_remove(tree->dir, DIR "policy0/scaling_governor");
  eppd_cpufreq_policy_refresh(policy);
  g_assert_false(eppd_cpufreq_policy_write_governor(policy, "performance", &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_GONE);
}

/* A value that is there already is not written: the file may be read-only by then. */
static void
test_equal_values_are_not_written(Tree *tree, gconstpointer data)
{
  const char *const files[] = {"scaling_governor", "boost", "scaling_min_freq"};
  g_autoptr(EppdCpufreqPolicy) policy = NULL;
  g_autoptr(GError) error = NULL;

  make_policy(tree, 0);
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = g_strconcat(DIR "policy0/", files[i], NULL);

    scratch_chmod(tree->dir, path, 0444);
  }
  scratch_be_nobody(true);
  policy = eppd_cpufreq_policy_new(tree->root, 0);
  g_assert_true(eppd_cpufreq_policy_write_governor(policy, "powersave", &error));
  g_assert_true(eppd_cpufreq_policy_write_core_boost(policy, 1, &error));
  g_assert_true(eppd_cpufreq_policy_write_min_freq_from(policy, "cpuinfo_min_freq", &error));
  g_assert_no_error(error);
  g_assert_false(eppd_cpufreq_policy_write_core_boost(policy, 0, &error));
  scratch_be_nobody(false);
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_DENIED);
}

static void
test_core_boost(Tree *tree, gconstpointer data)
{
  g_autoptr(EppdCpufreqPolicy) policy = NULL;
  g_autoptr(GError) error = NULL;

  make_policy(tree, 0);
  policy = eppd_cpufreq_policy_new(tree->root, 0);
  g_assert_true(eppd_cpufreq_policy_write_core_boost(policy, 0, &error));
  assert_policy_file(tree, 0, "boost", "0");
  g_assert_true(eppd_cpufreq_policy_write_core_boost(policy, 1, &error));
  assert_policy_file(tree, 0, "boost", "1");
  g_assert_no_error(error);
  scratch_remove(tree->dir, DIR "policy0/boost");
  eppd_cpufreq_policy_refresh(policy);
  g_assert_false(eppd_cpufreq_policy_write_core_boost(policy, 1, &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_GONE);
}

static void
test_min_freq(Tree *tree, gconstpointer data)
{
  const char *const odd[] = {"", "<unknown>", "0", "-1", "99999999999999999999"};
  g_autoptr(EppdCpufreqPolicy) policy = NULL;
  g_autoptr(GError) missing = NULL;

  make_policy(tree, 0);
  policy = eppd_cpufreq_policy_new(tree->root, 0);
  g_assert_true(
      eppd_cpufreq_policy_write_min_freq_from(policy, "amd_pstate_lowest_nonlinear_freq", NULL));
  assert_policy_file(tree, 0, "scaling_min_freq", "1700000");
  g_assert_true(eppd_cpufreq_policy_write_min_freq_from(policy, "cpuinfo_min_freq", NULL));
  assert_policy_file(tree, 0, "scaling_min_freq", "400000");

  for (gsize i = 0; i < G_N_ELEMENTS(odd); i++) {
    write_policy(tree, 0, "cpuinfo_min_freq", odd[i]);
    eppd_cpufreq_policy_refresh(policy);
    g_assert_false(eppd_cpufreq_policy_write_min_freq_from(policy, "cpuinfo_min_freq", NULL));
    assert_policy_file(tree, 0, "scaling_min_freq", "400000");
  }
  g_assert_false(eppd_cpufreq_policy_write_min_freq_from(policy, "no_such_freq", &missing));
  g_assert_error(missing, EPPD_ERROR, EPPD_ERROR_GONE);
}

static void
add(const char *path, gconstpointer data, void (*func)(Tree *, gconstpointer))
{
  g_autofree char *full = g_strconcat("/cpufreq-policy/", path, NULL);

  g_test_add(full, Tree, data, tree_set_up, func, tree_tear_down);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/cpufreq-policy/names", test_names);
  add("scan-is-sorted-and-skips-odd-names", NULL, test_scan_is_sorted_and_skips_odd_names);
  add("no-cpufreq-is-no-policies", NULL, test_no_cpufreq_is_no_policies);
  add("too-few-descriptors-are-no-empty-machine", NULL,
      test_too_few_descriptors_are_no_empty_machine);
  add("facts", NULL, test_facts);
  add("raw-numbers-by-list-or-driver", NULL, test_raw_numbers_by_list_or_driver);
  for (gsize i = 0; i < G_N_ELEMENTS(cpus_cases); i++) {
    g_autofree char *path = g_strconcat("cpus/", cpus_cases[i].name, NULL);

    add(path, &cpus_cases[i], test_cpus);
  }
  add("refresh-follows-changes", NULL, test_refresh_follows_changes);
  add("choices-are-read-again-when-performance-leaves", NULL,
      test_choices_are_read_again_when_performance_leaves);
  add("a-policy-made-anew-is-told", NULL, test_a_policy_made_anew_is_told);
  add("taking-a-fresh-look-is-the-same-as-reading-again", NULL,
      test_taking_a_fresh_look_is_the_same_as_reading_again);
  add("vanished-policy", NULL, test_vanished_policy);
  add("epp-round-trip", NULL, test_epp_round_trip);
  add("unwritable-values-are-refused", NULL, test_unwritable_values_are_refused);
  add("odd-epp-files", NULL, test_odd_epp_files);
  add("epp-of-a-link-loop", NULL, test_epp_of_a_link_loop);
  add("denied", NULL, test_denied);
  add("governor", NULL, test_governor);
  add("equal-values-are-not-written", NULL, test_equal_values_are_not_written);
  add("core-boost", NULL, test_core_boost);
  add("min-freq", NULL, test_min_freq);
  return g_test_run();
}
