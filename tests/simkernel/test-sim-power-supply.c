/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-power-supply.h"

#include "sim-fixture.h"

#define DEVPATH(name) "/devices/platform/supply." name "/power_supply/" name
#define DEVICE(name)  "/sys" DEVPATH(name)

static const SimMachineOptions laptop = {.n_cpus = 1, .has_battery = true};

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
test_laptop(Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *file;
    const char *text;
  } cases[] = {
      {DEVICE("AC") "/type", "Mains"},           {DEVICE("AC") "/online", "1"},
      {DEVICE("AC") "/capacity", "ENOENT"},      {DEVICE("BAT0") "/type", "Battery"},
      {DEVICE("BAT0") "/status", "Full"},        {DEVICE("BAT0") "/capacity", "100"},
      {DEVICE("BAT0") "/present", "1"},          {DEVICE("BAT0") "/online", "ENOENT"},
      {DEVICE("BAT0") "/charge_type", "ENOENT"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    fixture_assert_read(fixture, cases[i].file, cases[i].text);
  fixture_assert_link(fixture, "/sys/class/power_supply/AC", "../.." DEVPATH("AC"));
  fixture_assert_link(fixture, DEVICE("AC") "/device", "../..");
  fixture_assert_link(fixture, DEVICE("AC") "/subsystem", "../../../../../class/power_supply");
  fixture_assert_write(fixture, DEVICE("AC") "/online", "0", "EIO");
}

static void
test_online(Fixture *fixture, gconstpointer data)
{
  g_autofree char *properties = NULL;

  fixture_command(fixture, "supply AC online 0");
  fixture_assert_news(fixture, "change power_supply " DEVPATH("AC") "\n");
  fixture_assert_read(fixture, DEVICE("AC") "/online", "0");
  properties = fixture_read(fixture, DEVICE("AC") "/uevent");
  g_assert_nonnull(strstr(properties, "POWER_SUPPLY_NAME=AC\n"));
  g_assert_nonnull(strstr(properties, "POWER_SUPPLY_ONLINE=0"));
  fixture_command(fixture, "supply AC online 2");
  fixture_assert_read(fixture, DEVICE("AC") "/online", "2");
  fixture_refuses_command(fixture, "supply AC online 3");
  fixture_refuses_command(fixture, "supply BAT0 online 1");
  fixture_refuses_command(fixture, "supply none online 1");
}

static void
test_add(Fixture *fixture, gconstpointer data)
{
  fixture_command(fixture, "supply ucsi add USB");
  fixture_assert_news(fixture, "add power_supply " DEVPATH("ucsi") "\n");
  fixture_assert_read(fixture, DEVICE("ucsi") "/online", "1");
  fixture_refuses_command(fixture, "supply ucsi add USB");
  fixture_refuses_command(fixture, "supply a/b add USB");
  fixture_refuses_command(fixture, "supply .. add USB");
  fixture_command(fixture, "supply ucsi remove");
  fixture_assert_news(fixture, "remove power_supply " DEVPATH("ucsi") "\n");
  g_assert_null(sim_tree_find(fixture->tree, "/sys/class/power_supply/ucsi"));
  g_assert_null(sim_tree_find(fixture->tree, "/sys/devices/platform/supply.ucsi"));
  fixture_refuses_command(fixture, "supply ucsi remove");
  fixture_command(fixture, "supply ucsi add USB");
}

static void
test_set(Fixture *fixture, gconstpointer data)
{
  g_string_truncate(fixture->news, 0);
  fixture_command(fixture, "supply BAT0 set status Not charging");
  fixture_assert_read(fixture, DEVICE("BAT0") "/status", "Not charging");
  fixture_command(fixture, "supply BAT0 set capacity 17");
  fixture_assert_read(fixture, DEVICE("BAT0") "/capacity", "17");
  fixture_command(fixture, "supply BAT0 set device/typec/port0/power_role source [sink]");
  fixture_assert_read(fixture, "/sys/devices/platform/supply.BAT0/typec/port0/power_role",
                      "source [sink]");
  fixture_command(fixture, "supply BAT0 set device/typec/port0/power_role [source] sink");
  fixture_assert_read(fixture, "/sys/devices/platform/supply.BAT0/typec/port0/power_role",
                      "[source] sink");
  fixture_assert_news(fixture, "");
}

static void
test_set_refused(Fixture *fixture, gconstpointer data)
{
  static const char *const commands[] = {
      "supply none set status Full",
      "supply BAT0 set status",
      "supply BAT0 set ../x 1",
      "supply BAT0 set a/b 1",
      "supply BAT0 set uevent 1",
      "supply BAT0 set subsystem 1",
      "supply BAT0 set device 1",
      "supply BAT0 set device/power_supply 1",
      "supply BAT0 set device/uevent/x 1",
      "supply BAT0 set device/../x 1",
      "supply BAT0 explode now",
      "supply BAT0",
  };

  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    g_test_message("%s", commands[i]);
    fixture_refuses_command(fixture, commands[i]);
  }
}

