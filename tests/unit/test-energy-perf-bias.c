/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "hardware/energy-perf-bias.h"
#include "scratch.h"

#define CPU  "sys/devices/system/cpu/cpu"
#define FILE "/power/energy_perf_bias"

#define BIAS(n, text)   CPU n FILE "=" text
#define ONLINE(n, text) CPU n "/online=" text

/* What is there, and what the files hold after 6 was written to all of them. */
typedef struct {
  const char *name;
  const char *entries[8];
  bool is_present;
  const char *after[3]; /* of the CPUs 0, 1 and 2; NULL: not looked at */
} WriteCase;

static const WriteCase write_cases[] = {
    {"no-cpus", {NULL}, false, {NULL}},
    {"no-bias", {ONLINE("1", "1\n")}, false, {NULL}},
    {"all-written", {BIAS("0", "0\n"), BIAS("1", "15\n")}, true, {"6", "6"}},
    {"offline-cpu-has-no-file",
     {BIAS("0", "0\n"), ONLINE("1", "0\n"), BIAS("2", "0\n")},
     true,
     {"6", NULL, "6"}},
    {"only-the-last-cpu-has-one", {ONLINE("1", "1\n"), BIAS("2", "0\n")}, true, {NULL, NULL, "6"}},
    {"odd-contents",
     {BIAS("0", ""), BIAS("1", "16\n"), BIAS("2", "norm\xff\n")},
     true,
     {"6", "6", "6"}},
    {"names-of-other-values",
     {BIAS("0", "performance\n"), BIAS("1", "balance-power\n"), BIAS("2", "power\n")},
     true,
     {"6", "6", "6"}},
    {"not-a-cpu", {CPU "idle" FILE "=0\n", CPU FILE "=0\n", CPU "1a" FILE "=0\n"}, false, {NULL}},
};

static void
assert_line(const Scratch *dir, const char *file, const char *text)
{
  g_autofree char *line = scratch_read_line(dir, file);

  g_assert_cmpstr(line, ==, text);
}

static void
test_write(gconstpointer data)
{
  const WriteCase *c = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autoptr(GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS(c->entries) && c->entries[i]; i++)
    scratch_make(dir, c->entries[i]);
  g_assert_cmpint(eppd_energy_perf_bias_is_present(root), ==, c->is_present);
  g_assert_true(eppd_energy_perf_bias_write_all(root, 6, &error));
  g_assert_no_error(error);
  for (guint i = 0; i < G_N_ELEMENTS(c->after); i++) {
    g_autofree char *file = g_strdup_printf(CPU "%u" FILE, i);

    if (c->after[i])
      assert_line(dir, file, c->after[i]);
  }
}

/* Values that mean what is to be written already: the file can't be written, and need not be. */
typedef struct {
  const char *text;
  guint bias;
} EqualCase;

static const EqualCase equal_cases[] = {
    {"0", 0},   {"performance", 0}, {"4", 4}, {"balance-performance", 4},
    {"6", 6},   {"normal", 6},      {"8", 8}, {"balance-power", 8},
    {"15", 15}, {"power", 15},
};

static void
test_equal_is_not_written(gconstpointer data)
{
  const EqualCase *c = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autoptr(GError) error = NULL;
  gboolean ok;

  scratch_write(dir, CPU "0" FILE, c->text);
  scratch_chmod(dir, CPU "0" FILE, 0444);
  scratch_be_nobody(true);
  ok = eppd_energy_perf_bias_write_all(root, c->bias, &error);
  scratch_be_nobody(false);
  g_assert_no_error(error);
  g_assert_true(ok);
  assert_line(dir, CPU "0" FILE, c->text);
}

/* One that refuses keeps no other from being written, and is named. */
static void
test_refusal(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autoptr(GError) error = NULL;
  gboolean ok;

  scratch_write(dir, CPU "0" FILE, "0\n");
  scratch_write(dir, CPU "1" FILE, "0\n");
  scratch_write(dir, CPU "2" FILE, "0\n");
  scratch_write(dir, CPU "3" FILE, "0\n");
  scratch_chmod(dir, CPU "0" FILE, 0666);
  scratch_chmod(dir, CPU "1" FILE, 0444);
  scratch_chmod(dir, CPU "2" FILE, 0444);
  scratch_chmod(dir, CPU "3" FILE, 0666);
  scratch_be_nobody(true);
  ok = eppd_energy_perf_bias_write_all(root, 15, &error);
  scratch_be_nobody(false);
  g_assert_false(ok);
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_DENIED);
  g_assert_nonnull(strstr(error->message, "/cpu1/power/energy_perf_bias"));
  assert_line(dir, CPU "0" FILE, "15");
  assert_line(dir, CPU "2" FILE, "0");
  assert_line(dir, CPU "3" FILE, "15");
}

static void
test_offline_cpu_may_refuse(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autoptr(GError) error = NULL;
  gboolean ok;

  scratch_write(dir, CPU "1/online", "0\n");
  scratch_write(dir, CPU "1" FILE, "0\n");
  scratch_chmod(dir, CPU "1" FILE, 0444);
  scratch_be_nobody(true);
  ok = eppd_energy_perf_bias_write_all(root, 15, &error);
  scratch_be_nobody(false);
  g_assert_no_error(error);
  g_assert_true(ok);
}

static void
test_directory_in_its_place(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autoptr(GError) error = NULL;

  scratch_mkdir(dir, CPU "0" FILE);
  g_assert_false(eppd_energy_perf_bias_is_present(root));
  g_assert_false(eppd_energy_perf_bias_write_all(root, 15, &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_FAILED);
}

static void
test_unreadable_is_written(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autoptr(GError) error = NULL;
  gboolean ok;

  scratch_write(dir, CPU "0" FILE, "0\n");
  scratch_chmod(dir, CPU "0" FILE, 0222);
  scratch_be_nobody(true);
  ok = eppd_energy_perf_bias_write_all(root, 15, &error);
  scratch_be_nobody(false);
  g_assert_no_error(error);
  g_assert_true(ok);
  scratch_chmod(dir, CPU "0" FILE, 0644);
  assert_line(dir, CPU "0" FILE, "15");
}

static void
test_hundreds_of_cpus(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autoptr(GError) error = NULL;

  for (guint cpu = 0; cpu < 300; cpu++) {
    g_autofree char *file = g_strdup_printf(CPU "%u" FILE, cpu);

    scratch_write(dir, file, "6\n");
  }
  g_assert_true(eppd_energy_perf_bias_write_all(root, 8, &error));
  g_assert_no_error(error);
  assert_line(dir, CPU "0" FILE, "8");
  assert_line(dir, CPU "299" FILE, "8");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(write_cases); i++) {
    g_autofree char *path = g_strconcat("/energy-perf-bias/write/", write_cases[i].name, NULL);

    g_test_add_data_func(path, &write_cases[i], test_write);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(equal_cases); i++) {
    g_autofree char *path =
        g_strconcat("/energy-perf-bias/equal-is-not-written/", equal_cases[i].text, NULL);

    g_test_add_data_func(path, &equal_cases[i], test_equal_is_not_written);
  }
  g_test_add_func("/energy-perf-bias/refusal", test_refusal);
  g_test_add_func("/energy-perf-bias/offline-cpu-may-refuse", test_offline_cpu_may_refuse);
  g_test_add_func("/energy-perf-bias/directory-in-its-place", test_directory_in_its_place);
  g_test_add_func("/energy-perf-bias/unreadable-is-written", test_unreadable_is_written);
  g_test_add_func("/energy-perf-bias/hundreds-of-cpus", test_hundreds_of_cpus);
  return g_test_run();
}
