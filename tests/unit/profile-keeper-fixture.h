/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/error.h"
#include "daemon/profile-keeper.h"
#include "private-bus.h"
#include "said.h"
#include "scratch.h"

#include <sys/stat.h>

/* A profile keeper, owners of holds on a real bus, and a listener that writes down what it is told.
 */

#define N_USERS 3

#define SAVER   EPPD_PROFILE_POWER_SAVER
#define MIDDLE  EPPD_PROFILE_BALANCED
#define FASTEST EPPD_PROFILE_PERFORMANCE

/* Lines of a state file. */
#define AMD_DRIVERS  "CpuDriver=amd_pstate\nPlatformDriver=placeholder\n"
#define BOTH_DRIVERS "CpuDriver=amd_pstate\nPlatformDriver=platform_profile\n"
#define AWARE        "BatteryAware=true\n"
#define SAVED_SAVER  "[State]\nProfile=power-saver\n" AMD_DRIVERS AWARE

static const EppdProfileDrivers amd_and_platform = {EPPD_DRIVER_AMD_PSTATE,
                                                    EPPD_DRIVER_PLATFORM_PROFILE};
static const EppdProfileDrivers amd_alone = {EPPD_DRIVER_AMD_PSTATE, EPPD_DRIVER_PLACEHOLDER};
static const EppdProfileDrivers intel_alone = {EPPD_DRIVER_INTEL_PSTATE, EPPD_DRIVER_PLACEHOLDER};
static const EppdProfileDrivers placeholder = {NULL, EPPD_DRIVER_PLACEHOLDER};

typedef struct {
  PrivateBus *bus;
  GDBusConnection *daemon;
  GDBusConnection *users[N_USERS];
  char *names[N_USERS]; /* theirs */
  EppdClients *clients;
  guint n_vanished;

  Scratch *dir;
  char *state_dir;   /* "state" in it */
  char *import_file; /* "ppd/state.ini" in it */
  EppdProfileKeeper *keeper;

  /* What the listener was told: "apply performance strict; changed performance 1". */
  GString *calls;
  bool refuses;        /* the machine refuses each switch */
  EppdProfile machine; /* what was last carried out */
  bool is_behind;      /* it refused what nobody waits for */
} Fixture;

/* ---- The listener ---- */

/* Appends @call to a list; takes it. */
static inline void
note(GString *calls, char *call)
{
  if (calls->len > 0)
    g_string_append(calls, "; ");
  g_string_append(calls, call);
  g_free(call);
}

static inline gboolean
apply(EppdProfile profile, bool strict, gpointer data, GError **error)
{
  Fixture *fixture = data;

  note(fixture->calls,
       g_strdup_printf("apply %s%s", eppd_profile_text(profile), strict ? " strict" : ""));
  if (fixture->refuses) {
    fixture->is_behind |= !strict;
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_BUSY, "policy7 refuses");
    return FALSE;
  }
  fixture->machine = profile;
  fixture->is_behind = false;
  return TRUE;
}

/* Whoever is told may look, and sees the end of it. */
static inline void
assert_is_consistent(Fixture *fixture)
{
  if (!fixture->is_behind)
    g_assert_cmpint(eppd_profile_keeper_active(fixture->keeper), ==, fixture->machine);
}

static inline void
changed(gpointer data)
{
  Fixture *fixture = data;

  assert_is_consistent(fixture);
  note(fixture->calls,
       g_strdup_printf("changed %s %u",
                       eppd_profile_text(eppd_profile_keeper_active(fixture->keeper)),
                       eppd_profile_keeper_holds(fixture->keeper)->len));
}

static inline void
released(const EppdProfileHold *hold, gpointer data)
{
  Fixture *fixture = data;
  const GPtrArray *holds = eppd_profile_keeper_holds(fixture->keeper);

  assert_is_consistent(fixture);
  for (guint i = 0; i < holds->len; i++)
    g_assert_cmpuint(((const EppdProfileHold *)holds->pdata[i])->cookie, !=, hold->cookie);
  note(fixture->calls, g_strdup_printf("released %s", hold->app_id));
}

static inline void
assert_calls(Fixture *fixture, const char *calls)
{
  g_assert_cmpstr(fixture->calls->str, ==, calls);
  g_string_truncate(fixture->calls, 0);
}

/* ---- The fixture ---- */

static inline void
vanished(const char *name, gpointer data)
{
  Fixture *fixture = data;

  fixture->n_vanished++;
  if (fixture->keeper)
    eppd_profile_keeper_drop_owner(fixture->keeper, name);
}

