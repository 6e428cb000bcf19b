/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-fixture.h"

#define GOVERNOR FIXTURE_POLICY "0/scaling_governor"
#define MIN_FREQ FIXTURE_POLICY "0/scaling_min_freq"
#define MAX_FREQ FIXTURE_POLICY "0/scaling_max_freq"
#define BOOST    FIXTURE_POLICY "0/boost"
#define GLOBAL   FIXTURE_CPU "cpufreq/boost"

static const SimMachineOptions acpi = {.n_cpus = 6, .cpus_per_policy = 4, .driver = "acpi-cpufreq"};
static const SimMachineOptions amd = {.n_cpus = 4, .driver = "amd-pstate", .mode = "active"};
static const SimMachineOptions passive = {.n_cpus = 4, .driver = "amd-pstate", .mode = "passive"};
static const SimMachineOptions none = {.n_cpus = 2};

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
test_groups(Fixture *fixture, gconstpointer data)
{
  fixture_assert_read(fixture, FIXTURE_POLICY "0/related_cpus", "0 1 2 3");
  fixture_assert_read(fixture, FIXTURE_POLICY "4/affected_cpus", "4 5");
  fixture_assert_read(fixture, FIXTURE_POLICY "1/affected_cpus", "ENOENT");
  fixture_assert_link(fixture, FIXTURE_CPU "cpu5/cpufreq", "../cpufreq/policy4");
  fixture_assert_read(fixture, FIXTURE_POLICY "0/scaling_driver", "acpi-cpufreq");
  fixture_assert_read(fixture, FIXTURE_POLICY "0" FIXTURE_EPP, "ENOENT");
}

static void
test_shared_hotplug(Fixture *fixture, gconstpointer data)
{
  fixture_command(fixture, "cpu 4 offline");
  fixture_assert_read(fixture, FIXTURE_POLICY "4/affected_cpus", "5");
  fixture_assert_read(fixture, FIXTURE_POLICY "4/related_cpus", "4 5");
  fixture_assert_write(fixture, FIXTURE_POLICY "4/scaling_governor", "powersave", "ok");
  fixture_command(fixture, "cpu 5 offline");
  fixture_assert_read(fixture, FIXTURE_POLICY "4/affected_cpus", "EBUSY");
  fixture_assert_write(fixture, FIXTURE_POLICY "4/scaling_governor", "performance", "EBUSY");
  fixture_command(fixture, "cpu 4 online");
  fixture_assert_read(fixture, FIXTURE_POLICY "4/affected_cpus", "4");
  fixture_assert_read(fixture, FIXTURE_POLICY "4/scaling_governor", "powersave");
}

