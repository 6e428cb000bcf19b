/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-fixture.h"

#define EPP      FIXTURE_POLICY "1" FIXTURE_EPP
#define GOVERNOR FIXTURE_POLICY "1/scaling_governor"
#define DYNAMIC  FIXTURE_CPU "amd_pstate/dynamic_epp"
#define LEGACY   "/sys/firmware/acpi/platform_profile"
#define CLASS    "/sys/class/platform-profile/"

/* What the class's device of policyN is, firmware having none. */
#define DEVICE(cpu, number)                                                                        \
  "/sys/devices/system/cpu/cpu" #cpu "/platform-profile/platform-profile-" #number

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

/* The table of dynamic_epp, EPP by profile and source. */
static const struct {
  const char *profile;
  const char *on_ac;
  const char *on_battery;
} dynamic_table[] = {
    {"low-power", "power", "power"},
    {"balanced", "performance", "balance_performance"},
    {"performance", "performance", "performance"},
};

static void
assert_dynamic_reads(const Fixture *fixture, const char *epp, bool is_marked)
{
  g_autofree char *text = is_marked ? g_strdup_printf("dynamic(profile:%s)", epp) : g_strdup(epp);

  fixture_assert_read(fixture, EPP, text);
  fixture_assert_read(fixture, FIXTURE_POLICY "0" FIXTURE_EPP, text);
}

static void
test_dynamic_table(gconstpointer data)
{
  const SimMachineOptions *options = data;
  bool is_marked = options->kernel == SIM_KERNEL_7_3;

  for (gsize i = 0; i < G_N_ELEMENTS(dynamic_table); i++) {
    Fixture fixture;

    fixture_set_up(&fixture, options);
    if (is_marked) {
      fixture_command(&fixture, "dynamic 0");
      fixture_assert_write(&fixture, EPP, "dynamic", "ok");
    } else {
      fixture_assert_write(&fixture, DYNAMIC, "enabled", "ok");
    }
    g_test_message("%s", dynamic_table[i].profile);
    fixture_assert_write(&fixture, LEGACY, dynamic_table[i].profile, "ok");
    assert_dynamic_reads(&fixture, dynamic_table[i].on_ac, is_marked);
    fixture_command(&fixture, "supply AC online 0");
    assert_dynamic_reads(&fixture, dynamic_table[i].on_battery, is_marked);
    fixture_assert_write(&fixture, LEGACY, "performance", "ok");
    fixture_assert_write(&fixture, LEGACY, dynamic_table[i].profile, "ok");
    assert_dynamic_reads(&fixture, dynamic_table[i].on_battery, is_marked);
    fixture_command(&fixture, "supply AC online 1");
    assert_dynamic_reads(&fixture, dynamic_table[i].on_ac, is_marked);
    fixture_tear_down(&fixture);
  }
}

static void
test_dynamic_file(Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *text;
    const char *result;
    const char *reads;
  } cases[] = {
      {"disabled\n", "EINVAL", "disabled"},
      {"maybe", "EINVAL", "disabled"},
      {"enabled\n", "ok", "enabled"},
      {"1", "EINVAL", "enabled"},
      {"0\n", "ok", "disabled"},
      {"on", "ok", "enabled"},
      {"off", "ok", "disabled"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_test_message("'%s'", cases[i].text);
    fixture_assert_write(fixture, DYNAMIC, cases[i].text, cases[i].result);
    fixture_assert_read(fixture, DYNAMIC, cases[i].reads);
  }
}

static void
test_dynamic_file_there(void)
{
  static const char *const reads[] = {"ENOENT", "disabled", "ENOENT"};

  for (gsize i = 0; i < G_N_ELEMENTS(kernels); i++) {
    Fixture fixture;

    fixture_set_up(&fixture, &kernels[i]);
    fixture_assert_read(&fixture, DYNAMIC, reads[i]);
    fixture_tear_down(&fixture);
  }
}

static void
test_dynamic_refuses(Fixture *fixture, gconstpointer data)
{
  static const char *const texts[] = {"performance", "power", "64", "custom", "nonsense"};

  fixture_assert_write(fixture, DYNAMIC, "enabled", "ok");
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
    fixture_assert_write(fixture, EPP, texts[i], "EBUSY");
  fixture_assert_write(fixture, GOVERNOR, "performance", "EBUSY");
  fixture_assert_write(fixture, GOVERNOR, "powersave", "ok");
  fixture_assert_read(fixture, EPP, "performance");
  fixture_assert_write(fixture, DYNAMIC, "disabled", "ok");
  fixture_assert_write(fixture, EPP, "power", "ok");
}

