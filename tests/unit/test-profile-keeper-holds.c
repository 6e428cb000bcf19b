/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile-keeper-fixture.h"

static void
test_hold_and_release(Fixture *fixture, gconstpointer data)
{
  guint32 cookie;

  start(fixture, &amd_alone);
  cookie = hold(fixture, 0, "performance", "A");
  assert_active(fixture, FASTEST, 1);
  assert_calls(fixture, "apply performance strict; changed performance 1");
  g_assert_cmpuint(eppd_clients_count(fixture->clients), ==, 1);
  release(fixture, 0, cookie);
  assert_active(fixture, MIDDLE, 0);
  assert_calls(fixture, "apply balanced; released A; changed balanced 0");
  g_assert_cmpuint(eppd_clients_count(fixture->clients), ==, 0);
  /* Holds are not saved. */
  assert_saved(fixture, NULL);
}

static void
test_arbitration(Fixture *fixture, gconstpointer data)
{
  guint32 fast;
  guint32 first;
  guint32 second;

  start(fixture, &amd_alone);
  fast = hold(fixture, 0, "performance", "F");
  g_string_truncate(fixture->calls, 0);
  first = hold(fixture, 1, "power-saver", "S1");
  assert_calls(fixture, "apply power-saver strict; changed power-saver 2");
  second = hold(fixture, 2, "power-saver", "S2");
  assert_calls(fixture, "changed power-saver 3");
  hold(fixture, 2, "performance", "F2");
  assert_calls(fixture, "changed power-saver 4");
  release(fixture, 1, first);
  assert_calls(fixture, "released S1; changed power-saver 3");
  release(fixture, 0, fast);
  assert_calls(fixture, "released F; changed power-saver 2");
  release(fixture, 2, second);
  assert_calls(fixture, "apply performance; released S2; changed performance 1");
}

static void
test_hold_of_what_is_selected(Fixture *fixture, gconstpointer data)
{
  guint32 cookie;

  start(fixture, &amd_alone);
  select_profile(fixture, "performance");
  g_string_truncate(fixture->calls, 0);
  cookie = hold(fixture, 0, "performance", "A");
  assert_calls(fixture, "changed performance 1");
  release(fixture, 0, cookie);
  assert_calls(fixture, "released A; changed performance 0");
}

static void
test_hold_after_restart(Fixture *fixture, gconstpointer data)
{
  guint32 cookie;

  write_state(fixture, SAVED_SAVER);
  start(fixture, &amd_alone);
  cookie = hold(fixture, 0, "performance", "A");
  assert_active(fixture, FASTEST, 1);
  release(fixture, 0, cookie);
  assert_active(fixture, SAVER, 0);
}

static void
test_hold_refused(Fixture *fixture, gconstpointer data)
{
  static const char only[] = "Only profiles 'performance' and 'power-saver' can be a hold profile";
  static const char unavailable[] = "Cannot hold profile 'performance' as it is not available";
  static const struct {
    const char *profile;
    const char *message;
  } rows[] = {
      {"balanced", only},           {"bogus", only}, {"", only}, {"Performance", only},
      {"performance", unavailable},
  };

  start(fixture, &placeholder);
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    refuse_hold(fixture, 0, rows[i].profile, EPPD_ERROR_INVALID, rows[i].message);
    assert_active(fixture, MIDDLE, 0);
    assert_calls(fixture, "");
    g_assert_cmpuint(eppd_clients_count(fixture->clients), ==, 0);
  }
}

static void
test_hold_fails(Fixture *fixture, gconstpointer data)
{
  guint32 cookie;

  start(fixture, &amd_alone);
  cookie = hold(fixture, 0, "performance", "A");
  g_string_truncate(fixture->calls, 0);
  fixture->refuses = true;
  refuse_hold(fixture, 1, "power-saver", EPPD_ERROR_BUSY, "policy7 refuses");
  /* One that changes nothing can't fail. */
  hold(fixture, 2, "performance", "B");
  fixture->refuses = false;

  assert_calls(fixture, "apply power-saver strict; changed performance 2");
  assert_active(fixture, FASTEST, 2);
  g_assert_cmpuint(eppd_clients_count(fixture->clients), ==, 2);
  release(fixture, 0, cookie);
  assert_active(fixture, FASTEST, 1);
}

static void
test_release_refused(Fixture *fixture, gconstpointer data)
{
  guint32 cookie;

  start(fixture, &amd_alone);
  cookie = hold(fixture, 0, "performance", "A");
  g_string_truncate(fixture->calls, 0);
  for (guint i = 0; i < 3; i++) {
    /* Another's, one that there is not, and none. */
    guint32 wrong = (const guint32[]){cookie, cookie + 1, 0}[i];
    g_autoptr(GError) error = NULL;

    g_assert_false(eppd_profile_keeper_release(fixture->keeper, wrong,
                                               fixture->names[i == 0 ? 1 : 0], &error));
    g_assert_error(error, EPPD_ERROR, EPPD_ERROR_INVALID);
    g_assert_true(g_str_has_prefix(error->message, "No hold with cookie "));
    assert_active(fixture, FASTEST, 1);
    assert_calls(fixture, "");
  }
  release(fixture, 0, cookie);
  assert_active(fixture, MIDDLE, 0);
}

static void
test_release_never_fails(Fixture *fixture, gconstpointer data)
{
  guint32 cookie;

  start(fixture, &amd_alone);
  cookie = hold(fixture, 0, "performance", "A");
  g_string_truncate(fixture->calls, 0);
  fixture->refuses = true;
  release(fixture, 0, cookie);
  assert_active(fixture, MIDDLE, 0);
  assert_calls(fixture, "apply balanced; released A; changed balanced 0");
}

