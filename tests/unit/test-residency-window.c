/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/residency-window.h"

#define UNTOUCHED 4242

typedef struct {
  const char *what;
  guint64 mperf;
  guint64 tsc;
  gint64 when_usec;
  EppdWindowResult result;
  guint busy_permille; /* SAMPLE only */
} Reading;

static void
check_readings(const Reading *readings, guint n_readings, gint64 max_window_usec)
{
  EppdResidencyWindow window = {0};

  for (guint i = 0; i < n_readings; i++) {
    guint busy_permille = UNTOUCHED;
    EppdWindowResult result =
        eppd_residency_window_add(&window, readings[i].mperf, readings[i].tsc,
                                  readings[i].when_usec, max_window_usec, &busy_permille);

    g_test_message("%s", readings[i].what);
    g_assert_cmpint((int)result, ==, (int)readings[i].result);
    g_assert_cmpuint(busy_permille, ==,
                     result == EPPD_WINDOW_SAMPLE ? readings[i].busy_permille : UNTOUCHED);
  }
}

static void
test_share_of_the_time_since_the_last_reading(void)
{
  static const Reading readings[] = {
      {"the first reading", 1000, 1000, 0, EPPD_WINDOW_BASELINE, 0},
      {"half", 1500, 2000, 10000, EPPD_WINDOW_SAMPLE, 500},
      {"almost half: rounded down", 1999, 3000, 20000, EPPD_WINDOW_SAMPLE, 499},
      {"all", 2999, 4000, 30000, EPPD_WINDOW_SAMPLE, 1000},
      {"more than all: capped", 4100, 5000, 40000, EPPD_WINDOW_SAMPLE, 1000},
      {"hardly any", 4101, 15000, 50000, EPPD_WINDOW_SAMPLE, 0},
  };

  check_readings(readings, G_N_ELEMENTS(readings), 20000);
}

static void
test_counters_that_stand_still_are_no_sample(void)
{
  static const Reading readings[] = {
      {"the first reading", 0, 0, 0, EPPD_WINDOW_BASELINE, 0},
      {"nothing moves", 0, 0, 1000, EPPD_WINDOW_STALLED, 0},
      {"MPERF stands", 0, 100, 2000, EPPD_WINDOW_STALLED, 0},
      {"TSC stands", 100, 0, 3000, EPPD_WINDOW_STALLED, 0},
      {"the baseline was kept", 100, 400, 4000, EPPD_WINDOW_SAMPLE, 250},
      {"stands for longer than a window may be", 100, 400, 30000, EPPD_WINDOW_GAP, 0},
  };

  check_readings(readings, G_N_ELEMENTS(readings), 20000);
}

static void
test_going_back_makes_a_new_baseline(void)
{
  static const Reading readings[] = {
      {"the first reading", 1000, 1000, 10000, EPPD_WINDOW_BASELINE, 0},
      {"MPERF back", 900, 2000, 11000, EPPD_WINDOW_BACKWARDS, 0},
      {"goes on from there", 1000, 2200, 12000, EPPD_WINDOW_SAMPLE, 500},
      {"TSC back", 1100, 2000, 13000, EPPD_WINDOW_BACKWARDS, 0},
      {"the clock back", 1200, 3000, 1000, EPPD_WINDOW_BACKWARDS, 0},
      {"goes on from there", 1300, 3100, 2000, EPPD_WINDOW_SAMPLE, 1000},
  };

  check_readings(readings, G_N_ELEMENTS(readings), 20000);
}

static void
test_a_long_window_makes_a_new_baseline(void)
{
  static const Reading readings[] = {
      {"the first reading", 0, 0, 0, EPPD_WINDOW_BASELINE, 0},
      {"as long as may be", 20, 20, 20000, EPPD_WINDOW_SAMPLE, 1000},
      {"longer", 40, 40, 40001, EPPD_WINDOW_GAP, 0},
      {"goes on from there", 45, 50, 50001, EPPD_WINDOW_SAMPLE, 500},
  };

  check_readings(readings, G_N_ELEMENTS(readings), 20000);
}

static void
test_a_wrap_is_no_going_back(void)
{
  static const Reading readings[] = {
      {"short of the end", G_MAXUINT64 - 9, G_MAXUINT64 - 99, 0, EPPD_WINDOW_BASELINE, 0},
      {"both wrapped", 40, 0, 1000, EPPD_WINDOW_SAMPLE, 500},
  };

  check_readings(readings, G_N_ELEMENTS(readings), 20000);
}

static void
test_absurd_numbers_do_no_harm(void)
{
  static const Reading readings[] = {
      {"the first reading", 0, 0, G_MININT64, EPPD_WINDOW_BASELINE, 0},
      {"as far as times go", 1, 2, G_MAXINT64, EPPD_WINDOW_GAP, 0},
      {"the earliest again", 2, 3, G_MININT64, EPPD_WINDOW_BACKWARDS, 0},
      {"the largest steps forward, a hair below half", 2 + G_MAXUINT64 / 4, 3 + G_MAXUINT64 / 2,
       G_MININT64 + 1, EPPD_WINDOW_SAMPLE, 499},
  };

  check_readings(readings, G_N_ELEMENTS(readings), 20000);
  /* A negative limit leaves no window at all. */
  check_readings((const Reading[]){{"first", 0, 0, 0, EPPD_WINDOW_BASELINE, 0},
                                   {"second", 1, 1, 1, EPPD_WINDOW_GAP, 0}},
                 2, -5);
}

static void
test_reset_forgets_the_baseline(void)
{
  EppdResidencyWindow window = {0};
  guint busy_permille = 0;

  eppd_residency_window_add(&window, 0, 0, 0, 20000, &busy_permille);
  eppd_residency_window_reset(&window);
  g_assert_cmpint((int)eppd_residency_window_add(&window, 10, 10, 10000, 20000, &busy_permille), ==,
                  EPPD_WINDOW_BASELINE);
  g_assert_cmpint((int)eppd_residency_window_add(&window, 15, 20, 20000, 20000, &busy_permille), ==,
                  EPPD_WINDOW_SAMPLE);
  g_assert_cmpuint(busy_permille, ==, 500);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/residency-window/share-of-the-time-since-the-last-reading",
                  test_share_of_the_time_since_the_last_reading);
  g_test_add_func("/residency-window/counters-that-stand-still-are-no-sample",
                  test_counters_that_stand_still_are_no_sample);
  g_test_add_func("/residency-window/going-back-makes-a-new-baseline",
                  test_going_back_makes_a_new_baseline);
  g_test_add_func("/residency-window/a-long-window-makes-a-new-baseline",
                  test_a_long_window_makes_a_new_baseline);
  g_test_add_func("/residency-window/a-wrap-is-no-going-back", test_a_wrap_is_no_going_back);
  g_test_add_func("/residency-window/absurd-numbers-do-no-harm", test_absurd_numbers_do_no_harm);
  g_test_add_func("/residency-window/reset-forgets-the-baseline", test_reset_forgets_the_baseline);
  return g_test_run();
}
