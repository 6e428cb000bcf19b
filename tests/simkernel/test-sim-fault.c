/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-fault.h"

#include <errno.h>

#define EPP "/sys/devices/system/cpu/cpufreq/policy1/energy_performance_preference"

static SimFaults *
faults_with(const char *command)
{
  SimFaults *faults = sim_faults_new(1);
  g_autofree char *error = NULL;

  g_assert_true(sim_faults_command(faults, command, &error));
  g_assert_null(error);
  return faults;
}

/* Whether a fault applies to each operation, and how. */
static void
test_effects(void)
{
  static const struct {
    const char *command;
    const char *path;
    guint ops; /* to which it applies */
    SimFaultEffect effect;
  } rows[] = {
      {EPP " errno=EIO", EPP, 7, {EIO, 0, -1}},
      {EPP " read errno=EIO", EPP, SIM_FAULT_READ, {EIO, 0, -1}},
      {EPP " write errno=EBUSY", EPP, SIM_FAULT_WRITE, {EBUSY, 0, -1}},
      {EPP " errno=EBUSY write", EPP, SIM_FAULT_WRITE, {EBUSY, 0, -1}},
      {EPP " open errno=EMFILE", EPP, SIM_FAULT_OPEN, {EMFILE, 0, -1}},
      {EPP " read write errno=EIO", EPP, SIM_FAULT_READ | SIM_FAULT_WRITE, {EIO, 0, -1}},
      {EPP " errno=95", EPP, 7, {EOPNOTSUPP, 0, -1}},
      {EPP " errno=EOPNOTSUPP", EPP, 7, {EOPNOTSUPP, 0, -1}},
      {EPP " delay-ms=20", EPP, 7, {0, 20, -1}},
      {EPP " write delay-ms=20 errno=EIO", EPP, SIM_FAULT_WRITE, {EIO, 20, -1}},
      {EPP " short=3", EPP, 7, {0, 0, 3}},
      {EPP " short=0 write", EPP, SIM_FAULT_WRITE, {0, 0, 0}},
      {EPP " empty", EPP, SIM_FAULT_READ, {0, 0, 0}},
      {EPP " errno=EIO probability=1", EPP, 7, {EIO, 0, -1}},
      {EPP " errno=EIO probability=0", EPP, 0, {0}},
      {"/sys/*/policy1/* errno=EIO", EPP, 7, {EIO, 0, -1}},
      {"/sys/*/policy?/* errno=EIO", EPP, 7, {EIO, 0, -1}},
      {"/* errno=EIO", EPP, 7, {EIO, 0, -1}},
      {"/sys/*/policy2/* errno=EIO", EPP, 0, {0}},
      {"/sys errno=EIO", EPP, 0, {0}},
      {EPP "s errno=EIO", EPP, 0, {0}},
      {EPP " vanish", EPP, 0, {0}},
  };

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(SimFaults) faults = faults_with(rows[i].command);

    g_test_message("%s", rows[i].command);
    g_assert_true(sim_faults_are_any(faults));
    for (guint op = SIM_FAULT_READ; op <= SIM_FAULT_OPEN; op <<= 1) {
      SimFaultEffect effect = {-1, 1, -2};

      g_assert_cmpint(sim_faults_apply(faults, op, rows[i].path, &effect), ==,
                      (rows[i].ops & op) != 0);
      g_assert_cmpint(effect.error, ==, rows[i].ops & op ? rows[i].effect.error : -1);
      g_assert_cmpint(effect.delay_ms, ==, rows[i].ops & op ? rows[i].effect.delay_ms : 1);
      g_assert_cmpint(effect.limit, ==, rows[i].ops & op ? rows[i].effect.limit : -2);
    }
  }
}

static void
test_refused_commands(void)
{
  static const char *const commands[] = {
      "",
      "sys errno=EIO",
      "* errno=EIO",
      EPP,
      EPP " ",
      EPP "  errno=EIO",
      EPP " read",
      EPP " errno=",
      EPP " errno=EFOO",
      EPP " errno=eio",
      EPP " errno=0",
      EPP " errno=-5",
      EPP " errno=512",
      EPP " errno=99999999999999999999",
      EPP " errno",
      EPP " delay-ms=-1",
      EPP " delay-ms=1s",
      EPP " delay-ms=99999999",
      EPP " short=-1",
      EPP " short=99999999999",
      EPP " errno=EIO count=0",
      EPP " errno=EIO count=-1",
      EPP " errno=EIO count=4294967295",
      EPP " errno=EIO probability=",
      EPP " errno=EIO probability=1.1",
      EPP " errno=EIO probability=-0.1",
      EPP " errno=EIO probability=nan",
      EPP " errno=EIO probability=0.5x",
      EPP " vanish read",
      EPP " vanish count=1",
      EPP " vanish probability=0.5",
      EPP " vanish errno=EIO",
      EPP " delay-ms=0",
      EPP " execute errno=EIO",
      "clear " EPP " more",
  };

  for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
    g_autoptr(SimFaults) faults = sim_faults_new(1);
    g_autofree char *error = NULL;

    g_test_message("%s", commands[i]);
    g_assert_false(sim_faults_command(faults, commands[i], &error));
    g_assert_nonnull(error);
    g_assert_false(sim_faults_are_any(faults));
  }
}

