/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-fixture.h"

#define TOPOLOGY "topology/thread_siblings_list"
#define BIAS     FIXTURE_CPU "cpu1/power/energy_perf_bias"

static const SimMachineOptions four = {
    .n_cpus = 4, .driver = "amd-pstate", .mode = "active", .has_cppc = true, .has_epb = true};
static const SimMachineOptions three = {.n_cpus = 3};
static const SimMachineOptions one = {.n_cpus = 1};

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
test_lists(Fixture *fixture, gconstpointer data)
{
  fixture_assert_read(fixture, FIXTURE_CPU "online", "0-3");
  fixture_assert_read(fixture, FIXTURE_CPU "offline", "");
  fixture_assert_write(fixture, FIXTURE_CPU "cpu1/online", "0\n", "ok");
  fixture_assert_read(fixture, FIXTURE_CPU "online", "0,2-3");
  fixture_assert_read(fixture, FIXTURE_CPU "offline", "1");
  fixture_assert_read(fixture, FIXTURE_CPU "present", "0-3");
  fixture_assert_read(fixture, FIXTURE_CPU "possible", "0-3");
  fixture_assert_write(fixture, FIXTURE_CPU "online", "0-3", "EIO");
}

static void
test_one(Fixture *fixture, gconstpointer data)
{
  fixture_assert_read(fixture, FIXTURE_CPU "online", "0");
  fixture_assert_read(fixture, FIXTURE_CPU "possible", "0");
  fixture_assert_read(fixture, FIXTURE_CPU "cpu0/" TOPOLOGY, "0");
}

static void
test_hotplug(Fixture *fixture, gconstpointer data)
{
  static const char file[] = FIXTURE_CPU "cpu3/online";

  fixture_assert_read(fixture, file, "1");
  fixture_assert_write(fixture, file, "1\n", "ok");
  fixture_assert_news(fixture, "");
  fixture_assert_write(fixture, file, "0\n", "ok");
  fixture_assert_news(fixture, "offline cpu /devices/system/cpu/cpu3\n");
  fixture_assert_read(fixture, file, "0");
  fixture_assert_write(fixture, file, "0\n", "ok");
  fixture_assert_news(fixture, "");
  fixture_assert_write(fixture, file, "on\n", "ok");
  fixture_assert_news(fixture, "online cpu /devices/system/cpu/cpu3\n");
  fixture_assert_write(fixture, file, "maybe\n", "EINVAL");
}

static void
test_cpu0(Fixture *fixture, gconstpointer data)
{
  fixture_assert_read(fixture, FIXTURE_CPU "cpu0/online", "ENOENT");
  fixture_refuses_command(fixture, "cpu 0 offline");
  fixture_refuses_command(fixture, "cpu 4 offline");
  fixture_assert_read(fixture, FIXTURE_CPU "online", "0-3");
}

static void
test_topology(Fixture *fixture, gconstpointer data)
{
  fixture_assert_read(fixture, FIXTURE_CPU "cpu0/" TOPOLOGY, "0,2");
  fixture_assert_read(fixture, FIXTURE_CPU "cpu3/" TOPOLOGY, "1,3");
  fixture_command(fixture, "cpu 1 offline");
  fixture_assert_read(fixture, FIXTURE_CPU "cpu3/" TOPOLOGY, "3");
  fixture_assert_read(fixture, FIXTURE_CPU "cpu1/" TOPOLOGY, "ENOENT");
  fixture_assert_read(fixture, FIXTURE_CPU "cpu3/topology/package_cpus_list", "0,2-3");
  fixture_command(fixture, "cpu 1 online");
  fixture_assert_read(fixture, FIXTURE_CPU "cpu1/" TOPOLOGY, "1,3");
}

static void
test_odd(Fixture *fixture, gconstpointer data)
{
  fixture_assert_read(fixture, FIXTURE_CPU "cpu2/" TOPOLOGY, "2");
}