static inline void
set_up(Fixture *fixture, gconstpointer data)
{
  fixture->bus = private_bus_new();
  fixture->daemon = private_bus_connect(fixture->bus);
  for (guint i = 0; i < N_USERS; i++) {
    fixture->users[i] = private_bus_connect(fixture->bus);
    fixture->names[i] = g_strdup(g_dbus_connection_get_unique_name(fixture->users[i]));
  }
  fixture->clients = eppd_clients_new(fixture->daemon, vanished, fixture);
  fixture->dir = scratch_new();
  fixture->state_dir = scratch_path(fixture->dir, "state");
  fixture->import_file = scratch_path(fixture->dir, "ppd/state.ini");
  fixture->calls = g_string_new(NULL);
  said = g_string_new(NULL);
}

static inline void
tear_down(Fixture *fixture, gconstpointer data)
{
  g_clear_pointer(&fixture->keeper, eppd_profile_keeper_free);
  g_assert_cmpuint(eppd_clients_count(fixture->clients), ==, 0);
  g_clear_pointer(&fixture->clients, eppd_clients_free);
  for (guint i = 0; i < N_USERS; i++) {
    g_clear_pointer(&fixture->users[i], private_bus_disconnect);
    g_free(fixture->names[i]);
  }
  g_clear_pointer(&fixture->daemon, private_bus_disconnect);
  private_bus_free(fixture->bus);
  scratch_free(fixture->dir);
  g_free(fixture->state_dir);
  g_free(fixture->import_file);
  g_string_free(fixture->calls, TRUE);
  g_string_free(said, TRUE);
}

static inline void
make_keeper(Fixture *fixture)
{
  static const EppdProfileKeeperListener listener = {
      .apply = apply, .changed = changed, .released = released};

  g_clear_pointer(&fixture->keeper, eppd_profile_keeper_free);
  fixture->keeper = eppd_profile_keeper_new(fixture->clients, fixture->state_dir,
                                            fixture->import_file, &listener, fixture);
}

/* The daemon starts (again), and what it does at first is no matter. */
static inline void
start(Fixture *fixture, const EppdProfileDrivers *drivers)
{
  make_keeper(fixture);
  eppd_profile_keeper_set_drivers(fixture->keeper, drivers, MIDDLE);
  g_string_truncate(fixture->calls, 0);
}

static inline void
assert_active(Fixture *fixture, EppdProfile profile, guint n_holds)
{
  g_assert_cmpint(eppd_profile_keeper_active(fixture->keeper), ==, profile);
  g_assert_cmpuint(eppd_profile_keeper_holds(fixture->keeper)->len, ==, n_holds);
}

static inline void
select_profile(Fixture *fixture, const char *name)
{
  g_autoptr(GError) error = NULL;
  gboolean selected = eppd_profile_keeper_select(fixture->keeper, name, &error);

  g_assert_no_error(error);
  g_assert_true(selected);
}

/* By the user's name, for the application "A", "B", …; its cookie. */
static inline guint32
hold(Fixture *fixture, guint user, const char *profile, const char *app_id)
{
  g_autoptr(GError) error = NULL;
  guint32 cookie = 0;
  gboolean held = eppd_profile_keeper_hold(fixture->keeper, fixture->names[user], 1000 + user,
                                           profile, "because", app_id, 0, &cookie, &error);

  g_assert_no_error(error);
  g_assert_true(held);
  g_assert_cmpuint(cookie, !=, 0);
  return cookie;
}

static inline void
refuse_hold(Fixture *fixture, guint user, const char *profile, EppdError code, const char *message)
{
  g_autoptr(GError) error = NULL;
  guint32 cookie = 77;

  g_assert_false(eppd_profile_keeper_hold(fixture->keeper, fixture->names[user], 1000 + user,
                                          profile, "because", "app", 0, &cookie, &error));
  g_assert_error(error, EPPD_ERROR, (gint)code);
  g_assert_cmpstr(error->message, ==, message);
  g_assert_cmpuint(cookie, ==, 77);
}

static inline void
release(Fixture *fixture, guint user, guint32 cookie)
{
  g_autoptr(GError) error = NULL;
  gboolean done =
      eppd_profile_keeper_release(fixture->keeper, cookie, fixture->names[user], &error);

  g_assert_no_error(error);
  g_assert_true(done);
}

static inline void
write_state(Fixture *fixture, const char *text)
{
  scratch_write(fixture->dir, "state/state.ini", text);
}

static inline void
assert_saved(Fixture *fixture, const char *text)
{
  g_autofree char *saved = scratch_read(fixture->dir, "state/state.ini");

  g_assert_cmpstr(saved, ==, text);
}

/* Each save makes a new file. */
static inline ino_t
saved_inode(Fixture *fixture)
{
  g_autofree char *path = scratch_path(fixture->dir, "state/state.ini");
  struct stat st;

  return stat(path, &st) == 0 ? st.st_ino : 0;
}