static bool
fails(SimFaults *faults, const char *path)
{
  SimFaultEffect effect;

  return sim_faults_apply(faults, SIM_FAULT_READ, path, &effect);
}

static void
test_a_count_ends_it(void)
{
  g_autoptr(SimFaults) faults = faults_with(EPP " read errno=EIO count=2");
  SimFaultEffect effect;

  g_assert_false(sim_faults_apply(faults, SIM_FAULT_WRITE, EPP, &effect));
  g_assert_true(fails(faults, EPP));
  g_assert_false(fails(faults, "/else"));
  g_assert_true(fails(faults, EPP));
  g_assert_false(sim_faults_are_any(faults));
  g_assert_false(fails(faults, EPP));
  g_assert_cmpuint(sim_faults_n_met(faults), ==, 2);
}

static void
test_the_first_that_applies(void)
{
  g_autoptr(SimFaults) faults = faults_with(EPP " read errno=EIO count=1");
  SimFaultEffect effect;

  g_assert_true(sim_faults_command(faults, "/* errno=EBUSY", NULL));
  g_assert_true(sim_faults_apply(faults, SIM_FAULT_READ, EPP, &effect));
  g_assert_cmpint(effect.error, ==, EIO);
  g_assert_true(sim_faults_apply(faults, SIM_FAULT_READ, EPP, &effect));
  g_assert_cmpint(effect.error, ==, EBUSY);
}

static void
test_clear(void)
{
  g_autoptr(SimFaults) faults = faults_with("/a errno=EIO");

  g_assert_true(sim_faults_command(faults, "/b errno=EIO", NULL));
  g_assert_true(sim_faults_command(faults, "/c vanish", NULL));
  g_assert_true(sim_faults_command(faults, "clear /none", NULL));
  g_assert_true(fails(faults, "/a"));
  g_assert_true(sim_faults_command(faults, "clear /a", NULL));
  g_assert_false(fails(faults, "/a"));
  g_assert_true(fails(faults, "/b"));
  g_assert_true(sim_faults_is_vanished(faults, "/c"));
  g_assert_true(sim_faults_command(faults, "clear", NULL));
  g_assert_false(sim_faults_are_any(faults));
  g_assert_false(sim_faults_is_vanished(faults, "/c"));
}

static guint64
pattern_of(guint32 seed)
{
  g_autoptr(SimFaults) faults = sim_faults_new(seed);
  guint64 pattern = 0;

  g_assert_true(sim_faults_command(faults, "/a errno=EIO probability=0.5", NULL));
  for (guint i = 0; i < 64; i++)
    pattern = pattern << 1 | fails(faults, "/a");
  return pattern;
}

static void
test_chance_is_the_seed_s(void)
{
  g_assert_cmpuint(pattern_of(1), ==, pattern_of(1));
  g_assert_cmpuint(pattern_of(1), !=, pattern_of(2));
}

static void
test_what_is_below_vanishes_too(void)
{
  static const struct {
    const char *path;
    bool vanished;
  } rows[] = {
      {"/a/b", true}, {"/a/b/c", true}, {"/a/b/c/d", true}, {"/a", false},
      {"/", false},   {"/a/bc", false}, {"/b", false},
  };
  g_autoptr(SimFaults) faults = faults_with("/a/b vanish");

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_message("%s", rows[i].path);
    g_assert_cmpint(sim_faults_is_vanished(faults, rows[i].path), ==, rows[i].vanished);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sim-fault/effects", test_effects);
  g_test_add_func("/sim-fault/refused-commands", test_refused_commands);
  g_test_add_func("/sim-fault/a-count-ends-it", test_a_count_ends_it);
  g_test_add_func("/sim-fault/the-first-that-applies", test_the_first_that_applies);
  g_test_add_func("/sim-fault/clear", test_clear);
  g_test_add_func("/sim-fault/chance-is-the-seed-s", test_chance_is_the_seed_s);
  g_test_add_func("/sim-fault/what-is-below-vanishes-too", test_what_is_below_vanishes_too);
  return g_test_run();
}
