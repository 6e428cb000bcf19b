/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-fixture.h"

#define EPP      FIXTURE_POLICY "2" FIXTURE_EPP
#define GOVERNOR FIXTURE_POLICY "2/scaling_governor"
#define DIR      FIXTURE_CPU "intel_pstate/"

static const SimMachineOptions active = {
    .n_cpus = 4, .cpus_per_policy = 2, .driver = "intel_pstate", .mode = "active"};
static const SimMachineOptions passive = {
    .n_cpus = 4, .cpus_per_policy = 2, .driver = "intel_pstate", .mode = "passive"};

static void
set_up(Fixture *fixture, gconstpointer data)
{
  fixture_set_up(fixture, data);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  fixture_tear_down(fixture);
}

static void
test_writes(void)
{
  static const struct {
    const char *text;
    const char *powersave; /* the result under it */
    const char *reads;     /* NULL: as before */
    const char *performance;
  } cases[] = {
      {"performance\n", "ok", "performance", "ok"},
      {"balance_performance", "ok", "balance_performance", "EBUSY"},
      {"balance_power\n", "ok", "balance_power", "EBUSY"},
      {"power\n", "ok", "power", "EBUSY"},
      {"default\n", "ok", "balance_performance", "EBUSY"},
      {"64\n", "ok", "64", "EBUSY"},
      {"255\n", "ok", "power", "EBUSY"},
      {"192\n", "ok", "balance_power", "EBUSY"},
      {"191\n", "ok", "191", "EBUSY"},
      {"0\n", "ok", "performance", "ok"},
      {"0x40\n", "EINVAL", NULL, "EINVAL"},
      {"256\n", "EINVAL", NULL, "EINVAL"},
      {"99999999999\n", "ERANGE", NULL, "ERANGE"},
      {"-1\n", "EINVAL", NULL, "EINVAL"},
      {"custom\n", "EINVAL", NULL, "EINVAL"},
      {"dynamic\n", "EINVAL", NULL, "EINVAL"},
      {"nonsense\n", "EINVAL", NULL, "EINVAL"},
      {"\n", "EINVAL", NULL, "EINVAL"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    Fixture fixture;

    g_test_message("'%s'", cases[i].text);
    fixture_set_up(&fixture, &active);
    fixture_assert_write(&fixture, EPP, "17", "ok");
    fixture_assert_write(&fixture, EPP, cases[i].text, cases[i].powersave);
    fixture_assert_read(&fixture, EPP, cases[i].reads ? cases[i].reads : "17");
    fixture_assert_write(&fixture, GOVERNOR, "performance", "ok");
    fixture_assert_write(&fixture, EPP, cases[i].text, cases[i].performance);
    fixture_assert_read(&fixture, EPP, "performance");
    fixture_tear_down(&fixture);
  }
}

static void
test_choices(Fixture *fixture, gconstpointer data)
{
  static const char choices[] = FIXTURE_POLICY "2/energy_performance_available_preferences";
  static const char text[] = "default performance balance_performance balance_power power ";

  fixture_assert_read(fixture, choices, text);
  fixture_assert_write(fixture, GOVERNOR, "performance", "ok");
  fixture_assert_read(fixture, choices, text);
}

static void
test_governor_restores(Fixture *fixture, gconstpointer data)
{
  fixture_assert_write(fixture, EPP, "power", "ok");
  fixture_assert_write(fixture, GOVERNOR, "performance", "ok");
  fixture_assert_read(fixture, EPP, "performance");
  fixture_assert_write(fixture, GOVERNOR, "performance", "ok");
  fixture_assert_write(fixture, GOVERNOR, "powersave", "ok");
  fixture_assert_read(fixture, EPP, "power");
}

static void
test_modes(Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *text;
    const char *result;
    const char *status;
    const char *driver;
    const char *hwp_boost;
  } cases[] = {
      {"active\n", "ok", "active", "intel_pstate", "0"},
      {"off\n", "EBUSY", "active", "intel_pstate", "0"},
      {"guided\n", "EINVAL", "active", "intel_pstate", "0"},
      {"passiv\n", "EINVAL", "active", "intel_pstate", "0"},
      {"passive\n", "ok", "passive", "intel_cpufreq", "ENOENT"},
      {"", "EINVAL", "passive", "intel_cpufreq", "ENOENT"},
      {"active", "ok", "active", "intel_pstate", "0"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_test_message("'%s'", cases[i].text);
    fixture_assert_write(fixture, DIR "status", cases[i].text, cases[i].result);
    fixture_assert_read(fixture, DIR "status", cases[i].status);
    fixture_assert_read(fixture, FIXTURE_POLICY "2/scaling_driver", cases[i].driver);
    fixture_assert_read(fixture, DIR "hwp_dynamic_boost", cases[i].hwp_boost);
  }
}

static void
test_passive(Fixture *fixture, gconstpointer data)
{
  fixture_assert_read(fixture, EPP, "balance_performance");
  fixture_assert_write(fixture, GOVERNOR, "performance", "ok");
  fixture_assert_read(fixture, EPP, "balance_performance");
  fixture_assert_write(fixture, EPP, "power", "ok");
  fixture_assert_read(fixture, EPP, "power");
}

static void
test_old_nodes(Fixture *fixture, gconstpointer data)
{
  SimNode *node = sim_node_ref(sim_tree_find(fixture->tree, EPP));

  fixture_command(fixture, "mode passive");
  g_assert_cmpint(sim_node_write(node, "power"), ==, ENODEV);
  sim_node_unref(node);
}

static void
test_global_files(Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *file;
    const char *text;
    const char *result;
    const char *reads;
  } cases[] = {
      {DIR "no_turbo", "1\n", "ok", "1"},
      {DIR "no_turbo", "2\n", "ok", "1"},
      {DIR "no_turbo", "0\n", "ok", "0"},
      {DIR "no_turbo", "yes\n", "EINVAL", "0"},
      {DIR "min_perf_pct", "50\n", "ok", "50"},
      {DIR "max_perf_pct", "40\n", "ok", "50"},
      {DIR "max_perf_pct", "200\n", "ok", "100"},
      {DIR "min_perf_pct", "0\n", "ok", "8"},
      {DIR "min_perf_pct", "low\n", "EINVAL", "8"},
      {DIR "max_perf_pct", "\n", "EINVAL", "100"},
      {DIR "hwp_dynamic_boost", "1\n", "ok", "1"},
      {DIR "hwp_dynamic_boost", "on\n", "EINVAL", "1"},
      {DIR "turbo_pct", "1\n", "EIO", "30"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_test_message("'%s' to %s", cases[i].text, cases[i].file);
    fixture_assert_write(fixture, cases[i].file, cases[i].text, cases[i].result);
    fixture_assert_read(fixture, cases[i].file, cases[i].reads);
  }
}

static void
test_shared(Fixture *fixture, gconstpointer data)
{
  fixture_assert_read(fixture, FIXTURE_POLICY "2/affected_cpus", "2 3");
  fixture_assert_write(fixture, EPP, "power", "ok");
  fixture_command(fixture, "cpu 2 offline");
  fixture_assert_read(fixture, EPP, "power");
  fixture_command(fixture, "cpu 3 offline");
  fixture_assert_read(fixture, EPP, "EBUSY");
  fixture_assert_write(fixture, EPP, "performance", "EBUSY");
  fixture_command(fixture, "cpu 3 online");
  fixture_assert_read(fixture, EPP, "power");
}

static void
test_resume(Fixture *fixture, gconstpointer data)
{
  fixture_assert_write(fixture, EPP, "power", "ok");
  fixture_command(fixture, "suspend");
  fixture_command(fixture, "resume");
  fixture_assert_read(fixture, EPP, "power");
  fixture_command(fixture, "suspend");
  fixture_command(fixture, "resume epp-performance");
  fixture_assert_read(fixture, EPP, "performance");
}

static void
test_no_such_mode(void)
{
  const SimMachineOptions options = {.n_cpus = 1, .driver = "intel_pstate", .mode = "guided"};
  Fixture fixture;

  fixture_set_up(&fixture, &options);
  fixture_assert_read(&fixture, DIR "status", "ENOENT");
  fixture_tear_down(&fixture);
}

#define ADD(name, options, test)                                                                   \
  g_test_add("/sim-intel-pstate/" name, Fixture, &(options), set_up, test, tear_down)

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sim-intel-pstate/epp-writes-by-governor", test_writes);
  ADD("available-preferences-are-all-under-any-governor", active, test_choices);
  ADD("epp-comes-back-after-performance", active, test_governor_restores);
  ADD("status-takes-modes", active, test_modes);
  ADD("passive-mode-keeps-epp-files", passive, test_passive);
  ADD("mode-switch-kills-old-nodes", active, test_old_nodes);
  ADD("global-files-clamp", active, test_global_files);
  ADD("several-cpus-a-policy", active, test_shared);
  ADD("resume-keeps-epp-but-for-the-bug", active, test_resume);
  g_test_add_func("/sim-intel-pstate/guided-is-none-of-its-modes", test_no_such_mode);
  return g_test_run();
}