static void
test_charge_type(Fixture *fixture, gconstpointer data)
{
  static const char file[] = DEVICE("mouse") "/charge_type";
  static const struct {
    const char *text;
    const char *result;
    const char *reads;
  } cases[] = {
      {"Trickle\n", "ok", "Trickle"},     {"Fast", "ok", "Fast"},
      {"Long Life\n", "ok", "Long Life"}, {"4\n", "ok", "Standard"},
      {"trickle", "EINVAL", "Standard"},  {"99", "EINVAL", "Standard"},
      {"", "EINVAL", "Standard"},
  };

  fixture_command(fixture, "supply mouse add Battery");
  fixture_command(fixture, "supply mouse set scope Device");
  fixture_command(fixture, "supply mouse set charge_type Standard");
  fixture_assert_read(fixture, file, "Standard");
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_test_message("'%s'", cases[i].text);
    fixture_assert_write(fixture, file, cases[i].text, cases[i].result);
    fixture_assert_read(fixture, file, cases[i].reads);
  }
  fixture_command(fixture, "supply mouse set charge_type Adaptive");
  fixture_assert_read(fixture, file, "Adaptive");
}

/* The kernel's rule, each a machine of its own. */
static void
test_feeding(void)
{
  static const struct {
    const char *supplies[3][4]; /* name, type, online or NULL, scope or NULL */
    bool is_feeding;
  } cases[] = {
      {{{NULL}}, true},
      {{{"AC", "Mains", "1"}}, true},
      {{{"AC", "Mains", "2"}}, true},
      {{{"AC", "Mains", "0"}}, false},
      {{{"BAT0", "Battery"}}, false},
      {{{"AC", "Mains", "0"}, {"BAT0", "Battery"}}, false},
      {{{"AC", "Mains", "1"}, {"BAT0", "Battery"}}, true},
      {{{"AC", "Mains", "0"}, {"usb", "USB", "1"}}, true},
      {{{"mouse", "Battery", NULL, "Device"}}, true},
      {{{"mouse", "Battery", NULL, "Device"}, {"AC", "Mains", "0"}}, false},
      {{{"dock", "Wireless", "1", "Device"}, {"BAT0", "Battery"}}, false},
      {{{"ups", "UPS", "1", "System"}, {"BAT0", "Battery"}}, true},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    SimTree *tree = sim_tree_new(NULL, NULL);
    SimSupplies *supplies = sim_supplies_new(tree);

    for (gsize j = 0; j < 3 && cases[i].supplies[j][0]; j++) {
      const char *const *supply = cases[i].supplies[j];

      g_assert_true(sim_supplies_add(supplies, supply[0], supply[1]));
      if (supply[2])
        g_assert_true(sim_supplies_set_online(supplies, supply[0], supply[2]));
      if (supply[3])
        g_assert_true(sim_supplies_set(supplies, supply[0], "scope", supply[3]));
    }
    g_test_message("case %" G_GSIZE_FORMAT, i);
    g_assert_true(sim_supplies_are_feeding(supplies) == cases[i].is_feeding);
    sim_tree_free(tree);
    sim_supplies_free(supplies);
  }
}

#define ADD(name, options, test)                                                                   \
  g_test_add("/sim-power-supply/" name, Fixture, &(options), set_up, test, tear_down)

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  ADD("laptop-has-adapter-and-battery", laptop, test_laptop);
  ADD("online-changes-with-a-uevent", laptop, test_online);
  ADD("supplies-come-and-go-with-a-uevent", laptop, test_add);
  ADD("set-makes-and-changes-files-silently", laptop, test_set);
  ADD("set-refuses-what-is-no-file-of-it", laptop, test_set_refused);
  ADD("charge-type-can-be-written", laptop, test_charge_type);
  g_test_add_func("/sim-power-supply/feeding-by-the-kernel's-rule", test_feeding);
  return g_test_run();
}
