/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-amd-pstate.h"

#include "sim-fixture.h"

#define EPP      FIXTURE_POLICY "1" FIXTURE_EPP
#define CHOICES  FIXTURE_POLICY "1/energy_performance_available_preferences"
#define GOVERNOR FIXTURE_POLICY "1/scaling_governor"
#define DRIVER   FIXTURE_POLICY "1/scaling_driver"
#define STATUS   FIXTURE_CPU "amd_pstate/status"

static const SimMachineOptions kernels[] = {
    [SIM_KERNEL_7_0] = {.n_cpus = 2, .driver = "amd-pstate", .mode = "active"},
    [SIM_KERNEL_7_1] = {.n_cpus = 2,
                        .driver = "amd-pstate",
                        .mode = "active",
                        .kernel = SIM_KERNEL_7_1,
                        .has_battery = true},
    [SIM_KERNEL_7_3] = {.n_cpus = 2,
                        .driver = "amd-pstate",
                        .mode = "active",
                        .kernel = SIM_KERNEL_7_3,
                        .has_battery = true},
};

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

/* The results of each kernel, in its order; NULL: as the kernel before. What is not accepted leaves
 * the file as it is. */
typedef struct {
  const char *text;
  const char *result[3];
  const char *reads[3];
} WriteCase;

static const WriteCase powersave_writes[] = {
    {"performance\n", {"ok"}, {"performance"}},
    {"balance_performance\n", {"ok"}, {"balance_performance"}},
    {"balance_power", {"ok"}, {"balance_power"}},
    {"power\n", {"ok"}, {"power"}},
    {"default\n", {"ok"}, {"balance_performance"}},
    {"custom\n", {"EINVAL"}, {NULL}},
    {"turbo\n", {"EINVAL"}, {NULL}},
    {"\n", {"EINVAL"}, {NULL}},
    {"", {"EINVAL"}, {NULL}},
    {"64\n", {"EINVAL", "ok"}, {NULL, "64"}},
    {"0x40", {"EINVAL", "ok"}, {NULL, "64"}},
    {"128\n", {"EINVAL", "ok"}, {NULL, "128"}},
    {"0\n", {"EINVAL", "ok"}, {NULL, "0"}},
    {"255", {"EINVAL", "ok"}, {NULL, "255"}},
    {"256", {"EINVAL"}, {NULL}},
    {"-1", {"EINVAL"}, {NULL}},
    {"dynamic\n", {"EINVAL", NULL, "ok"}, {NULL, NULL, "dynamic(profile:performance)"}},
};

static const WriteCase performance_writes[] = {
    {"performance\n", {"ok"}, {"performance"}},
    {"balance_performance\n", {"EBUSY"}, {NULL}},
    {"power\n", {"EBUSY"}, {NULL}},
    {"default\n", {"EBUSY"}, {NULL}},
    {"custom\n", {"EINVAL"}, {NULL}},
    {"turbo\n", {"EINVAL"}, {NULL}},
    {"64\n", {"EINVAL", "EBUSY"}, {NULL}},
    {"0\n", {"EINVAL", "ok"}, {NULL, "0"}},
    {"dynamic\n", {"EINVAL", NULL, "EBUSY"}, {NULL}},
};

static const char *
of_kernel(const char *const results[3], SimKernelVersion kernel)
{
  while (kernel > 0 && !results[kernel])
    kernel--;
  return results[kernel];
}

static void
check_writes(const WriteCase *cases, gsize n_cases, const char *governor, const char *before)
{
  for (gsize i = 0; i < n_cases * G_N_ELEMENTS(kernels); i++) {
    const WriteCase *write = &cases[i / G_N_ELEMENTS(kernels)];
    SimKernelVersion kernel = (SimKernelVersion)(i % G_N_ELEMENTS(kernels));
    const char *reads = of_kernel(write->reads, kernel);
    Fixture fixture;

    g_test_message("'%s' to kernel %d under %s", write->text, (int)kernel, governor);
    fixture_set_up(&fixture, &kernels[kernel]);
    fixture_assert_write(&fixture, EPP, "balance_power", "ok");
    fixture_assert_write(&fixture, GOVERNOR, governor, "ok");
    fixture_assert_read(&fixture, EPP, before);
    fixture_assert_write(&fixture, EPP, write->text, of_kernel(write->result, kernel));
    fixture_assert_read(&fixture, EPP, reads ? reads : before);
    fixture_tear_down(&fixture);
  }
}

static void
test_powersave_writes(void)
{
  check_writes(powersave_writes, G_N_ELEMENTS(powersave_writes), "powersave", "balance_power");
}

static void
test_performance_writes(void)
{
  check_writes(performance_writes, G_N_ELEMENTS(performance_writes), "performance", "performance");
}