static void
test_dynamic_reregisters(Fixture *fixture, gconstpointer data)
{
  SimNode *node = sim_node_ref(sim_tree_find(fixture->tree, EPP));

  fixture_assert_write(fixture, EPP, "power", "ok");
  fixture_assert_write(fixture, DYNAMIC, "enabled", "ok");
  g_assert_true(sim_node_is_dead(node));
  g_assert_cmpint(sim_node_write(node, "power"), ==, ENODEV);
  sim_node_unref(node);
  fixture_assert_write(fixture, DYNAMIC, "disabled", "ok");
  fixture_assert_read(fixture, EPP, "balance_performance");
}

static void
test_dynamic_devices(Fixture *fixture, gconstpointer data)
{
  fixture_assert_read(fixture, LEGACY, "ENOENT");
  fixture_assert_write(fixture, DYNAMIC, "enabled", "ok");
  fixture_assert_read(fixture, DEVICE(0, 0) "/name", "amd-pstate-epp-cpu0");
  fixture_assert_read(fixture, DEVICE(1, 1) "/name", "amd-pstate-epp-cpu1");
  fixture_assert_read(fixture, DEVICE(1, 1) "/choices", "low-power balanced performance");
  fixture_assert_read(fixture, DEVICE(1, 1) "/profile", "balanced");
  fixture_assert_link(fixture, CLASS "platform-profile-1",
                      "../../devices/system/cpu/cpu1/platform-profile/platform-profile-1");
  fixture_assert_read(fixture, LEGACY "_choices", "low-power balanced performance");
  fixture_assert_read(fixture, LEGACY, "balanced");
  fixture_assert_write(fixture, DEVICE(1, 1) "/profile", "low-power", "ok");
  fixture_assert_read(fixture, EPP, "power");
  fixture_assert_read(fixture, FIXTURE_POLICY "0" FIXTURE_EPP, "performance");
  fixture_assert_read(fixture, LEGACY, "custom");
  fixture_assert_write(fixture, DYNAMIC, "disabled", "ok");
  fixture_assert_read(fixture, LEGACY, "ENOENT");
  g_assert_null(sim_tree_find(fixture->tree, CLASS "platform-profile-0"));
}

static void
test_dynamic_beside_firmware(void)
{
  const SimMachineOptions options = {.n_cpus = 1,
                                     .driver = "amd-pstate",
                                     .mode = "active",
                                     .kernel = SIM_KERNEL_7_1,
                                     .platform_choices = "quiet balanced performance",
                                     .has_platform_class = true};
  Fixture fixture;

  fixture_set_up(&fixture, &options);
  fixture_assert_read(&fixture, LEGACY "_choices", "quiet balanced performance");
  fixture_assert_write(&fixture, DYNAMIC, "enabled", "ok");
  fixture_assert_read(&fixture, LEGACY "_choices", "balanced performance");
  fixture_assert_write(&fixture, LEGACY, "quiet", "EOPNOTSUPP");
  fixture_assert_write(&fixture, LEGACY, "performance", "ok");
  fixture_assert_read(&fixture, FIXTURE_POLICY "0" FIXTURE_EPP, "performance");
  fixture_tear_down(&fixture);
}

static void
test_dynamic_and_modes(Fixture *fixture, gconstpointer data)
{
  fixture_assert_write(fixture, DYNAMIC, "enabled", "ok");
  fixture_command(fixture, "mode passive");
  fixture_assert_read(fixture, LEGACY, "ENOENT");
  fixture_assert_read(fixture, DYNAMIC, "enabled");
  fixture_assert_write(fixture, DYNAMIC, "disabled", "EINVAL");
  fixture_command(fixture, "supply AC online 0");
  fixture_command(fixture, "mode active");
  fixture_assert_read(fixture, LEGACY, "balanced");
  fixture_assert_read(fixture, EPP, "balance_performance");
  fixture_assert_write(fixture, EPP, "power", "EBUSY");
}

