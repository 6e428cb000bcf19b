/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/boost-state.h"

#define MS 1000

static const EppdBoostParams rfc = {.threshold_permille = 500, .hold_usec = 300 * MS};

static void
test_busy_from_the_threshold_on(void)
{
  EppdBoostState state = {0};

  g_assert_cmpint((int)eppd_boost_state_sample(&state, &rfc, 499, 0), ==, EPPD_EDGE_NONE);
  g_assert_false(state.boosted);
  g_assert_cmpint((int)eppd_boost_state_sample(&state, &rfc, 500, 10 * MS), ==, EPPD_EDGE_BUSY);
  g_assert_true(state.boosted);
  g_assert_cmpint(state.last_busy_usec, ==, 10 * MS);
}

static void
test_one_edge_an_episode(void)
{
  EppdBoostState state = {0};

  g_assert_cmpint((int)eppd_boost_state_sample(&state, &rfc, 900, 0), ==, EPPD_EDGE_BUSY);
  for (gint64 t = 10; t <= 1000; t += 10)
    g_assert_cmpint((int)eppd_boost_state_sample(&state, &rfc, 900, t * MS), ==, EPPD_EDGE_NONE);
  g_assert_cmpint(state.last_busy_usec, ==, 1000 * MS);
}

static void
test_a_sample_ends_the_hold_as_in_the_rfc(void)
{
  EppdBoostState state = {0};

  eppd_boost_state_sample(&state, &rfc, 900, 0);
  g_assert_cmpint((int)eppd_boost_state_sample(&state, &rfc, 0, 300 * MS - 1), ==, EPPD_EDGE_NONE);
  g_assert_cmpint((int)eppd_boost_state_sample(&state, &rfc, 0, 300 * MS), ==, EPPD_EDGE_IDLE);
  g_assert_false(state.boosted);
  g_assert_cmpint((int)eppd_boost_state_sample(&state, &rfc, 0, 310 * MS), ==, EPPD_EDGE_NONE);
}

static void
test_a_busy_sample_after_the_hold_goes_on_boosting(void)
{
  EppdBoostState state = {0};

  eppd_boost_state_sample(&state, &rfc, 900, 0);
  g_assert_cmpint((int)eppd_boost_state_sample(&state, &rfc, 900, 305 * MS), ==, EPPD_EDGE_NONE);
  g_assert_true(state.boosted);
  g_assert_cmpint(eppd_boost_state_deadline_usec(&state, &rfc), ==, 605 * MS);
}

static void
test_time_alone_ends_the_hold(void)
{
  EppdBoostState state = {0};

  g_assert_cmpint(eppd_boost_state_deadline_usec(&state, &rfc), ==, -1);
  g_assert_cmpint((int)eppd_boost_state_expire(&state, &rfc, 1000 * MS), ==, EPPD_EDGE_NONE);

  eppd_boost_state_sample(&state, &rfc, 900, 50 * MS);
  g_assert_cmpint(eppd_boost_state_deadline_usec(&state, &rfc), ==, 350 * MS);
  g_assert_false(eppd_boost_state_is_due(&state, &rfc, 350 * MS - 1));
  g_assert_cmpint((int)eppd_boost_state_expire(&state, &rfc, 350 * MS - 1), ==, EPPD_EDGE_NONE);
  g_assert_true(eppd_boost_state_is_due(&state, &rfc, 350 * MS));
  g_assert_cmpint((int)eppd_boost_state_expire(&state, &rfc, 350 * MS), ==, EPPD_EDGE_IDLE);
  g_assert_false(eppd_boost_state_is_due(&state, &rfc, 350 * MS));
  g_assert_cmpint((int)eppd_boost_state_expire(&state, &rfc, 350 * MS), ==, EPPD_EDGE_NONE);
  g_assert_cmpint(eppd_boost_state_deadline_usec(&state, &rfc), ==, -1);
}

