/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile-keeper-fixture.h"

/* ---- The start ---- */

static const struct {
  const char *saved; /* NULL: no file */
  const EppdProfileDrivers *drivers;
  EppdProfile default_profile;
  EppdProfile active;
} start_rows[] = {
    {NULL, &amd_and_platform, MIDDLE, MIDDLE},
    {NULL, &amd_and_platform, FASTEST, FASTEST},
    {NULL, &placeholder, SAVER, SAVER},
    {NULL, &placeholder, FASTEST, MIDDLE},
    {"[State]\nProfile=power-saver\n" AMD_DRIVERS, &amd_alone, MIDDLE, SAVER},
    {"[State]\nProfile=power-saver\n" AMD_DRIVERS, &amd_alone, FASTEST, SAVER},
    {"[State]\nProfile=power-saver\n" AMD_DRIVERS, &amd_and_platform, MIDDLE, MIDDLE},
    {"[State]\nProfile=power-saver\n" AMD_DRIVERS, &intel_alone, FASTEST, FASTEST},
    {"[State]\nProfile=power-saver\n" AMD_DRIVERS, &placeholder, MIDDLE, MIDDLE},
    {"[State]\nProfile=power-saver\n", &amd_and_platform, MIDDLE, SAVER},
    {"[State]\nProfile=performance\n", &placeholder, SAVER, MIDDLE},
    {"[State]\nProfile=turbo\n", &amd_alone, FASTEST, FASTEST},
    {"\xff\xfe", &amd_alone, FASTEST, FASTEST},
};

static void
test_start(Fixture *fixture, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS(start_rows); i++) {
    g_autofree char *calls = NULL;
    const char *text = eppd_profile_text(start_rows[i].active);

    g_test_message("row %u", i);
    scratch_remove(fixture->dir, "state");
    if (start_rows[i].saved)
      write_state(fixture, start_rows[i].saved);
    make_keeper(fixture);
    assert_calls(fixture, "");
    eppd_profile_keeper_set_drivers(fixture->keeper, start_rows[i].drivers,
                                    start_rows[i].default_profile);
    assert_active(fixture, start_rows[i].active, 0);
    calls = start_rows[i].active == MIDDLE ? g_strdup("apply balanced")
                                           : g_strdup_printf("apply %s; changed %s 0", text, text);
    assert_calls(fixture, calls);
    /* A start writes nothing. */
    assert_saved(fixture, start_rows[i].saved);
  }
}