/* What a write to a dynamic policy of 7.3 does to it. */
static void
test_dynamic_leaves(void)
{
  static const struct {
    const char *file;
    const char *text;
    const char *result;
    const char *reads;
    bool is_dynamic;
  } cases[] = {
      {EPP, "power", "ok", "power", false},
      {EPP, "performance", "ok", "performance", false},
      {EPP, "64", "ok", "64", false},
      {EPP, "default", "ok", "balance_performance", false},
      {EPP, "custom", "EINVAL", "dynamic(profile:performance)", true},
      {EPP, "nonsense", "EINVAL", "dynamic(profile:performance)", true},
      {EPP, "dynamic", "ok", "dynamic(profile:performance)", true},
      {GOVERNOR, "powersave", "ok", "dynamic(profile:performance)", true},
      {GOVERNOR, "performance", "ok", "performance", false},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    Fixture fixture;

    g_test_message("'%s' to %s", cases[i].text, cases[i].file);
    fixture_set_up(&fixture, &kernels[SIM_KERNEL_7_3]);
    fixture_command(&fixture, "dynamic 1");
    fixture_assert_read(&fixture, DEVICE(1, 0) "/name", "amd-pstate-epp-cpu1");
    fixture_assert_write(&fixture, cases[i].file, cases[i].text, cases[i].result);
    fixture_assert_read(&fixture, EPP, cases[i].reads);
    fixture_assert_read(&fixture, DEVICE(1, 0) "/name",
                        cases[i].is_dynamic ? "amd-pstate-epp-cpu1" : "ENOENT");
    fixture_tear_down(&fixture);
  }
}

static void
test_dynamic_again(Fixture *fixture, gconstpointer data)
{
  fixture_command(fixture, "dynamic 0");
  fixture_command(fixture, "dynamic 1");
  fixture_assert_write(fixture, LEGACY, "low-power", "ok");
  fixture_assert_read(fixture, EPP, "dynamic(profile:power)");
  fixture_assert_write(fixture, EPP, "power", "ok");
  fixture_assert_write(fixture, EPP, "dynamic", "ok");
  fixture_assert_read(fixture, EPP, "dynamic(profile:performance)");
  fixture_assert_read(fixture, LEGACY, "custom");
}

static void
test_dynamic_after_number(Fixture *fixture, gconstpointer data)
{
  fixture_assert_write(fixture, EPP, "64", "ok");
  fixture_assert_write(fixture, EPP, "dynamic", "ok");
  fixture_assert_read(fixture, EPP, "dynamic(profile:performance)");
}

static void
test_dynamic_command(void)
{
  static const bool accepted[] = {false, false, true};

  for (gsize i = 0; i < G_N_ELEMENTS(kernels); i++) {
    Fixture fixture;

    fixture_set_up(&fixture, &kernels[i]);
    if (accepted[i])
      fixture_command(&fixture, "dynamic 1");
    else
      fixture_refuses_command(&fixture, "dynamic 1");
    fixture_refuses_command(&fixture, "dynamic 2");
    fixture_command(&fixture, "mode passive");
    fixture_refuses_command(&fixture, "dynamic 1");
    fixture_tear_down(&fixture);
  }
}

#define ADD(name, kernel, test)                                                                    \
  g_test_add("/sim-dynamic-epp/" name, Fixture, &kernels[kernel], set_up, test, tear_down)

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/sim-dynamic-epp/follows-its-table/7.1", &kernels[SIM_KERNEL_7_1],
                       test_dynamic_table);
  g_test_add_data_func("/sim-dynamic-epp/follows-its-table/7.3", &kernels[SIM_KERNEL_7_3],
                       test_dynamic_table);
  g_test_add_func("/sim-dynamic-epp/file-is-7.1's", test_dynamic_file_there);
  ADD("file-takes-a-change", SIM_KERNEL_7_1, test_dynamic_file);
  ADD("refuses-others", SIM_KERNEL_7_1, test_dynamic_refuses);
  ADD("registers-the-driver-again", SIM_KERNEL_7_1, test_dynamic_reregisters);
  ADD("has-a-device-a-cpu", SIM_KERNEL_7_1, test_dynamic_devices);
  ADD("outlives-a-mode-switch", SIM_KERNEL_7_1, test_dynamic_and_modes);
  g_test_add_func("/sim-dynamic-epp/narrows-the-firmware's-choices", test_dynamic_beside_firmware);
  g_test_add_func("/sim-dynamic-epp/policy-is-left-by-a-static-write", test_dynamic_leaves);
  ADD("policy-enters-balanced", SIM_KERNEL_7_3, test_dynamic_again);
  ADD("policy-forgets-the-number", SIM_KERNEL_7_3, test_dynamic_after_number);
  g_test_add_func("/sim-dynamic-epp/command-is-7.3's", test_dynamic_command);
  return g_test_run();
}