static void
test_governors(void)
{
  static const struct {
    const SimMachineOptions *options;
    const char *text;
    const char *result;
    const char *reads;
  } cases[] = {
      {&amd, "performance\n", "ok", "performance"},
      {&amd, "PowerSave\n", "ok", "powersave"},
      {&amd, "  performance now", "ok", "performance"},
      {&amd, "schedutil\n", "EINVAL", "powersave"},
      {&amd, "nonsense\n", "EINVAL", "powersave"},
      {&amd, "\n", "EINVAL", "powersave"},
      {&amd, "", "EINVAL", "powersave"},
      {&passive, "performance\n", "ok", "performance"},
      {&passive, "ONDEMAND", "ok", "ondemand"},
      {&passive, "nonsense", "EINVAL", "schedutil"},
      {&acpi, "userspace", "ok", "userspace"},
      {&acpi, "bogus", "EINVAL", "schedutil"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    Fixture fixture;

    g_test_message("'%s' to %s", cases[i].text, cases[i].options->driver);
    fixture_set_up(&fixture, cases[i].options);
    fixture_assert_write(&fixture, GOVERNOR, cases[i].text, cases[i].result);
    fixture_assert_read(&fixture, GOVERNOR, cases[i].reads);
    fixture_tear_down(&fixture);
  }
}

static void
test_frequencies(void)
{
  static const struct {
    const char *file;
    const char *text;
    const char *result;
    const char *min;
    const char *max;
  } cases[] = {
      {MIN_FREQ, "400000\n", "ok", "400000", "5000000"},
      {MIN_FREQ, "2000000", "ok", "2000000", "5000000"},
      {MIN_FREQ, "0x1e8480", "ok", "2000000", "5000000"},
      {MIN_FREQ, "1\n", "ok", "400000", "5000000"},
      {MIN_FREQ, "0\n", "ok", "1700000", "5000000"},
      {MIN_FREQ, "9999999\n", "ok", "5000000", "5000000"},
      {MIN_FREQ, "2147483648\n", "EINVAL", "1700000", "5000000"},
      {MIN_FREQ, "99999999999999999999\n", "ERANGE", "1700000", "5000000"},
      {MIN_FREQ, "-1\n", "EINVAL", "1700000", "5000000"},
      {MIN_FREQ, "fast\n", "EINVAL", "1700000", "5000000"},
      {MIN_FREQ, "", "EINVAL", "1700000", "5000000"},
      {MAX_FREQ, "3000000\n", "ok", "1700000", "3000000"},
      {MAX_FREQ, "1000000\n", "ok", "1000000", "1000000"},
      {MAX_FREQ, "1\n", "ok", "400000", "400000"},
      {MAX_FREQ, "9999999\n", "ok", "1700000", "5000000"},
      {MAX_FREQ, "slow\n", "EINVAL", "1700000", "5000000"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    Fixture fixture;

    g_test_message("'%s' to %s", cases[i].text, cases[i].file);
    fixture_set_up(&fixture, &amd);
    fixture_assert_write(&fixture, cases[i].file, cases[i].text, cases[i].result);
    fixture_assert_read(&fixture, MIN_FREQ, cases[i].min);
    fixture_assert_read(&fixture, MAX_FREQ, cases[i].max);
    fixture_tear_down(&fixture);
  }
}

static void
test_core_boost(Fixture *fixture, gconstpointer data)
{
  fixture_assert_read(fixture, BOOST, "1");
  fixture_assert_write(fixture, BOOST, "0\n", "ok");
  fixture_assert_read(fixture, BOOST, "0");
  fixture_assert_read(fixture, FIXTURE_POLICY "1/boost", "1");
  fixture_assert_read(fixture, FIXTURE_POLICY "0/cpuinfo_max_freq", "3300000");
  fixture_assert_read(fixture, MAX_FREQ, "3300000");
  fixture_assert_write(fixture, BOOST, "1\n", "ok");
  fixture_assert_read(fixture, MAX_FREQ, "5000000");
  fixture_assert_write(fixture, BOOST, "2\n", "EINVAL");
  fixture_assert_write(fixture, BOOST, "\n", "EINVAL");
}

static void
test_global_core_boost(Fixture *fixture, gconstpointer data)
{
  fixture_assert_read(fixture, GLOBAL, "1");
  fixture_assert_write(fixture, GLOBAL, "0\n", "ok");
  fixture_assert_read(fixture, BOOST, "0");
  fixture_assert_read(fixture, FIXTURE_POLICY "3/boost", "0");
  fixture_assert_write(fixture, BOOST, "1\n", "EINVAL");
  fixture_assert_write(fixture, BOOST, "0\n", "EINVAL");
  fixture_assert_write(fixture, GLOBAL, "x\n", "EINVAL");
  fixture_assert_write(fixture, GLOBAL, "1\n", "ok");
  fixture_assert_read(fixture, BOOST, "1");
  fixture_assert_write(fixture, BOOST, "0\n", "ok");
}

static void
test_setspeed(Fixture *fixture, gconstpointer data)
{
  static const char speed[] = FIXTURE_POLICY "0/scaling_setspeed";

  fixture_assert_read(fixture, speed, "<unsupported>");
  fixture_assert_write(fixture, speed, "1400000", "EINVAL");
  fixture_assert_write(fixture, GOVERNOR, "userspace", "ok");
  fixture_assert_read(fixture, speed, "1400000");
  fixture_assert_write(fixture, speed, "1400000", "ok");
  fixture_assert_write(fixture, speed, "fast", "EINVAL");
}

static void
test_read_only(Fixture *fixture, gconstpointer data)
{
  static const char *const files[] = {
      "affected_cpus",    "related_cpus",     "scaling_driver",   "scaling_available_governors",
      "cpuinfo_min_freq", "cpuinfo_max_freq", "scaling_cur_freq", "cpuinfo_transition_latency"};

  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = g_strconcat(FIXTURE_POLICY "0/", files[i], NULL);

    fixture_assert_write(fixture, path, "1", "EIO");
  }
  fixture_assert_read(fixture, FIXTURE_POLICY "0/scaling_cur_freq", "2000000");
}

static void
test_none(Fixture *fixture, gconstpointer data)
{
  SimNode *directory = sim_tree_find(fixture->tree, FIXTURE_CPU "cpufreq");
  g_autoptr(GPtrArray) names = sim_node_children(directory);

  g_assert_cmpuint(names->len, ==, 0);
  fixture_assert_read(fixture, FIXTURE_CPU "amd_pstate/status", "ENOENT");
  fixture_assert_read(fixture, FIXTURE_CPU "intel_pstate/status", "ENOENT");
  fixture_refuses_command(fixture, "mode passive");
  fixture_command(fixture, "cpu 1 offline");
  fixture_command(fixture, "cpu 1 online");
}

#define ADD(name, options, test)                                                                   \
  g_test_add("/sim-policy/" name, Fixture, &(options), set_up, test, tear_down)

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  ADD("cpus-share-a-policy", acpi, test_groups);
  ADD("shared-policy-is-busy-without-its-last-cpu", acpi, test_shared_hotplug);
  g_test_add_func("/sim-policy/governors-by-driver", test_governors);
  g_test_add_func("/sim-policy/frequencies-are-requests-within-limits", test_frequencies);
  ADD("core-boost-off-lowers-the-highest-frequency", amd, test_core_boost);
  ADD("core-boost-needs-the-global-one", amd, test_global_core_boost);
  ADD("setspeed-is-the-governor-userspace's", acpi, test_setspeed);
  ADD("information-is-read-only", amd, test_read_only);
  ADD("no-driver-no-policies", none, test_none);
  return g_test_run();
}