static void
test_nothing_before_drivers(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  make_keeper(fixture);
  g_assert_false(eppd_profile_keeper_select(fixture->keeper, "balanced", &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_FAILED);
  refuse_hold(fixture, 0, "performance", EPPD_ERROR_INVALID,
              "Cannot hold profile 'performance' as it is not available");
  eppd_profile_keeper_follow(fixture->keeper, FASTEST);
  assert_calls(fixture, "");
  assert_saved(fixture, NULL);
}

static void
test_import(Fixture *fixture, gconstpointer data)
{
  scratch_write(fixture->dir, "ppd/state.ini",
                "[State]\nbattery_aware=false\nCpuDriver=amd_pstate\nPlatformDriver=placeholder\n"
                "Profile=power-saver\n\n[Actions]\namdgpu_dpm=true\n");
  for (guint i = 0; i < 2; i++) {
    bool enabled = false;

    start(fixture, &amd_alone);
    assert_active(fixture, SAVER, 0);
    g_assert_false(eppd_profile_keeper_battery_aware(fixture->keeper));
    g_assert_true(eppd_profile_keeper_action(fixture->keeper, "amdgpu_dpm", &enabled));
    g_assert_true(enabled);
    assert_saved(fixture, "[State]\nProfile=power-saver\n" AMD_DRIVERS "BatteryAware=false\n\n"
                          "[Actions]\namdgpu_dpm=true\n");
    /* The second time from our own file: the other daemon's is gone with its package. */
    scratch_remove(fixture->dir, "ppd");
  }
}

/* ---- Drivers that come and go ---- */

static void
test_late_driver(Fixture *fixture, gconstpointer data)
{
  write_state(fixture, "[State]\nProfile=power-saver\n" BOTH_DRIVERS);
  start(fixture, &amd_alone);
  assert_active(fixture, MIDDLE, 0);
  eppd_profile_keeper_set_battery_aware(fixture->keeper, false);
  assert_saved(fixture, "[State]\nProfile=power-saver\n" BOTH_DRIVERS "BatteryAware=false\n");

  eppd_profile_keeper_set_drivers(fixture->keeper, &amd_and_platform, MIDDLE);
  assert_active(fixture, SAVER, 0);
  assert_calls(fixture, "apply power-saver; changed power-saver 0");
}

static void
test_late_driver_under_a_hold(Fixture *fixture, gconstpointer data)
{
  guint32 cookie;

  write_state(fixture, "[State]\nProfile=power-saver\n" BOTH_DRIVERS);
  start(fixture, &amd_alone);
  cookie = hold(fixture, 0, "performance", "A");
  g_string_truncate(fixture->calls, 0);
  /* The new driver is to be at what is held. */
  eppd_profile_keeper_set_drivers(fixture->keeper, &amd_and_platform, MIDDLE);
  assert_calls(fixture, "apply performance");
  release(fixture, 0, cookie);
  assert_calls(fixture, "apply power-saver; released A; changed power-saver 0");
}

static void
test_choice_before_late_driver(Fixture *fixture, gconstpointer data)
{
  write_state(fixture, "[State]\nProfile=power-saver\n" BOTH_DRIVERS);
  start(fixture, &amd_alone);
  select_profile(fixture, "performance");
  assert_saved(fixture, "[State]\nProfile=performance\n" AMD_DRIVERS AWARE);
  g_string_truncate(fixture->calls, 0);

  eppd_profile_keeper_set_drivers(fixture->keeper, &amd_and_platform, MIDDLE);
  assert_active(fixture, FASTEST, 0);
  assert_calls(fixture, "apply performance");
  assert_saved(fixture, "[State]\nProfile=performance\n" AMD_DRIVERS AWARE);
}

static void
test_choice_outlives_drivers(Fixture *fixture, gconstpointer data)
{
  start(fixture, &amd_alone);
  select_profile(fixture, "performance");
  hold(fixture, 0, "performance", "A");
  hold(fixture, 1, "performance", "B");
  g_string_truncate(fixture->calls, 0);

  eppd_profile_keeper_set_drivers(fixture->keeper, &placeholder, SAVER);
  assert_active(fixture, MIDDLE, 0);
  assert_calls(fixture, "apply balanced; released A; released B; changed balanced 0");
  assert_saved(fixture, "[State]\nProfile=performance\n" AMD_DRIVERS AWARE);

  eppd_profile_keeper_set_drivers(fixture->keeper, &intel_alone, SAVER);
  assert_active(fixture, FASTEST, 0);
  assert_calls(fixture, "apply performance; changed performance 0");
}

static void
test_lost_driver_keeps_other_holds(Fixture *fixture, gconstpointer data)
{
  guint32 cookie;

  start(fixture, &amd_alone);
  hold(fixture, 0, "performance", "A");
  cookie = hold(fixture, 0, "power-saver", "B");
  hold(fixture, 1, "performance", "C");
  g_string_truncate(fixture->calls, 0);

  eppd_profile_keeper_set_drivers(fixture->keeper, &placeholder, MIDDLE);
  assert_active(fixture, SAVER, 1);
  assert_calls(fixture, "apply power-saver; released A; released C; changed power-saver 1");
  release(fixture, 0, cookie);
  assert_active(fixture, MIDDLE, 0);
}

static void
test_same_drivers_again(Fixture *fixture, gconstpointer data)
{
  start(fixture, &amd_alone);
  g_assert_cmpstr(eppd_profile_keeper_drivers(fixture->keeper)->cpu, ==, EPPD_DRIVER_AMD_PSTATE);
  g_assert_cmpstr(eppd_profile_keeper_drivers(fixture->keeper)->platform, ==,
                  EPPD_DRIVER_PLACEHOLDER);
  eppd_profile_keeper_set_drivers(fixture->keeper, &amd_alone, MIDDLE);
  assert_calls(fixture, "");
  /* The configuration was read again. */
  eppd_profile_keeper_set_drivers(fixture->keeper, &amd_alone, FASTEST);
  assert_calls(fixture, "apply performance; changed performance 0");
  select_profile(fixture, "performance");
  g_string_truncate(fixture->calls, 0);
  eppd_profile_keeper_set_drivers(fixture->keeper, &amd_alone, SAVER);
  assert_calls(fixture, "");
  assert_active(fixture, FASTEST, 0);
}

/* ---- The user's choice ---- */

static void
test_select(Fixture *fixture, gconstpointer data)
{
  ino_t inode;

  start(fixture, &amd_alone);
  select_profile(fixture, "power-saver");
  assert_calls(fixture, "apply power-saver strict; changed power-saver 0");
  assert_saved(fixture, SAVED_SAVER);
  inode = saved_inode(fixture);

  /* What differs on the machine is written again, the file is not. */
  select_profile(fixture, "power-saver");
  assert_calls(fixture, "apply power-saver strict");
  g_assert_cmpuint(saved_inode(fixture), ==, inode);

  start(fixture, &amd_alone);
  assert_active(fixture, SAVER, 0);
}

static void
test_select_what_is_the_default(Fixture *fixture, gconstpointer data)
{
  start(fixture, &amd_alone);
  select_profile(fixture, "balanced");
  assert_calls(fixture, "apply balanced strict");
  assert_saved(fixture, "[State]\nProfile=balanced\n" AMD_DRIVERS AWARE);
  /* Chosen is chosen, whatever the default will be. */
  make_keeper(fixture);
  eppd_profile_keeper_set_drivers(fixture->keeper, &amd_alone, FASTEST);
  assert_active(fixture, MIDDLE, 0);
}

static void
test_select_with_other_drivers(Fixture *fixture, gconstpointer data)
{
  write_state(fixture, SAVED_SAVER);
  start(fixture, &placeholder);
  select_profile(fixture, "power-saver");
  assert_saved(fixture,
               "[State]\nProfile=power-saver\nCpuDriver=\nPlatformDriver=placeholder\n" AWARE);
}

static void
test_select_refused(Fixture *fixture, gconstpointer data)
{
  g_autofree char *long_name = g_strnfill(1000, 'x');
  g_autofree char *long_message = g_strdup_printf("Invalid profile name '%.256s'", long_name);
  const struct {
    const char *name;
    const char *message;
  } rows[] = {
      {"bogus", "Invalid profile name 'bogus'"},
      {"", "Invalid profile name ''"},
      {"Balanced", "Invalid profile name 'Balanced'"},
      {"power-saver\n", "Invalid profile name 'power-saver\n'"},
      {" balanced", "Invalid profile name ' balanced'"},
      {long_name, long_message},
      {"performance", "Cannot switch to unavailable profile 'performance'"},
  };

  start(fixture, &placeholder);
  hold(fixture, 0, "power-saver", "A");
  g_string_truncate(fixture->calls, 0);
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;

    g_assert_false(eppd_profile_keeper_select(fixture->keeper, rows[i].name, &error));
    g_assert_error(error, EPPD_ERROR, EPPD_ERROR_FAILED);
    g_assert_cmpstr(error->message, ==, rows[i].message);
    assert_active(fixture, SAVER, 1);
    assert_calls(fixture, "");
  }
  assert_saved(fixture, NULL);
}

