/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "hardware/amd-pstate.h"
#include "scratch.h"

#define CPU "sys/devices/system/cpu/"

/* "path=text" pairs that make up a machine, and what is read of it. */
typedef struct {
  const char *name;
  const char *files[8];
  EppdAmdPstate pstate;
} Case;

#define STATUS(text)    CPU "amd_pstate/status=" text "\n"
#define DYNAMIC(text)   CPU "amd_pstate/dynamic_epp=" text "\n"
#define EPP(n, text)    CPU "cpufreq/policy" n "/energy_performance_preference=" text "\n"
#define PARAMETER(text) "sys/module/amd_pstate/parameters/epp_boost=" text "\n"
#define CPUINFO(flags)  "proc/cpuinfo=processor\t: 0\nmodel name\t: X\nflags\t\t: " flags "\n\n"

static const Case cases[] = {
    {"no-amd-pstate", {EPP("0", "power")}, {0}},
    {"up-to-7.0",
     {STATUS("active"), EPP("0", "balance_performance"), CPUINFO("fpu cppc msr")},
     {.present = true, .active = true, .has_cppc_flag = true}},
    {"shared-memory-system",
     {STATUS("active"), CPUINFO("fpu msr cppcx xcppc")},
     {.present = true, .active = true}},
    {"cppc-is-no-flag-elsewhere",
     {STATUS("active"), "proc/cpuinfo=bugs\t: cppc\nflags\t: fpu\n"},
     {.present = true, .active = true}},
    {"cppc-at-the-end", {CPUINFO("fpu cppc")}, {.has_cppc_flag = true}},
    {"passive", {STATUS("passive")}, {.present = true}},
    {"guided", {STATUS("guided")}, {.present = true}},
    {"disable", {STATUS("disable")}, {.present = true}},
    {"7.1-off",
     {STATUS("active"), DYNAMIC("disabled")},
     {.present = true, .active = true, .has_dynamic_epp = true}},
    {"7.1-on",
     {STATUS("active"), DYNAMIC("enabled")},
     {.present = true, .active = true, .has_dynamic_epp = true, .dynamic_epp_on = true}},
    {"7.3-static",
     {STATUS("active"), EPP("0", "performance"), EPP("1", "32")},
     {.present = true, .active = true}},
    {"7.3-dynamic-has-no-global-switch",
     {STATUS("active"), EPP("0", "power"), EPP("12", "dynamic(profile:balance_performance)")},
     {.present = true, .active = true}},
    {"kernel-boost-on",
     {STATUS("active"), PARAMETER("Y")},
     {.present = true, .active = true, .has_kernel_boost = true, .kernel_boost_on = true}},
    {"kernel-boost-off",
     {STATUS("active"), PARAMETER("N")},
     {.present = true, .active = true, .has_kernel_boost = true}},
    {"odd-texts",
     {STATUS("acti\xff"), DYNAMIC("perhaps"), PARAMETER("2"), "proc/cpuinfo=flags"},
     {.present = true, .has_dynamic_epp = true, .has_kernel_boost = true}},
    {"empty-files",
     {CPU "amd_pstate/status=", CPU "amd_pstate/dynamic_epp=", "proc/cpuinfo=",
      "sys/module/amd_pstate/parameters/epp_boost="},
     {0}},
};

static void
test_read(gconstpointer data)
{
  const Case *c = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  EppdAmdPstate pstate;

  for (gsize i = 0; i < G_N_ELEMENTS(c->files) && c->files[i]; i++) {
    g_auto(GStrv) sides = g_strsplit(c->files[i], "=", 2);

    scratch_write(dir, sides[0], sides[1]);
  }
  eppd_amd_pstate_read(root, &pstate);
  g_assert_cmpint(pstate.present, ==, c->pstate.present);
  g_assert_cmpint(pstate.active, ==, c->pstate.active);
  g_assert_cmpint(pstate.has_cppc_flag, ==, c->pstate.has_cppc_flag);
  g_assert_cmpint(pstate.has_dynamic_epp, ==, c->pstate.has_dynamic_epp);
  g_assert_cmpint(pstate.dynamic_epp_on, ==, c->pstate.dynamic_epp_on);
  g_assert_cmpint(pstate.has_kernel_boost, ==, c->pstate.has_kernel_boost);
  g_assert_cmpint(pstate.kernel_boost_on, ==, c->pstate.kernel_boost_on);
}