static void
wait_for_vanished(Fixture *fixture, guint n)
{
  while (fixture->n_vanished < n)
    g_main_context_iteration(NULL, TRUE);
}

static void
test_owner_vanishes(Fixture *fixture, gconstpointer data)
{
  start(fixture, &amd_alone);
  hold(fixture, 0, "performance", "A");
  hold(fixture, 1, "performance", "B");
  hold(fixture, 0, "power-saver", "C");
  g_string_truncate(fixture->calls, 0);

  g_clear_pointer(&fixture->users[0], private_bus_disconnect);
  wait_for_vanished(fixture, 1);
  assert_calls(fixture, "apply performance; released A; released C; changed performance 1");
  g_assert_cmpuint(eppd_clients_count(fixture->clients), ==, 1);

  g_clear_pointer(&fixture->users[1], private_bus_disconnect);
  wait_for_vanished(fixture, 2);
  assert_calls(fixture, "apply balanced; released B; changed balanced 0");
  g_assert_cmpuint(eppd_clients_count(fixture->clients), ==, 0);
}

static void
test_owner_without_holds_vanishes(Fixture *fixture, gconstpointer data)
{
  start(fixture, &amd_alone);
  hold(fixture, 0, "performance", "A");
  g_string_truncate(fixture->calls, 0);
  eppd_profile_keeper_drop_owner(fixture->keeper, fixture->names[1]);
  eppd_profile_keeper_drop_owner(fixture->keeper, "");
  assert_calls(fixture, "");
  assert_active(fixture, FASTEST, 1);
}

static void
test_dead_owner(Fixture *fixture, gconstpointer data)
{
  start(fixture, &amd_alone);
  /* While its request is authorised. */
  eppd_clients_ref(fixture->clients, fixture->names[0]);
  g_clear_pointer(&fixture->users[0], private_bus_disconnect);
  wait_for_vanished(fixture, 1);

  refuse_hold(fixture, 0, "performance", EPPD_ERROR_GONE, "The caller has left the bus");
  assert_active(fixture, MIDDLE, 0);
  assert_calls(fixture, "");
  eppd_clients_unref(fixture->clients, fixture->names[0]);
}

static void
test_limit(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GHashTable) cookies = g_hash_table_new(NULL, NULL);
  guint32 cookie = 0;

  start(fixture, &amd_alone);
  for (guint i = 0; i < EPPD_PROFILE_HOLDS_PER_USER; i++) {
    cookie = hold(fixture, 0, "performance", "A");
    g_assert_true(g_hash_table_add(cookies, GUINT_TO_POINTER(cookie)));
  }
  g_string_truncate(fixture->calls, 0);
  refuse_hold(fixture, 0, "power-saver", EPPD_ERROR_LIMIT,
              "User 1000 has 64 profile holds already, and may not have more");
  assert_calls(fixture, "");
  assert_active(fixture, FASTEST, EPPD_PROFILE_HOLDS_PER_USER);
  /* One user's limit is no other's. */
  hold(fixture, 1, "power-saver", "B");
  assert_active(fixture, SAVER, EPPD_PROFILE_HOLDS_PER_USER + 1);
  release(fixture, 0, cookie);
  hold(fixture, 0, "performance", "A");
}

static void
test_what_is_kept_of_a_hold(Fixture *fixture, gconstpointer data)
{
  g_autofree char *long_reason = g_strnfill(1000, 'x');
  g_autofree char *cut_reason = g_strnfill(255, 'x');
  g_autofree char *long_app_id = g_strconcat("\xff", long_reason, NULL);
  g_autofree char *cut_app_id = g_strdup_printf("\xef\xbf\xbd%.253s", long_reason);
  const EppdProfileHold *kept;
  guint32 cookie = 0;

  start(fixture, &amd_alone);
  /* A character of two bytes does not fit into the last one. */
  memcpy(long_reason + 255, "\xc3\xa4", 2);
  g_assert_true(eppd_profile_keeper_hold(fixture->keeper, fixture->names[1], 1234, "performance",
                                         long_reason, long_app_id, 42, &cookie, NULL));
  kept = eppd_profile_keeper_holds(fixture->keeper)->pdata[0];
  g_assert_cmpuint(kept->cookie, ==, cookie);
  g_assert_cmpstr(kept->owner, ==, fixture->names[1]);
  g_assert_cmpuint(kept->uid, ==, 1234);
  g_assert_cmpint(kept->profile, ==, FASTEST);
  g_assert_cmpstr(kept->reason, ==, cut_reason);
  g_assert_cmpstr(kept->app_id, ==, cut_app_id);
  g_assert_cmpuint(kept->via, ==, 42);
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

  add("hold/and-release", test_hold_and_release);
  add("hold/power-saver-beats-performance", test_arbitration);
  add("hold/of-what-is-selected", test_hold_of_what_is_selected);
  add("hold/saved-profile-after-restart-and-release", test_hold_after_restart);
  add("hold/wrong-profile", test_hold_refused);
  add("hold/failure-leaves-all-as-it-was", test_hold_fails);
  add("hold/owner-already-dead", test_dead_owner);
  add("hold/limit-a-user", test_limit);
  add("hold/texts-are-cut-and-valid", test_what_is_kept_of_a_hold);
  add("release/by-another-or-of-none", test_release_refused);
  add("release/never-fails", test_release_never_fails);
  add("release/owner-vanishes", test_owner_vanishes);
  add("release/owner-without-holds-vanishes", test_owner_without_holds_vanishes);
  return g_test_run();
}