static void
test_choices(void)
{
  static const char *const choices[] = {
      [SIM_KERNEL_7_0] = "default performance balance_performance balance_power power ",
      [SIM_KERNEL_7_1] = "default performance balance_performance balance_power power custom ",
      [SIM_KERNEL_7_3] =
          "default performance balance_performance balance_power power custom dynamic ",
  };

  for (gsize i = 0; i < G_N_ELEMENTS(kernels); i++) {
    Fixture fixture;

    fixture_set_up(&fixture, &kernels[i]);
    fixture_assert_read(&fixture, CHOICES, choices[i]);
    fixture_assert_write(&fixture, GOVERNOR, "performance", "ok");
    fixture_assert_read(&fixture, CHOICES, "performance");
    fixture_assert_write(&fixture, GOVERNOR, "powersave", "ok");
    fixture_assert_read(&fixture, CHOICES, choices[i]);
    fixture_tear_down(&fixture);
  }
}

static void
test_zero_stays(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(kernels); i++) {
    Fixture fixture;

    fixture_set_up(&fixture, &kernels[i]);
    fixture_assert_read(&fixture, EPP, "balance_performance");
    fixture_assert_write(&fixture, GOVERNOR, "performance\n", "ok");
    fixture_assert_read(&fixture, EPP, "performance");
    fixture_assert_write(&fixture, GOVERNOR, "powersave\n", "ok");
    fixture_assert_read(&fixture, EPP, "performance");
    fixture_assert_read(&fixture, FIXTURE_POLICY "0" FIXTURE_EPP, "balance_performance");
    fixture_tear_down(&fixture);
  }
}

static void
test_nameless(void)
{
  static const char *const reads[] = {"EINVAL", "EINVAL", "77"};

  for (gsize i = 0; i < G_N_ELEMENTS(kernels); i++) {
    Fixture fixture;

    fixture_set_up(&fixture, &kernels[i]);
    fixture_command(&fixture, "epp 1 77");
    fixture_assert_read(&fixture, EPP, reads[i]);
    fixture_assert_write(&fixture, EPP, "power", "ok");
    fixture_assert_read(&fixture, EPP, "power");
    fixture_command(&fixture, "epp 1 191");
    fixture_assert_read(&fixture, EPP, "balance_power");
    fixture_tear_down(&fixture);
  }
}

static void
test_name_after_number(Fixture *fixture, gconstpointer data)
{
  fixture_assert_write(fixture, EPP, "128", "ok");
  fixture_assert_read(fixture, EPP, "128");
  fixture_assert_write(fixture, EPP, "power", "ok");
  fixture_assert_read(fixture, EPP, "power");
  fixture_assert_write(fixture, EPP, "255", "ok");
  fixture_assert_read(fixture, EPP, "255");
  fixture_assert_write(fixture, GOVERNOR, "performance", "ok");
  fixture_assert_read(fixture, EPP, "0");
}

/* A model by itself, whose requests can be counted. */
static void
test_identical(void)
{
  const SimCpusOptions options = {.n_cpus = 1, .vendor = "AuthenticAMD", .flags = "cppc"};
  Fixture fixture = {.tree = sim_tree_new(NULL, NULL), .news = g_string_new(NULL)};
  SimCpus *cpus = sim_cpus_new(fixture.tree, &options);
  SimCpufreq *cpufreq = sim_cpufreq_new(fixture.tree, cpus, 1);
  SimPlatform *platform = sim_platform_new(fixture.tree);
  SimSupplies *supplies = sim_supplies_new(fixture.tree);
  SimAmdPstate *pstate =
      sim_amd_pstate_new(fixture.tree, cpufreq, platform, supplies, SIM_KERNEL_7_1, "active");
  static const struct {
    const char *text;
    guint n_requests;
  } cases[] = {{"balance_performance", 0}, {"power", 1}, {"power", 1}, {"255", 1},
               {"performance", 2},         {"0", 2},     {"0x80", 3}};

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_test_message("%s", cases[i].text);
    fixture_assert_write(&fixture, FIXTURE_POLICY "0" FIXTURE_EPP, cases[i].text, "ok");
    g_assert_cmpuint(sim_amd_pstate_requests(pstate, 0), ==, cases[i].n_requests);
  }
  sim_amd_pstate_suspend(pstate);
  sim_amd_pstate_resume(pstate, false);
  g_assert_cmpuint(sim_amd_pstate_requests(pstate, 0), ==, 4);
  sim_tree_free(fixture.tree);
  sim_cpufreq_free(cpufreq);
  sim_amd_pstate_free(pstate);
  sim_cpus_free(cpus);
  sim_platform_free(platform);
  sim_supplies_free(supplies);
  g_string_free(fixture.news, TRUE);
}