static void
test_bias(Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *text;
    const char *result;
    const char *reads;
  } cases[] = {
      {"performance\n", "ok", "0"},
      {"balance-performance", "ok", "4"},
      {"normal", "ok", "6"},
      {"balance-power\n", "ok", "8"},
      {"power", "ok", "15"},
      {"0\n", "ok", "0"},
      {"15", "ok", "15"},
      {"0xa", "ok", "10"},
      {"16", "EINVAL", "10"},
      {"-1", "EINVAL", "10"},
      {"balance_power", "EINVAL", "10"},
      {"", "EINVAL", "10"},
  };

  fixture_assert_read(fixture, BIAS, "6");
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_test_message("'%s'", cases[i].text);
    fixture_assert_write(fixture, BIAS, cases[i].text, cases[i].result);
    fixture_assert_read(fixture, BIAS, cases[i].reads);
  }
  fixture_command(fixture, "cpu 1 offline");
  fixture_assert_read(fixture, BIAS, "ENOENT");
  fixture_command(fixture, "cpu 1 online");
  fixture_assert_read(fixture, BIAS, "10");
}

static void
test_cpuinfo(Fixture *fixture, gconstpointer data)
{
  g_autofree char *all = fixture_read(fixture, "/proc/cpuinfo");
  g_autofree char *fewer = NULL;

  g_assert_nonnull(strstr(all, "processor\t: 3\n"));
  g_assert_nonnull(strstr(all, "vendor_id\t: AuthenticAMD\n"));
  g_assert_nonnull(strstr(all, " cppc\n"));
  fixture_command(fixture, "cpu 3 offline");
  fewer = fixture_read(fixture, "/proc/cpuinfo");
  g_assert_null(strstr(fewer, "processor\t: 3\n"));
  g_assert_nonnull(strstr(fewer, "processor\t: 2\n"));
}

static void
test_flags(void)
{
  static const struct {
    SimMachineOptions options;
    const char *vendor;
    bool has_cppc;
  } cases[] = {
      {{.n_cpus = 1, .driver = "amd-pstate", .mode = "active", .has_cppc = true}, "AMD", true},
      {{.n_cpus = 1, .driver = "amd-pstate", .mode = "active"}, "AMD", false},
      {{.n_cpus = 1, .driver = "intel_pstate", .mode = "active", .has_cppc = true}, "Intel", false},
      {{.n_cpus = 1}, "Intel", false},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    Fixture fixture;
    g_autofree char *text = NULL;

    fixture_set_up(&fixture, &cases[i].options);
    text = fixture_read(&fixture, "/proc/cpuinfo");
    g_assert_nonnull(strstr(text, cases[i].vendor));
    g_assert_true((strstr(text, " cppc") != NULL) == cases[i].has_cppc);
    fixture_tear_down(&fixture);
  }
}

static void
test_suspend(Fixture *fixture, gconstpointer data)
{
  fixture_command(fixture, "cpu 2 offline");
  g_string_truncate(fixture->news, 0);
  fixture_command(fixture, "suspend");
  fixture_assert_read(fixture, FIXTURE_CPU "online", "0");
  fixture_refuses_command(fixture, "suspend");
  fixture_refuses_command(fixture, "cpu 1 online");
  fixture_assert_write(fixture, FIXTURE_CPU "cpu1/online", "1", "EBUSY");
  fixture_command(fixture, "resume");
  fixture_assert_read(fixture, FIXTURE_CPU "online", "0-1,3");
  fixture_refuses_command(fixture, "resume");
  fixture_assert_news(fixture, "");
}

#define ADD(name, options, test)                                                                   \
  g_test_add("/sim-cpu/" name, Fixture, &(options), set_up, test, tear_down)

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  ADD("lists-say-who-is-online", four, test_lists);
  ADD("one-cpu-is-no-range", one, test_one);
  ADD("online-file-plugs-with-a-uevent-if-it-changes", four, test_hotplug);
  ADD("cpu0-can-not-go", four, test_cpu0);
  ADD("topology-is-of-those-online", four, test_topology);
  ADD("odd-cpus-have-no-siblings", three, test_odd);
  ADD("energy-perf-bias-takes-names-and-numbers", four, test_bias);
  ADD("cpuinfo-lists-those-online", four, test_cpuinfo);
  g_test_add_func("/sim-cpu/cpuinfo-flags-are-the-machine's", test_flags);
  ADD("suspend-takes-all-but-cpu0-silently", four, test_suspend);
  return g_test_run();
}
