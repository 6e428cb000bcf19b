/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/governor-trail.h"

static void
test_a_governor_that_stays_leaves_nothing(void)
{
  EppdGovernorTrail trail = {0};

  eppd_governor_trail_look(&trail, false);
  eppd_governor_trail_look(&trail, false);
  g_assert_false(eppd_governor_trail_take(&trail, false));
  eppd_governor_trail_look(&trail, true);
  eppd_governor_trail_look(&trail, true);
  g_assert_false(eppd_governor_trail_take(&trail, false));
}

static void
test_one_that_leaves_is_told_once(void)
{
  EppdGovernorTrail trail = {0};

  eppd_governor_trail_look(&trail, true);
  eppd_governor_trail_look(&trail, false);
  g_assert_true(eppd_governor_trail_take(&trail, false));
  g_assert_false(eppd_governor_trail_take(&trail, false));
  g_assert_false(trail.left_in_boost);
}

static void
test_a_write_may_have_hidden_one_between_two_looks(void)
{
  EppdGovernorTrail trail = {0};

  eppd_governor_trail_note_write(&trail, true);
  g_assert_false(eppd_governor_trail_take(&trail, false));
  eppd_governor_trail_note_write(&trail, false);
  g_assert_true(eppd_governor_trail_take(&trail, false));
}

static void
test_in_a_boost_it_waits_for_its_end(void)
{
  EppdGovernorTrail trail = {0};

  eppd_governor_trail_take(&trail, true);
  g_assert_false(trail.left_in_boost);
  eppd_governor_trail_note_write(&trail, false);
  eppd_governor_trail_take(&trail, true);
  g_assert_true(trail.left_in_boost);
  eppd_governor_trail_take(&trail, true);
  g_assert_true(trail.left_in_boost);
  eppd_governor_trail_forget_boost(&trail);
  g_assert_false(trail.left_in_boost);
}

static void
test_epp_that_is_written_next_needs_no_cleaning(void)
{
  EppdGovernorTrail trail = {0};

  eppd_governor_trail_look(&trail, true);
  eppd_governor_trail_look(&trail, false);
  eppd_governor_trail_forget_left(&trail);
  g_assert_false(eppd_governor_trail_take(&trail, false));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/governor-trail/a-governor-that-stays-leaves-nothing",
                  test_a_governor_that_stays_leaves_nothing);
  g_test_add_func("/governor-trail/one-that-leaves-is-told-once",
                  test_one_that_leaves_is_told_once);
  g_test_add_func("/governor-trail/a-write-may-have-hidden-one-between-two-looks",
                  test_a_write_may_have_hidden_one_between_two_looks);
  g_test_add_func("/governor-trail/in-a-boost-it-waits-for-its-end",
                  test_in_a_boost_it_waits_for_its_end);
  g_test_add_func("/governor-trail/epp-that-is-written-next-needs-no-cleaning",
                  test_epp_that_is_written_next_needs_no_cleaning);
  return g_test_run();
}