static void
test_news_prolongs_and_old_news_does_not_shorten(void)
{
  EppdBoostState state = {0};

  eppd_boost_state_note_busy(&state, 10 * MS);
  g_assert_cmpint((int)eppd_boost_state_expire(&state, &rfc, 10 * MS), ==, EPPD_EDGE_NONE);
  g_assert_false(state.boosted);

  eppd_boost_state_sample(&state, &rfc, 900, 50 * MS);
  eppd_boost_state_note_busy(&state, 200 * MS);
  g_assert_cmpint(eppd_boost_state_deadline_usec(&state, &rfc), ==, 500 * MS);
  eppd_boost_state_note_busy(&state, 100 * MS);
  g_assert_cmpint(eppd_boost_state_deadline_usec(&state, &rfc), ==, 500 * MS);
  eppd_boost_state_sample(&state, &rfc, 900, 120 * MS);
  g_assert_cmpint(eppd_boost_state_deadline_usec(&state, &rfc), ==, 500 * MS);
}

static void
test_a_clock_that_went_back_restarts_the_hold(void)
{
  EppdBoostState state = {0};

  eppd_boost_state_sample(&state, &rfc, 900, 5000 * MS);
  g_assert_cmpint((int)eppd_boost_state_sample(&state, &rfc, 0, 1000 * MS), ==, EPPD_EDGE_NONE);
  g_assert_true(eppd_boost_state_is_due(&state, &rfc, 1000 * MS));
  g_assert_cmpint((int)eppd_boost_state_expire(&state, &rfc, 1000 * MS), ==, EPPD_EDGE_NONE);
  g_assert_false(eppd_boost_state_is_due(&state, &rfc, 1000 * MS));
  g_assert_cmpint(eppd_boost_state_deadline_usec(&state, &rfc), ==, 1300 * MS);
  g_assert_cmpint((int)eppd_boost_state_expire(&state, &rfc, 1300 * MS), ==, EPPD_EDGE_IDLE);
}

static void
test_news_from_a_moment_later_is_kept(void)
{
  EppdBoostState state = {0};

  eppd_boost_state_sample(&state, &rfc, 900, 1000 * MS);
  g_assert_false(eppd_boost_state_is_due(&state, &rfc, 999 * MS));
  g_assert_cmpint((int)eppd_boost_state_expire(&state, &rfc, 999 * MS), ==, EPPD_EDGE_NONE);
  g_assert_cmpint(eppd_boost_state_deadline_usec(&state, &rfc), ==, 1300 * MS);
}

static void
test_busy_by_another_rule_is_no_sample(void)
{
  EppdBoostState state = {0};

  g_assert_cmpint((int)eppd_boost_state_busy(&state, 10 * MS), ==, EPPD_EDGE_BUSY);
  g_assert_true(state.boosted);
  g_assert_false(state.has_sample);
  g_assert_cmpint((int)eppd_boost_state_busy(&state, 20 * MS), ==, EPPD_EDGE_NONE);
  g_assert_cmpint((int)eppd_boost_state_busy(&state, 15 * MS), ==, EPPD_EDGE_NONE);
  g_assert_cmpint(eppd_boost_state_deadline_usec(&state, &rfc), ==, 320 * MS);
  g_assert_cmpint((int)eppd_boost_state_sample(&state, &rfc, 0, 319 * MS), ==, EPPD_EDGE_NONE);
  g_assert_cmpint((int)eppd_boost_state_expire(&state, &rfc, 320 * MS), ==, EPPD_EDGE_IDLE);
}

static void
test_reset_forgets_everything(void)
{
  EppdBoostState state = {0};

  g_assert_cmpint((int)eppd_boost_state_reset(&state), ==, EPPD_EDGE_NONE);
  eppd_boost_state_sample(&state, &rfc, 900, 50 * MS);
  g_assert_cmpint((int)eppd_boost_state_reset(&state), ==, EPPD_EDGE_IDLE);
  g_assert_false(state.boosted);
  g_assert_false(state.has_sample);
  g_assert_cmpint((int)eppd_boost_state_sample(&state, &rfc, 900, 60 * MS), ==, EPPD_EDGE_BUSY);
}