static void
test_files_of_modes(void)
{
  static const struct {
    const char *mode;
    const char *driver;
    const char *epp;
    const char *governor;
    const char *governors;
  } cases[] = {
      {"active", "amd-pstate-epp", "balance_performance", "powersave", "performance powersave"},
      {"passive", "amd-pstate", "ENOENT", "schedutil",
       "conservative ondemand userspace powersave performance schedutil "},
      {"guided", "amd-pstate", "ENOENT", "schedutil",
       "conservative ondemand userspace powersave performance schedutil "},
      {"disable", "ENOENT", "ENOENT", "ENOENT", "ENOENT"},
  };

  for (gsize from = 0; from < G_N_ELEMENTS(cases); from++) {
    for (gsize to = 0; to < G_N_ELEMENTS(cases); to++) {
      const SimMachineOptions options = {
          .n_cpus = 2, .driver = "amd-pstate", .mode = cases[from].mode};
      Fixture fixture;

      g_test_message("%s to %s", cases[from].mode, cases[to].mode);
      fixture_set_up(&fixture, &options);
      fixture_assert_read(&fixture, STATUS, cases[from].mode);
      fixture_assert_write(&fixture, STATUS, cases[to].mode, "ok");
      fixture_assert_read(&fixture, STATUS, cases[to].mode);
      fixture_assert_read(&fixture, DRIVER, cases[to].driver);
      fixture_assert_read(&fixture, EPP, cases[to].epp);
      fixture_assert_read(&fixture, CHOICES,
                          to == 0 ? "default performance balance_performance balance_power power "
                                  : "ENOENT");
      fixture_assert_read(&fixture, GOVERNOR, cases[to].governor);
      fixture_assert_read(&fixture, FIXTURE_POLICY "1/scaling_available_governors",
                          cases[to].governors);
      fixture_tear_down(&fixture);
    }
  }
}

static void
test_mode_texts(Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *text;
    const char *result;
    const char *status;
  } cases[] = {
      {"active\n", "ok", "active"},      {"bogus\n", "EINVAL", "active"},
      {"bogus7\n", "EINVAL", "active"},  {"", "EINVAL", "active"},
      {"passively", "EINVAL", "active"}, {"off\n", "EINVAL", "active"},
      {"passiv", "ok", "passive"},       {"undefi", "ok", "passive"},
      {"guided\n", "ok", "guided"},      {"disable\n", "ok", "disable"},
      {"active", "ok", "active"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_test_message("'%s'", cases[i].text);
    fixture_assert_write(fixture, STATUS, cases[i].text, cases[i].result);
    fixture_assert_read(fixture, STATUS, cases[i].status);
  }
}

/* Whether what is open of policy1 is dead after the switch from one mode to another. */
static void
test_old_nodes(void)
{
  static const struct {
    const char *from;
    const char *to;
    bool dies;
  } cases[] = {
      {"active", "passive", true},  {"active", "guided", true},   {"active", "disable", true},
      {"active", "active", false},  {"passive", "active", true},  {"guided", "active", true},
      {"passive", "guided", false}, {"guided", "passive", false}, {"passive", "passive", false},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    const SimMachineOptions options = {.n_cpus = 2, .driver = "amd-pstate", .mode = cases[i].from};
    g_autoptr(GString) text = g_string_new(NULL);
    Fixture fixture;
    SimNode *node;

    g_test_message("%s to %s", cases[i].from, cases[i].to);
    fixture_set_up(&fixture, &options);
    node = sim_node_ref(sim_tree_find(fixture.tree, GOVERNOR));
    fixture_assert_write(&fixture, STATUS, cases[i].to, "ok");
    g_assert_true(sim_node_is_dead(node) == cases[i].dies);
    g_assert_cmpint(sim_node_read(node, text), ==, cases[i].dies ? ENODEV : 0);
    g_assert_cmpint(sim_node_write(node, "performance"), ==, cases[i].dies ? ENODEV : 0);
    sim_node_unref(node);
    fixture_tear_down(&fixture);
  }
}

static void
test_mode_resets(Fixture *fixture, gconstpointer data)
{
  fixture_assert_write(fixture, EPP, "64", "ok");
  fixture_assert_write(fixture, FIXTURE_POLICY "0/scaling_governor", "performance", "ok");
  fixture_command(fixture, "mode passive");
  fixture_command(fixture, "mode active");
  fixture_assert_read(fixture, EPP, "balance_performance");
  fixture_assert_read(fixture, FIXTURE_POLICY "0/scaling_governor", "powersave");
  fixture_assert_read(fixture, FIXTURE_POLICY "0" FIXTURE_EPP, "balance_performance");
}

