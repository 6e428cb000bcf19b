/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-powercap.h"

#include "sim-fixture.h"

#define DIR "/sys/devices/virtual/powercap/intel-rapl/intel-rapl:0/"

static const SimMachineOptions options = {.n_cpus = 1, .has_powercap = true};
static const SimMachineOptions none = {.n_cpus = 1};

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

static guint64
read_energy(const Fixture *fixture)
{
  g_autofree char *text = fixture_read(fixture, DIR "energy_uj");
  guint64 energy_uj = 0;

  g_assert_true(g_ascii_string_to_unsigned(text, 10, 0, SIM_POWERCAP_MAX_UJ, &energy_uj, NULL));
  return energy_uj;
}

static void
test_files(Fixture *fixture, gconstpointer data)
{
  fixture_assert_read(fixture, DIR "name", "package-0");
  fixture_assert_read(fixture, DIR "max_energy_range_uj", "262143328850");
  fixture_assert_link(fixture, "/sys/class/powercap/intel-rapl:0",
                      "../../devices/virtual/powercap/intel-rapl/intel-rapl:0");
  fixture_assert_write(fixture, DIR "energy_uj", "0", "EIO");
}

static void
test_wrap(void)
{
  static const struct {
    guint64 energy_uj;
    guint64 reads;
  } cases[] = {
      {0, 0},
      {1, 1},
      {SIM_POWERCAP_MAX_UJ, SIM_POWERCAP_MAX_UJ},
      {SIM_POWERCAP_MAX_UJ + 1, 0},
      {SIM_POWERCAP_MAX_UJ + 5, 4},
      {2 * SIM_POWERCAP_MAX_UJ + 2, 0},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    g_assert_cmpuint(sim_powercap_wrap(cases[i].energy_uj), ==, cases[i].reads);
}

static void
test_use(Fixture *fixture, gconstpointer data)
{
  guint64 first = read_energy(fixture);
  guint64 second = read_energy(fixture);
  guint64 third;

  g_assert_cmpuint(second, >=, first);
  fixture_command(fixture, "powercap use 1000000000");
  third = read_energy(fixture);
  g_assert_cmpuint(third, >=, second + 1000000000);
  /* All but what a wrap needs: it comes out a little ahead of where it was. */
  fixture_command(fixture, "powercap use 262143328850");
  g_assert_cmpuint(sim_powercap_wrap(read_energy(fixture) + 1), >=, third);
  fixture_refuses_command(fixture, "powercap use much");
  fixture_refuses_command(fixture, "powercap explode 1");
}

static void
test_none(Fixture *fixture, gconstpointer data)
{
  g_assert_null(sim_tree_find(fixture->tree, "/sys/class/powercap"));
  fixture_refuses_command(fixture, "powercap use 1");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add("/sim-powercap/files-of-a-package", Fixture, &options, set_up, test_files, tear_down);
  g_test_add_func("/sim-powercap/counter-wraps-past-its-range", test_wrap);
  g_test_add("/sim-powercap/energy-goes-up", Fixture, &options, set_up, test_use, tear_down);
  g_test_add("/sim-powercap/none-is-none", Fixture, &none, set_up, test_none, tear_down);
  return g_test_run();
}
