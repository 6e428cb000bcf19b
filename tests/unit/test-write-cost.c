/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/write-cost.h"

static void
note(EppdWriteCost *cost, guint times, gint64 taken_usec)
{
  for (guint i = 0; i < times; i++)
    eppd_write_cost_note(cost, taken_usec);
}

static void
test_a_few_writes_say_nothing(void)
{
  EppdWriteCost cost = {0};

  g_assert_cmpint(eppd_write_cost_fastest_usec(&cost), ==, 0);
  note(&cost, EPPD_WRITE_COST_MIN_WRITES - 1, 40000);
  g_assert_cmpint(eppd_write_cost_usec(&cost), ==, 0);
  g_assert_cmpint(eppd_write_cost_fastest_usec(&cost), ==, 40000);
  note(&cost, 1, 40000);
  g_assert_cmpint(eppd_write_cost_usec(&cost), ==, 40000);
}

static void
test_the_fastest_counts_in_whole_steps(void)
{
  static const struct {
    gint64 taken_usec, judged_usec;
  } rows[] = {
      {-5, 100}, {0, 100}, {1, 100}, {100, 100}, {101, 200}, {4321, 4400},
  };

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    EppdWriteCost cost = {0};

    note(&cost, 1, rows[i].taken_usec);
    note(&cost, EPPD_WRITE_COST_MIN_WRITES, 50000);
    g_assert_cmpint(eppd_write_cost_usec(&cost), ==, rows[i].judged_usec);
  }
}

static void
test_one_that_was_preempted_changes_nothing(void)
{
  EppdWriteCost cost = {0};

  for (guint i = 0; i < 5 * EPPD_WRITE_COST_WINDOW; i++)
    note(&cost, 1, i % EPPD_WRITE_COST_WINDOW == 0 ? 50 : 30000);
  g_assert_cmpint(eppd_write_cost_usec(&cost), ==, 100);
}

static void
test_a_driver_that_becomes_slow_is_told(void)
{
  EppdWriteCost cost = {0};

  note(&cost, EPPD_WRITE_COST_WINDOW, 50);
  note(&cost, EPPD_WRITE_COST_WINDOW - 1, 30000);
  g_assert_cmpint(eppd_write_cost_usec(&cost), ==, 100);
  note(&cost, 1, 30000);
  g_assert_cmpint(eppd_write_cost_usec(&cost), ==, 30000);
  g_assert_cmpint(eppd_write_cost_fastest_usec(&cost), ==, 30000);
  /* And one that becomes fast is, at once. */
  note(&cost, 1, 400);
  g_assert_cmpint(eppd_write_cost_usec(&cost), ==, 400);
}

static void
test_a_little_slower_is_no_news(void)
{
  EppdWriteCost cost = {0};

  note(&cost, EPPD_WRITE_COST_WINDOW, 950);
  note(&cost, 2 * EPPD_WRITE_COST_WINDOW, 2001);
  g_assert_cmpint(eppd_write_cost_usec(&cost), ==, 1000);
  note(&cost, EPPD_WRITE_COST_WINDOW, 2002);
  g_assert_cmpint(eppd_write_cost_usec(&cost), ==, 2100);
}

static void
test_what_is_forgotten_is_measured_anew(void)
{
  EppdWriteCost cost = {0};

  note(&cost, EPPD_WRITE_COST_WINDOW, 30000);
  eppd_write_cost_forget(&cost);
  g_assert_cmpint(eppd_write_cost_usec(&cost), ==, 0);
  note(&cost, EPPD_WRITE_COST_MIN_WRITES, G_MAXINT64);
  g_assert_cmpint(eppd_write_cost_usec(&cost), >, G_MAXINT64 / 4);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/write-cost/a-few-writes-say-nothing", test_a_few_writes_say_nothing);
  g_test_add_func("/write-cost/the-fastest-counts-in-whole-steps",
                  test_the_fastest_counts_in_whole_steps);
  g_test_add_func("/write-cost/one-that-was-preempted-changes-nothing",
                  test_one_that_was_preempted_changes_nothing);
  g_test_add_func("/write-cost/a-driver-that-becomes-slow-is-told",
                  test_a_driver_that_becomes_slow_is_told);
  g_test_add_func("/write-cost/a-little-slower-is-no-news", test_a_little_slower_is_no_news);
  g_test_add_func("/write-cost/what-is-forgotten-is-measured-anew",
                  test_what_is_forgotten_is_measured_anew);
  return g_test_run();
}
