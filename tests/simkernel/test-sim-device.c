/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-device.h"

#include "sim-fixture.h"

static void
set_up(Fixture *fixture, gconstpointer data)
{
  const SimTreeHooks hooks = {.uevent = fixture_on_uevent};

  fixture->news = g_string_new(NULL);
  fixture->tree = sim_tree_new(&hooks, fixture);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  fixture_tear_down(fixture);
}

static void
test_links(Fixture *fixture, gconstpointer data)
{
  SimDevice *bus =
      sim_device_add(fixture->tree, "/devices/system/cpu/cpu3", "cpu", SIM_SUBSYSTEM_BUS);
  SimDevice *class = sim_device_add(fixture->tree, "/devices/platform/x/power_supply/AC",
                                    "power_supply", SIM_SUBSYSTEM_CLASS);

  fixture_assert_link(fixture, "/sys/devices/system/cpu/cpu3/subsystem", "../../../../bus/cpu");
  fixture_assert_link(fixture, "/sys/bus/cpu/devices/cpu3", "../../../devices/system/cpu/cpu3");
  fixture_assert_link(fixture, "/sys/devices/platform/x/power_supply/AC/subsystem",
                      "../../../../../class/power_supply");
  fixture_assert_link(fixture, "/sys/class/power_supply/AC",
                      "../../devices/platform/x/power_supply/AC");
  sim_device_remove(bus);
  sim_device_remove(class);
  g_assert_null(sim_tree_find(fixture->tree, "/sys/class/power_supply/AC"));
  g_assert_null(sim_tree_find(fixture->tree, "/sys/bus/cpu/devices/cpu3"));
  g_assert_null(sim_tree_find(fixture->tree, "/sys/devices/system/cpu/cpu3"));
  fixture_assert_news(fixture, "");
}

static void
test_uevent(Fixture *fixture, gconstpointer data)
{
  static const char *const properties[] = {"A=1", "B=2", NULL};
  static const char file[] = "/sys/devices/x/uevent";
  SimDevice *device = sim_device_add(fixture->tree, "/devices/x", "net", SIM_SUBSYSTEM_CLASS);

  fixture_assert_read(fixture, file, "");
  sim_device_set_properties(device, properties);
  fixture_assert_read(fixture, file, "A=1\nB=2");
  fixture_assert_write(fixture, file, "change\n", "ok");
  fixture_assert_write(fixture, file, "explode\n", "EINVAL");
  fixture_assert_news(fixture, "change net /devices/x\n");
  sim_device_remove(device);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add("/sim-device/links-both-ways", Fixture, NULL, set_up, test_links, tear_down);
  g_test_add("/sim-device/uevent-tells-and-triggers", Fixture, NULL, set_up, test_uevent,
             tear_down);
  return g_test_run();
}