static void
test_cpuinfo_of_many_cpus(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autoptr(GString) text = g_string_new(NULL);
  EppdAmdPstate pstate;

  for (guint cpu = 0; text->len < 2 * 1024 * 1024; cpu++)
    g_string_append_printf(text, "processor\t: %u\nflags\t\t: fpu cppc\n\n", cpu);
  scratch_write(dir, "proc/cpuinfo", text->str);
  eppd_amd_pstate_read(root, &pstate);
  g_assert_true(pstate.has_cppc_flag);
}

static void
assert_line(const Scratch *dir, const char *file, const char *text)
{
  g_autofree char *line = scratch_read_line(dir, file);

  g_assert_cmpstr(line, ==, text);
}

static void
test_writes(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autoptr(GError) error = NULL;

  scratch_write(dir, EPPD_AMD_PSTATE_KERNEL_BOOST_FILE, "Y\n");
  scratch_write(dir, EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE, "disabled\n");
  g_assert_true(eppd_amd_pstate_write_kernel_boost(root, false, &error));
  assert_line(dir, EPPD_AMD_PSTATE_KERNEL_BOOST_FILE, "N");
  g_assert_true(eppd_amd_pstate_write_kernel_boost(root, true, &error));
  assert_line(dir, EPPD_AMD_PSTATE_KERNEL_BOOST_FILE, "Y");
  g_assert_true(eppd_amd_pstate_write_dynamic_epp(root, true, &error));
  assert_line(dir, EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE, "enabled");
  g_assert_true(eppd_amd_pstate_write_dynamic_epp(root, false, &error));
  assert_line(dir, EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE, "disabled");
  g_assert_no_error(error);
}

/* Early kernels refuse another "enabled" with EINVAL; a read-only file shows that none is written.
 */
static void
test_equal_values_are_not_written(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autoptr(GError) error = NULL;

  scratch_write(dir, EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE, "enabled\n");
  scratch_chmod(dir, EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE, 0444);
  scratch_be_nobody(true);
  g_assert_true(eppd_amd_pstate_write_dynamic_epp(root, true, &error));
  g_assert_no_error(error);
  g_assert_false(eppd_amd_pstate_write_dynamic_epp(root, false, &error));
  scratch_be_nobody(false);
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_DENIED);
}

static void
test_writes_to_what_is_not_there(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autoptr(GError) boost_error = NULL;
  g_autoptr(GError) dynamic_error = NULL;

  g_assert_false(eppd_amd_pstate_write_kernel_boost(root, true, &boost_error));
  g_assert_error(boost_error, EPPD_ERROR, EPPD_ERROR_GONE);
  g_assert_false(eppd_amd_pstate_write_dynamic_epp(root, true, &dynamic_error));
  g_assert_error(dynamic_error, EPPD_ERROR, EPPD_ERROR_GONE);
}

static void
test_known_values(void)
{
  static const struct {
    const char *path, *value;
    bool known;
  } rows[] = {
      {EPPD_AMD_PSTATE_KERNEL_BOOST_FILE, "Y", true},
      {EPPD_AMD_PSTATE_KERNEL_BOOST_FILE, "N", true},
      {EPPD_AMD_PSTATE_KERNEL_BOOST_FILE, "enabled", false},
      {EPPD_AMD_PSTATE_KERNEL_BOOST_FILE, "", false},
      {EPPD_AMD_PSTATE_KERNEL_BOOST_FILE, NULL, false},
      {EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE, "disabled", true},
      {EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE, "Y", false},
      {"/etc/passwd", "Y", false},
      {"." EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE, "disabled", false},
      {"", "Y", false},
  };

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    g_assert_cmpstr(eppd_amd_pstate_known_value(rows[i].path, rows[i].value), ==,
                    rows[i].known ? rows[i].value : NULL);
}

static void
test_status_path(void)
{
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new("/tree");
  g_autofree char *path = eppd_amd_pstate_status_path(root);

  g_assert_cmpstr(path, ==, "/tree/sys/devices/system/cpu/amd_pstate/status");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/amd-pstate/read/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_read);
  }
  g_test_add_func("/amd-pstate/cpuinfo-of-many-cpus", test_cpuinfo_of_many_cpus);
  g_test_add_func("/amd-pstate/writes", test_writes);
  g_test_add_func("/amd-pstate/equal-values-are-not-written", test_equal_values_are_not_written);
  g_test_add_func("/amd-pstate/writes-to-what-is-not-there", test_writes_to_what_is_not_there);
  g_test_add_func("/amd-pstate/known-values", test_known_values);
  g_test_add_func("/amd-pstate/status-path", test_status_path);
  return g_test_run();
}