static void
test_select_drops_holds(Fixture *fixture, gconstpointer data)
{
  start(fixture, &amd_alone);
  hold(fixture, 0, "performance", "A");
  hold(fixture, 1, "power-saver", "B");
  hold(fixture, 0, "power-saver", "C");
  g_string_truncate(fixture->calls, 0);
  select_profile(fixture, "performance");
  assert_calls(fixture, "apply performance strict; released A; released B; released C; "
                        "changed performance 0");
  g_assert_cmpuint(eppd_clients_count(fixture->clients), ==, 0);
}

static void
test_select_what_a_hold_shows(Fixture *fixture, gconstpointer data)
{
  start(fixture, &amd_alone);
  hold(fixture, 0, "performance", "A");
  g_string_truncate(fixture->calls, 0);
  select_profile(fixture, "performance");
  assert_active(fixture, FASTEST, 0);
  assert_calls(fixture, "apply performance strict; released A; changed performance 0");
  assert_saved(fixture, "[State]\nProfile=performance\n" AMD_DRIVERS AWARE);
}

static void
test_select_fails(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  guint32 cookie;
  ino_t inode;

  start(fixture, &amd_alone);
  select_profile(fixture, "power-saver");
  cookie = hold(fixture, 0, "performance", "A");
  inode = saved_inode(fixture);
  g_string_truncate(fixture->calls, 0);

  fixture->refuses = true;
  g_assert_false(eppd_profile_keeper_select(fixture->keeper, "balanced", &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_BUSY);
  g_assert_cmpstr(error->message, ==, "policy7 refuses");
  fixture->refuses = false;

  assert_calls(fixture, "apply balanced strict");
  assert_active(fixture, FASTEST, 1);
  g_assert_cmpuint(saved_inode(fixture), ==, inode);
  assert_saved(fixture, SAVED_SAVER);
  release(fixture, 0, cookie);
  assert_active(fixture, SAVER, 0);
}

/* ---- The firmware's choice ---- */

static void
test_follow(Fixture *fixture, gconstpointer data)
{
  start(fixture, &amd_and_platform);
  eppd_profile_keeper_follow(fixture->keeper, FASTEST);
  assert_calls(fixture, "apply performance; changed performance 0");
  assert_saved(fixture, "[State]\nProfile=performance\n" BOTH_DRIVERS AWARE);

  hold(fixture, 0, "power-saver", "A");
  g_string_truncate(fixture->calls, 0);
  eppd_profile_keeper_follow(fixture->keeper, MIDDLE);
  assert_calls(fixture, "apply balanced; changed balanced 1");
  assert_saved(fixture, "[State]\nProfile=balanced\n" BOTH_DRIVERS AWARE);
}

static void
test_holds_count_again_once_they_change(Fixture *fixture, gconstpointer data)
{
  guint32 cookie;

  start(fixture, &amd_and_platform);
  hold(fixture, 0, "power-saver", "A");
  eppd_profile_keeper_follow(fixture->keeper, FASTEST);
  assert_active(fixture, FASTEST, 1);
  cookie = hold(fixture, 1, "performance", "B");
  assert_active(fixture, SAVER, 2);
  eppd_profile_keeper_follow(fixture->keeper, MIDDLE);
  assert_active(fixture, MIDDLE, 2);
  release(fixture, 1, cookie);
  assert_active(fixture, SAVER, 1);
}

static void
test_a_failed_hold_changes_no_lead(Fixture *fixture, gconstpointer data)
{
  start(fixture, &amd_and_platform);
  hold(fixture, 0, "power-saver", "A");
  eppd_profile_keeper_follow(fixture->keeper, MIDDLE);
  fixture->refuses = true;
  refuse_hold(fixture, 1, "performance", EPPD_ERROR_BUSY, "policy7 refuses");
  assert_active(fixture, MIDDLE, 1);
}

static void
test_follow_as_far_as_possible(Fixture *fixture, gconstpointer data)
{
  start(fixture, &amd_and_platform);
  fixture->refuses = true;
  eppd_profile_keeper_follow(fixture->keeper, SAVER);
  assert_active(fixture, SAVER, 0);
  assert_calls(fixture, "apply power-saver; changed power-saver 0");
}

static void
test_follow_unavailable(Fixture *fixture, gconstpointer data)
{
  start(fixture, &placeholder);
  eppd_profile_keeper_follow(fixture->keeper, FASTEST);
  assert_active(fixture, MIDDLE, 0);
  assert_calls(fixture, "");
  assert_saved(fixture, NULL);
}

/* ---- What is saved besides ---- */

static void
test_battery_aware(Fixture *fixture, gconstpointer data)
{
  ino_t inode;

  start(fixture, &amd_alone);
  g_assert_true(eppd_profile_keeper_battery_aware(fixture->keeper));
  eppd_profile_keeper_set_battery_aware(fixture->keeper, true);
  assert_saved(fixture, NULL);
  eppd_profile_keeper_set_battery_aware(fixture->keeper, false);
  assert_saved(fixture, "[State]\nBatteryAware=false\n");
  inode = saved_inode(fixture);
  eppd_profile_keeper_set_battery_aware(fixture->keeper, false);
  g_assert_cmpuint(saved_inode(fixture), ==, inode);

  start(fixture, &amd_alone);
  g_assert_false(eppd_profile_keeper_battery_aware(fixture->keeper));
  assert_active(fixture, MIDDLE, 0);
  select_profile(fixture, "power-saver");
  assert_saved(fixture, "[State]\nProfile=power-saver\n" AMD_DRIVERS "BatteryAware=false\n");
}

static void
test_actions(Fixture *fixture, gconstpointer data)
{
  bool enabled = true;
  ino_t inode;

  start(fixture, &amd_alone);
  g_assert_false(eppd_profile_keeper_action(fixture->keeper, "trickle_charge", &enabled));
  g_assert_true(enabled);
  eppd_profile_keeper_set_action(fixture->keeper, "trickle_charge", false);
  assert_saved(fixture, "[State]\n" AWARE "\n[Actions]\ntrickle_charge=false\n");
  inode = saved_inode(fixture);
  eppd_profile_keeper_set_action(fixture->keeper, "trickle_charge", false);
  g_assert_cmpuint(saved_inode(fixture), ==, inode);
  eppd_profile_keeper_set_action(fixture->keeper, "amdgpu_dpm", true);
  assert_saved(fixture, "[State]\n" AWARE "\n[Actions]\namdgpu_dpm=true\ntrickle_charge=false\n");

  start(fixture, &amd_alone);
  g_assert_true(eppd_profile_keeper_action(fixture->keeper, "trickle_charge", &enabled));
  g_assert_false(enabled);
  g_assert_true(eppd_profile_keeper_action(fixture->keeper, "amdgpu_dpm", &enabled));
  g_assert_true(enabled);
}

static void
test_unwritable_state(Fixture *fixture, gconstpointer data)
{
  write_state(fixture, "");
  scratch_chmod(fixture->dir, "state", 0555);
  start(fixture, &amd_alone);

  scratch_be_nobody(true);
  select_profile(fixture, "power-saver");
  scratch_be_nobody(false);
  assert_active(fixture, SAVER, 0);
  assert_saved(fixture, "");
  g_assert_nonnull(strstr(said->str, "Permission denied; ignoring"));

  /* As soon as it can be, though nothing is new. */
  select_profile(fixture, "power-saver");
  assert_saved(fixture, SAVED_SAVER);
}

static void
add(const char *path, void (*test)(Fixture *, gconstpointer))
{
  g_autofree char *full = g_strconcat("/profile-keeper/", path, NULL);

  g_test_add(full, Fixture, NULL, set_up, test, tear_down);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_log_set_writer_func(keep_said, NULL, NULL);

  add("start/profile-by-state-drivers-and-default", test_start);
  add("start/nothing-before-the-drivers", test_nothing_before_drivers);
  add("start/import-becomes-our-own", test_import);
  add("drivers/saved-profile-waits-for-late-driver", test_late_driver);
  add("drivers/late-driver-under-a-hold", test_late_driver_under_a_hold);
  add("drivers/choice-made-before-late-driver-sticks", test_choice_before_late_driver);
  add("drivers/choice-comes-back-with-its-profile", test_choice_outlives_drivers);
  add("drivers/holds-of-other-profiles-stay", test_lost_driver_keeps_other_holds);
  add("drivers/same-again-change-nothing", test_same_drivers_again);
  add("select/switches-and-saves-once", test_select);
  add("select/default-counts-as-choice", test_select_what_is_the_default);
  add("select/drivers-are-saved-with-it", test_select_with_other_drivers);
  add("select/unknown-or-unavailable", test_select_refused);
  add("select/drops-all-holds", test_select_drops_holds);
  add("select/what-a-hold-shows-counts", test_select_what_a_hold_shows);
  add("select/failure-leaves-all-as-it-was", test_select_fails);
  add("follow/is-a-choice", test_follow);
  add("follow/holds-count-again-once-they-change", test_holds_count_again_once_they_change);
  add("follow/a-failed-hold-changes-no-lead", test_a_failed_hold_changes_no_lead);
  add("follow/as-far-as-possible", test_follow_as_far_as_possible);
  add("follow/unavailable-is-ignored", test_follow_unavailable);
  add("state/battery-aware-at-once", test_battery_aware);
  add("state/actions-at-once", test_actions);
  add("state/saved-as-soon-as-possible", test_unwritable_state);
  return g_test_run();
}
