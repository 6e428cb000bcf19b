/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/rescan-schedule.h"

#define NOW   (100 * G_USEC_PER_SEC)
#define QUIET EPPD_RESCAN_QUIET_USEC

static void
test_nothing_is_due_at_first(void)
{
  EppdRescanSchedule schedule = {0};

  g_assert_false(eppd_rescan_schedule_is_ready(&schedule, G_MAXINT64));
  g_assert_cmpint(eppd_rescan_schedule_next_usec(&schedule), ==, -1);
}

static void
test_a_storm_shares_a_look_once_it_is_quiet(void)
{
  EppdRescanSchedule schedule = {0};

  for (gint64 usec = 0; usec <= 10 * QUIET; usec += QUIET / 2)
    eppd_rescan_schedule_hotplug(&schedule, NOW + usec);
  g_assert_cmpint(eppd_rescan_schedule_next_usec(&schedule), ==, NOW + 11 * QUIET);
  g_assert_false(eppd_rescan_schedule_is_ready(&schedule, NOW + 11 * QUIET - 1));
  g_assert_true(eppd_rescan_schedule_is_ready(&schedule, NOW + 11 * QUIET));
  eppd_rescan_schedule_done(&schedule);
  g_assert_cmpint(eppd_rescan_schedule_next_usec(&schedule), ==, -1);
}

static void
test_an_endless_storm_does_not_put_it_off(void)
{
  EppdRescanSchedule schedule = {0};

  for (gint64 usec = 0; usec < 3 * G_USEC_PER_SEC; usec += QUIET / 2)
    eppd_rescan_schedule_hotplug(&schedule, NOW + usec);
  g_assert_cmpint(eppd_rescan_schedule_next_usec(&schedule), ==, NOW + EPPD_RESCAN_STORM_MAX_USEC);

  /* The next storm begins with its own first news. */
  eppd_rescan_schedule_done(&schedule);
  eppd_rescan_schedule_hotplug(&schedule, NOW + 5 * G_USEC_PER_SEC);
  g_assert_cmpint(eppd_rescan_schedule_next_usec(&schedule), ==, NOW + 5 * G_USEC_PER_SEC + QUIET);
}

static void
test_a_long_look_is_followed_by_a_longer_rest(void)
{
  static const struct {
    gint64 look_usec, rest_usec;
  } rows[] = {
      {0, QUIET},
      {QUIET, 9 * QUIET},
      {5 * G_USEC_PER_SEC, EPPD_RESCAN_REST_MAX_USEC},
  };

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    EppdRescanSchedule schedule = {0};

    eppd_rescan_schedule_rest(&schedule, NOW - rows[i].look_usec, NOW);
    /* A short one later does not end it. */
    eppd_rescan_schedule_rest(&schedule, NOW, NOW);
    eppd_rescan_schedule_hotplug(&schedule, NOW);
    g_assert_cmpint(eppd_rescan_schedule_next_usec(&schedule), ==, NOW + rows[i].rest_usec);
  }
}

static void
test_who_waits_waits_for_no_storm(void)
{
  EppdRescanSchedule schedule = {0};

  eppd_rescan_schedule_hurry(&schedule);
  g_assert_false(eppd_rescan_schedule_is_ready(&schedule, NOW));
  eppd_rescan_schedule_hotplug(&schedule, NOW);
  g_assert_false(eppd_rescan_schedule_is_ready(&schedule, NOW));
  eppd_rescan_schedule_hurry(&schedule);
  g_assert_true(eppd_rescan_schedule_is_ready(&schedule, NOW));
}

static void
test_another_need_is_no_reason_to_disturb_a_storm(void)
{
  EppdRescanSchedule schedule = {0};

  eppd_rescan_schedule_need(&schedule);
  g_assert_true(eppd_rescan_schedule_is_ready(&schedule, NOW));
  eppd_rescan_schedule_done(&schedule);
  eppd_rescan_schedule_hotplug(&schedule, NOW);
  eppd_rescan_schedule_need(&schedule);
  g_assert_false(eppd_rescan_schedule_is_ready(&schedule, NOW));
  g_assert_true(eppd_rescan_schedule_is_ready(&schedule, NOW + QUIET));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rescan-schedule/nothing-is-due-at-first", test_nothing_is_due_at_first);
  g_test_add_func("/rescan-schedule/a-storm-shares-a-look-once-it-is-quiet",
                  test_a_storm_shares_a_look_once_it_is_quiet);
  g_test_add_func("/rescan-schedule/an-endless-storm-does-not-put-it-off",
                  test_an_endless_storm_does_not_put_it_off);
  g_test_add_func("/rescan-schedule/a-long-look-is-followed-by-a-longer-rest",
                  test_a_long_look_is_followed_by_a_longer_rest);
  g_test_add_func("/rescan-schedule/who-waits-waits-for-no-storm",
                  test_who_waits_waits_for_no_storm);
  g_test_add_func("/rescan-schedule/another-need-is-no-reason-to-disturb-a-storm",
                  test_another_need_is_no_reason_to_disturb_a_storm);
  return g_test_run();
}