static void
test_mode_while_offline(Fixture *fixture, gconstpointer data)
{
  fixture_command(fixture, "cpu 1 offline");
  fixture_assert_read(fixture, EPP, "EBUSY");
  fixture_command(fixture, "mode passive");
  fixture_command(fixture, "mode active");
  fixture_assert_read(fixture, EPP, "ENOENT");
  fixture_assert_write(fixture, EPP, "power", "ENOENT");
  fixture_command(fixture, "cpu 1 online");
  fixture_assert_read(fixture, EPP, "balance_performance");
}

static void
test_offline(Fixture *fixture, gconstpointer data)
{
  fixture_assert_write(fixture, EPP, "power", "ok");
  fixture_command(fixture, "cpu 1 offline");
  fixture_assert_read(fixture, EPP, "EBUSY");
  fixture_assert_write(fixture, EPP, "performance", "EBUSY");
  fixture_assert_read(fixture, GOVERNOR, "EBUSY");
  fixture_assert_write(fixture, GOVERNOR, "performance", "EBUSY");
  fixture_assert_read(fixture, FIXTURE_POLICY "1/affected_cpus", "EBUSY");
  fixture_command(fixture, "cpu 1 online");
  fixture_assert_read(fixture, EPP, "power");
  fixture_assert_read(fixture, FIXTURE_POLICY "1/affected_cpus", "1");
}

static void
test_suspend(void)
{
  static const struct {
    const char *resume;
    const char *reads;
  } cases[] = {{"resume", "power"}, {"resume epp-performance", "performance"}};

  for (gsize i = 0; i < G_N_ELEMENTS(cases) * G_N_ELEMENTS(kernels); i++) {
    Fixture fixture;

    fixture_set_up(&fixture, &kernels[i / G_N_ELEMENTS(cases)]);
    fixture_assert_write(&fixture, EPP, "power", "ok");
    fixture_command(&fixture, "suspend");
    fixture_assert_read(&fixture, EPP, "EBUSY");
    fixture_assert_read(&fixture, FIXTURE_POLICY "0" FIXTURE_EPP, "balance_performance");
    fixture_command(&fixture, cases[i % G_N_ELEMENTS(cases)].resume);
    fixture_assert_read(&fixture, EPP, cases[i % G_N_ELEMENTS(cases)].reads);
    fixture_tear_down(&fixture);
  }
}

static void
test_driver_files(Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *file;
    const char *text;
  } cases[] = {
      {FIXTURE_POLICY "1/amd_pstate_max_freq", "5000000"},
      {FIXTURE_POLICY "1/amd_pstate_lowest_nonlinear_freq", "1700000"},
      {FIXTURE_POLICY "1/amd_pstate_highest_perf", "196"},
      {FIXTURE_POLICY "1/amd_pstate_hw_prefcore", "enabled"},
      {FIXTURE_POLICY "1/amd_pstate_prefcore_ranking", "196"},
      {FIXTURE_CPU "amd_pstate/prefcore", "enabled"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    fixture_assert_read(fixture, cases[i].file, cases[i].text);
    fixture_assert_write(fixture, cases[i].file, cases[i].text, "EIO");
  }
}

#define ADD(name, kernel, test)                                                                    \
  g_test_add("/sim-amd-pstate/" name, Fixture, &kernels[kernel], set_up, test, tear_down)

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sim-amd-pstate/epp-writes-under-powersave", test_powersave_writes);
  g_test_add_func("/sim-amd-pstate/epp-writes-under-performance", test_performance_writes);
  g_test_add_func("/sim-amd-pstate/available-preferences-by-governor", test_choices);
  g_test_add_func("/sim-amd-pstate/epp-stays-at-0-after-performance", test_zero_stays);
  g_test_add_func("/sim-amd-pstate/nameless-epp-reads-by-kernel", test_nameless);
  ADD("name-after-a-number-reads-as-a-name", SIM_KERNEL_7_1, test_name_after_number);
  g_test_add_func("/sim-amd-pstate/identical-write-is-no-request", test_identical);
  g_test_add_func("/sim-amd-pstate/files-and-governors-by-mode", test_files_of_modes);
  ADD("status-takes-modes", SIM_KERNEL_7_0, test_mode_texts);
  g_test_add_func("/sim-amd-pstate/mode-switch-kills-old-nodes", test_old_nodes);
  ADD("mode-switch-resets", SIM_KERNEL_7_1, test_mode_resets);
  ADD("mode-switch-makes-no-policy-of-offline-cpus", SIM_KERNEL_7_0, test_mode_while_offline);
  ADD("offline-is-busy-and-keeps-epp", SIM_KERNEL_7_0, test_offline);
  g_test_add_func("/sim-amd-pstate/resume-keeps-epp-but-for-the-bug", test_suspend);
  ADD("driver-files", SIM_KERNEL_7_0, test_driver_files);
  return g_test_run();
}
