/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-fixture.h"

#define PARAMETER "/sys/module/amd_pstate/parameters/epp_boost"

static const SimMachineOptions with = {.n_cpus = 1, .has_epp_boost = true};
static const SimMachineOptions without = {.n_cpus = 1};

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
test_texts(Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *text;
    const char *result;
    const char *reads;
  } cases[] = {
      {"Y\n", "ok", "Y"},   {"N\n", "ok", "N"},  {"1\n", "ok", "Y"},     {"0\n", "ok", "N"},
      {"y", "ok", "Y"},     {"n", "ok", "N"},    {"on\n", "ok", "Y"},    {"off\n", "ok", "N"},
      {"2", "EINVAL", "N"}, {"", "EINVAL", "N"}, {"o\n", "EINVAL", "N"},
  };

  fixture_assert_read(fixture, PARAMETER, "N");
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_test_message("'%s'", cases[i].text);
    fixture_assert_write(fixture, PARAMETER, cases[i].text, cases[i].result);
    fixture_assert_read(fixture, PARAMETER, cases[i].reads);
  }
}

static void
test_comes_and_goes(Fixture *fixture, gconstpointer data)
{
  fixture_assert_read(fixture, PARAMETER, "ENOENT");
  fixture_refuses_command(fixture, "epp_boost remove");
  fixture_command(fixture, "epp_boost add");
  fixture_refuses_command(fixture, "epp_boost add");
  fixture_assert_write(fixture, PARAMETER, "1", "ok");
  fixture_command(fixture, "epp_boost remove");
  fixture_assert_read(fixture, PARAMETER, "ENOENT");
  fixture_command(fixture, "epp_boost add");
  fixture_assert_read(fixture, PARAMETER, "N");
  fixture_refuses_command(fixture, "epp_boost explode");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add("/sim-epp-boost/texts-are-a-kernel-bool's", Fixture, &with, set_up, test_texts,
             tear_down);
  g_test_add("/sim-epp-boost/comes-and-goes", Fixture, &without, set_up, test_comes_and_goes,
             tear_down);
  return g_test_run();
}