static void
test_the_last_sample_is_kept_for_status(void)
{
  EppdBoostState state = {0};

  g_assert_false(state.has_sample);
  eppd_boost_state_sample(&state, &rfc, 123, 50 * MS);
  g_assert_true(state.has_sample);
  g_assert_cmpuint(state.busy_permille, ==, 123);
  g_assert_cmpint(state.sample_usec, ==, 50 * MS);
}

static void
test_new_parameters_count_at_once(void)
{
  const EppdBoostParams shorter = {.threshold_permille = 100, .hold_usec = 20 * MS};
  EppdBoostState state = {0};

  eppd_boost_state_sample(&state, &rfc, 900, 0);
  g_assert_cmpint((int)eppd_boost_state_expire(&state, &shorter, 20 * MS), ==, EPPD_EDGE_IDLE);
  g_assert_cmpint((int)eppd_boost_state_sample(&state, &shorter, 100, 30 * MS), ==, EPPD_EDGE_BUSY);
}

static void
test_absurd_numbers_do_no_harm(void)
{
  const EppdBoostParams endless = {.threshold_permille = 500, .hold_usec = G_MAXINT64};
  const EppdBoostParams none = {.threshold_permille = 500, .hold_usec = G_MININT64};
  EppdBoostState state = {0};

  eppd_boost_state_sample(&state, &endless, 500, 10);
  g_assert_cmpint(eppd_boost_state_deadline_usec(&state, &endless), ==, G_MAXINT64);
  g_assert_cmpint((int)eppd_boost_state_sample(&state, &rfc, 0, G_MININT64), ==, EPPD_EDGE_NONE);
  g_assert_cmpint((int)eppd_boost_state_expire(&state, &rfc, G_MAXINT64), ==, EPPD_EDGE_IDLE);

  eppd_boost_state_sample(&state, &none, G_MAXUINT, G_MAXINT64);
  g_assert_true(state.boosted);
  g_assert_cmpint((int)eppd_boost_state_expire(&state, &none, G_MININT64), ==, EPPD_EDGE_NONE);
  g_assert_false(eppd_boost_state_is_due(&state, &none, G_MININT64));
  g_assert_cmpint((int)eppd_boost_state_expire(&state, &none, G_MININT64 + 1), ==, EPPD_EDGE_IDLE);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func("/boost-state/" name, function)
  ADD("busy-from-the-threshold-on", test_busy_from_the_threshold_on);
  ADD("one-edge-an-episode", test_one_edge_an_episode);
  ADD("a-sample-ends-the-hold-as-in-the-rfc", test_a_sample_ends_the_hold_as_in_the_rfc);
  ADD("a-busy-sample-after-the-hold-goes-on-boosting",
      test_a_busy_sample_after_the_hold_goes_on_boosting);
  ADD("time-alone-ends-the-hold", test_time_alone_ends_the_hold);
  ADD("news-prolongs-and-old-news-does-not-shorten",
      test_news_prolongs_and_old_news_does_not_shorten);
  ADD("a-clock-that-went-back-restarts-the-hold", test_a_clock_that_went_back_restarts_the_hold);
  ADD("news-from-a-moment-later-is-kept", test_news_from_a_moment_later_is_kept);
  ADD("busy-by-another-rule-is-no-sample", test_busy_by_another_rule_is_no_sample);
  ADD("reset-forgets-everything", test_reset_forgets_everything);
  ADD("the-last-sample-is-kept-for-status", test_the_last_sample_is_kept_for_status);
  ADD("new-parameters-count-at-once", test_new_parameters_count_at_once);
  ADD("absurd-numbers-do-no-harm", test_absurd_numbers_do_no_harm);
  return g_test_run();
}
