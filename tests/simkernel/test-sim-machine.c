/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-fixture.h"

#define N_CPUS 1024

static const SimMachineOptions machine = {
    .n_cpus = 2, .driver = "amd-pstate", .mode = "active", .kernel = SIM_KERNEL_7_1};

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
test_nonsense(Fixture *fixture, gconstpointer data)
{
  static const char *const commands[] = {
      "",
      " ",
      "explode",
      "cpu",
      "cpu 1",
      "cpu 1 sideways",
      "cpu one offline",
      "cpu -1 offline",
      "cpu 99999999999 offline",
      "cpu 1  offline",
      "cpu 1 offline now",
      "mode",
      "mode sideways",
      "supply",
      "platform",
      "platform explode",
      "platform remove now",
      "suspend now",
      "resume",
      "resume later",
      "epp_boost",
      "dynamic",
      "dynamic one",
      "epp 1",
      "epp 1 256",
      "epp 7 1",
      "powercap use 1",
      "set",
      "set /sys/nothing 1",
      "set /sys/devices/system/cpu/online 0",
      "set relative 1",
  };

  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    g_test_message("'%s'", commands[i]);
    fixture_refuses_command(fixture, commands[i]);
  }
  fixture_assert_read(fixture, FIXTURE_CPU "online", "0-1");
}

static void
test_resume_says_when(Fixture *fixture, gconstpointer data)
{
  fixture_command(fixture, "suspend");
  fixture_refuses_command(fixture, "resume later");
  fixture_assert_read(fixture, FIXTURE_CPU "online", "0");
  fixture_command(fixture, "resume");
  fixture_assert_read(fixture, FIXTURE_CPU "online", "0-1");
}

static void
test_set(Fixture *fixture, gconstpointer data)
{
  g_autofree char *boot_id = fixture_read(fixture, "/proc/sys/kernel/random/boot_id");

  g_assert_true(g_uuid_string_is_valid(boot_id));
  fixture_command(fixture, "set /proc/sys/kernel/random/boot_id another one");
  fixture_assert_read(fixture, "/proc/sys/kernel/random/boot_id", "another one");
  fixture_command(fixture, "set /sys/firmware/acpi/pm_profile 4");
  fixture_assert_read(fixture, "/sys/firmware/acpi/pm_profile", "4");
  fixture_assert_news(fixture, "");
}

/* libudev lists no device at all without some of them. */
static void
test_skeleton(Fixture *fixture, gconstpointer data)
{
  static const char *const directories[] = {"/sys/bus/platform/devices",   "/sys/bus/cpu/devices",
                                            "/sys/class/power_supply",     "/sys/class/drm",
                                            "/sys/class/platform-profile", "/sys/module"};

  for (gsize i = 0; i < G_N_ELEMENTS(directories); i++) {
    SimNode *node = sim_tree_find(fixture->tree, directories[i]);

    g_test_message("%s", directories[i]);
    g_assert_nonnull(node);
    g_assert_cmpint(sim_node_kind(node), ==, SIM_NODE_DIRECTORY);
  }
}

static void
write_all(const Fixture *fixture, const char *file, const char *text)
{
  for (guint i = 0; i < N_CPUS; i++) {
    g_autofree char *path = g_strdup_printf(FIXTURE_POLICY "%u%s", i, file);

    fixture_assert_write(fixture, path, text, "ok");
  }
}

static void
test_many_cpus(void)
{
  const SimMachineOptions options = {.n_cpus = N_CPUS,
                                     .driver = "amd-pstate",
                                     .mode = "active",
                                     .kernel = SIM_KERNEL_7_1,
                                     .has_battery = true,
                                     .has_epb = true,
                                     .platform_choices = "low-power balanced performance",
                                     .has_platform_class = true};
  Fixture fixture;

  fixture_set_up(&fixture, &options);
  fixture_assert_read(&fixture, FIXTURE_CPU "online", "0-1023");
  write_all(&fixture, "/scaling_governor", "performance");
  write_all(&fixture, "/scaling_governor", "powersave");
  write_all(&fixture, FIXTURE_EPP, "power");
  fixture_assert_write(&fixture, FIXTURE_CPU "amd_pstate/dynamic_epp", "enabled", "ok");
  fixture_command(&fixture, "supply AC online 0");
  fixture_assert_read(&fixture, FIXTURE_POLICY "1023" FIXTURE_EPP, "balance_performance");
  fixture_assert_write(&fixture, "/sys/firmware/acpi/platform_profile", "low-power", "ok");
  fixture_assert_read(&fixture, FIXTURE_POLICY "1023" FIXTURE_EPP, "power");
  fixture_command(&fixture, "suspend");
  fixture_command(&fixture, "resume epp-performance");
  fixture_assert_read(&fixture, FIXTURE_POLICY "1023" FIXTURE_EPP, "performance");
  fixture_command(&fixture, "mode passive");
  fixture_command(&fixture, "mode active");
  fixture_assert_read(&fixture, FIXTURE_CPU "online", "0-1023");
  fixture_tear_down(&fixture);
}

/* In the middle of everything. */
static void
test_free(void)
{
  const SimMachineOptions options = {.n_cpus = 4,
                                     .driver = "amd-pstate",
                                     .mode = "active",
                                     .kernel = SIM_KERNEL_7_3,
                                     .has_battery = true,
                                     .has_powercap = true,
                                     .has_epp_boost = true};
  g_autoptr(GString) text = g_string_new(NULL);
  Fixture fixture;
  SimNode *node;

  fixture_set_up(&fixture, &options);
  node = sim_node_ref(sim_tree_find(fixture.tree, FIXTURE_POLICY "2" FIXTURE_EPP));
  fixture_command(&fixture, "dynamic 2");
  fixture_command(&fixture, "cpu 3 offline");
  fixture_command(&fixture, "suspend");
  g_clear_pointer(&fixture.machine, sim_machine_free);
  g_assert_cmpint(sim_node_read(node, text), ==, ENODEV);
  sim_node_unref(node);
  fixture_tear_down(&fixture);
}

#define ADD(name, options, test)                                                                   \
  g_test_add("/sim-machine/" name, Fixture, &(options), set_up, test, tear_down)

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  ADD("nonsense-is-refused-with-a-reason", machine, test_nonsense);
  ADD("resume-that-is-refused-resumes-nothing", machine, test_resume_says_when);
  ADD("set-changes-constant-files-silently", machine, test_set);
  ADD("what-every-machine-has", machine, test_skeleton);
  g_test_add_func("/sim-machine/1024-cpus", test_many_cpus);
  g_test_add_func("/sim-machine/goes-at-any-time-and-leaves-nodes-dead", test_free);
  return g_test_run();
}
