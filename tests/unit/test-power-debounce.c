/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/power-debounce.h"

#define WAIT_USEC (2 * G_USEC_PER_SEC)

static void
test_first_change_at_once(void)
{
  EppdPowerDebounce debounce = {.source = EPPD_POWER_SOURCE_AC};
  gint64 next_usec = 0;

  g_assert_true(
      eppd_power_debounce_reading(&debounce, EPPD_POWER_SOURCE_BATTERY, WAIT_USEC, 5, &next_usec));
  g_assert_cmpint(debounce.source, ==, EPPD_POWER_SOURCE_BATTERY);
  g_assert_cmpint(next_usec, ==, -1);
}

static void
test_flap_waits(void)
{
  EppdPowerDebounce debounce = {.source = EPPD_POWER_SOURCE_AC};
  gint64 next_usec;

  eppd_power_debounce_reading(&debounce, EPPD_POWER_SOURCE_BATTERY, WAIT_USEC, 0, &next_usec);
  g_assert_false(
      eppd_power_debounce_reading(&debounce, EPPD_POWER_SOURCE_AC, WAIT_USEC, 100, &next_usec));
  g_assert_cmpint(next_usec, ==, WAIT_USEC);
  g_assert_cmpint(debounce.source, ==, EPPD_POWER_SOURCE_BATTERY);
  /* Back before the time is up: nothing waits any more. */
  g_assert_false(eppd_power_debounce_reading(&debounce, EPPD_POWER_SOURCE_BATTERY, WAIT_USEC, 200,
                                             &next_usec));
  g_assert_cmpint(next_usec, ==, -1);
  g_assert_true(eppd_power_debounce_reading(&debounce, EPPD_POWER_SOURCE_AC, WAIT_USEC, WAIT_USEC,
                                            &next_usec));
}

static void
test_clock_went_back(void)
{
  EppdPowerDebounce debounce = {.source = EPPD_POWER_SOURCE_AC};
  gint64 next_usec;

  eppd_power_debounce_reading(&debounce, EPPD_POWER_SOURCE_BATTERY, WAIT_USEC, 1000, &next_usec);
  g_assert_true(
      eppd_power_debounce_reading(&debounce, EPPD_POWER_SOURCE_AC, WAIT_USEC, 10, &next_usec));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/power-debounce/first-change-at-once", test_first_change_at_once);
  g_test_add_func("/power-debounce/flap-waits", test_flap_waits);
  g_test_add_func("/power-debounce/clock-went-back", test_clock_went_back);
  return g_test_run();
}
