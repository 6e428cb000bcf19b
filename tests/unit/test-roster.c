/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/roster.h"

#include "scratch.h"

/* Entries in a scratch directory, units and processes that a case names; nothing runs. */

#define SLICE "/user.slice/user-1.slice/user@1.service/app.slice/"

typedef struct {
  Scratch *dir;
  EppdPathWatch *watch;
  EppdDesktopIndex *index;
  EppdGameSettings settings;
  GPtrArray *units;
  GPtrArray *processes;
} Fixture;

static const char *const entries[][2] = {
    {"game", "Exec=game\nX-Eppd-Boost=true\nX-Eppd-Trigger=app\nX-Eppd-Threshold=7"},
    {"no", "Exec=no\nX-Eppd-Boost=false\nCategories=Game"},
    {"category", "Exec=category\nCategories=Toy;Game"},
    {"steam", "Exec=steam %U\nCategories=Game"},
    {"Dota", "Exec=steam steam://rungameid/570\nX-Eppd-Boost=true"},
    {"Other", "Exec=steam steam://rungameid/571\nX-Eppd-Boost=false"},
};

static void
free_unit(gpointer data)
{
  EppdAppUnit *unit = data;

  g_free(unit->name);
  g_free(unit->cgroup);
  eppd_scope_name_free(unit->scope);
  g_free(unit);
}

static void
free_tracked(gpointer data)
{
  EppdTrackedProcess *tracked = data;

  eppd_process_free(tracked->process);
  g_free(tracked);
}

static void
on_changed(gpointer data)
{
}

static void
set_up(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  EppdDesktopDirs *dirs;

  fixture->dir = scratch_new();
  for (guint i = 0; i < G_N_ELEMENTS(entries); i++) {
    g_autofree char *file = g_strdup_printf("applications/%s.desktop", entries[i][0]);
    g_autofree char *text = g_strdup_printf("[Desktop Entry]\nType=Application\nName=%s\n%s\n",
                                            entries[i][0], entries[i][1]);

    scratch_write(fixture->dir, file, text);
  }
  fixture->settings = (EppdGameSettings){.desktop_key = true, .game_mode = true};
  fixture->watch = eppd_path_watch_new(&error);
  g_assert_no_error(error);
  dirs = eppd_desktop_dirs_new(NULL, fixture->dir, "/nonexistent", &error);
  g_assert_no_error(error);
  fixture->index = eppd_desktop_index_new(dirs, fixture->watch, on_changed, NULL);
  fixture->units = g_ptr_array_new_with_free_func(free_unit);
  fixture->processes = g_ptr_array_new_with_free_func(free_tracked);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  g_ptr_array_unref(fixture->processes);
  g_ptr_array_unref(fixture->units);
  eppd_desktop_index_free(fixture->index);
  eppd_path_watch_free(fixture->watch);
  scratch_free(fixture->dir);
}

static EppdAppUnit *
add_unit(Fixture *fixture, const char *name)
{
  EppdAppUnit *unit = g_new0(EppdAppUnit, 1);

  unit->name = g_strdup(name);
  unit->cgroup = g_strconcat(SLICE, name, NULL);
  unit->scope = eppd_scope_name_parse(name);
  unit->is_populated = true;
  g_assert_nonnull(unit->scope);
  g_ptr_array_add(fixture->units, unit);
  return unit;
}

/* @unit: the one that it is in; NULL: none. */
static void
add_process(Fixture *fixture,
            pid_t pid,
            EppdOrigin origins,
            const char *unit,
            EppdIdentityKind kind,
            const char *id)
{
  EppdTrackedProcess *tracked = g_new0(EppdTrackedProcess, 1);

  tracked->origins = origins;
  tracked->process = g_new0(EppdProcess, 1);
  tracked->process->pid = pid;
  tracked->process->pidfd = -1;
  tracked->process->start_ticks = (guint64)pid;
  tracked->process->name = g_strdup("comm");
  tracked->process->cgroup =
      unit ? g_strconcat(SLICE, unit, NULL) : g_strdup("/user.slice/user-1.slice/session-1.scope");
  tracked->process->identities = eppd_game_identities_new();
  eppd_game_identities_take(tracked->process->identities, eppd_game_identity_new(kind, id));
  g_ptr_array_add(fixture->processes, tracked);
}

/* "ID@UNIT", "ID#PID", "ID@UNIT#PID", with a space in between. */
static void
assert_games(Fixture *fixture, const char *expected)
{
  EppdRosterInput input = {.units = fixture->units,
                           .processes = fixture->processes,
                           .index = fixture->index,
                           .settings = &fixture->settings};
  g_autoptr(GPtrArray) games = NULL;
  g_autoptr(GString) text = g_string_new(NULL);

  eppd_desktop_index_load(fixture->index, &fixture->settings);
  games = eppd_roster_games(&input);
  for (guint i = 0; i < games->len; i++) {
    const EppdGame *game = games->pdata[i];

    g_string_append_printf(text, "%s%s", i > 0 ? " " : "", game->app_id);
    if (game->cgroup)
      g_string_append_printf(text, "@%s", game->cgroup + strlen(SLICE));
    if (game->process)
      g_string_append_printf(text, "#%d", (int)game->process->pid);
  }
  g_assert_cmpstr(text->str, ==, expected);
}

static void
test_units(Fixture *fixture, gconstpointer data)
{
  add_unit(fixture, "app-gnome-game-1.scope");
  add_unit(fixture, "app-gnome-game-2.scope")->is_populated = false;
  add_unit(fixture, "app-gnome-no-3.scope");
  add_unit(fixture, "app-gnome-category-4.scope");
  add_unit(fixture, "app-gnome-unknown-5.scope");
  add_unit(fixture, "app-eppd-game-6.scope");
  assert_games(fixture, "game@app-gnome-game-1.scope");
}

static void
test_categories(Fixture *fixture, gconstpointer data)
{
  static const char *const categories[] = {"Game", NULL};

  fixture->settings.categories = categories;
  add_unit(fixture, "app-gnome-no-3.scope");
  add_unit(fixture, "app-gnome-category-4.scope");
  assert_games(fixture, "category@app-gnome-category-4.scope");
}

static void
test_keys_of_the_entry(Fixture *fixture, gconstpointer data)
{
  EppdRosterInput input = {.units = fixture->units,
                           .processes = fixture->processes,
                           .index = fixture->index,
                           .settings = &fixture->settings};
  g_autoptr(GPtrArray) games = NULL;
  const EppdGame *game;

  eppd_desktop_index_load(fixture->index, &fixture->settings);
  add_unit(fixture, "app-gnome-game-1.scope");
  games = eppd_roster_games(&input);
  g_assert_cmpuint(games->len, ==, 1);
  game = games->pdata[0];
  g_assert_true(game->keys.has_trigger);
  g_assert_cmpint(game->keys.trigger, ==, EPPD_TRIGGER_APP);
  g_assert_cmpuint(game->keys.threshold_percent, ==, 7);
  g_assert_false(game->keys.has_profile);
}

static void
test_registered(Fixture *fixture, gconstpointer data)
{
  add_unit(fixture, "app-gnome-unknown-1.scope");
  add_unit(fixture, "app-gnome-no-2.scope");
  /* In the unit, below it, in one that says no, in none. */
  add_process(fixture, 1, EPPD_ORIGIN_REGISTERED, "app-gnome-unknown-1.scope/inner",
              EPPD_IDENTITY_HEROIC, "x");
  add_process(fixture, 2, EPPD_ORIGIN_REGISTERED, "app-gnome-no-2.scope", EPPD_IDENTITY_HEROIC,
              "x");
  add_process(fixture, 3, EPPD_ORIGIN_REGISTERED, NULL, EPPD_IDENTITY_HEROIC, "Quail");
  assert_games(fixture, "unknown@app-gnome-unknown-1.scope Quail#3");
  fixture->settings.game_mode = false;
  assert_games(fixture, "");
}

static void
test_launched(Fixture *fixture, gconstpointer data)
{
  add_unit(fixture, "app-gnome-game-1.scope");
  add_unit(fixture, "app-org.example.Terminal-2.scope");
  /* In its own unit, in another's, in none; and one that nobody opted in. */
  add_process(fixture, 1, EPPD_ORIGIN_LAUNCHED, "app-gnome-game-1.scope", EPPD_IDENTITY_DESKTOP_ID,
              "game");
  add_process(fixture, 2, EPPD_ORIGIN_LAUNCHED, "app-org.example.Terminal-2.scope",
              EPPD_IDENTITY_DESKTOP_ID, "game");
  add_process(fixture, 3, EPPD_ORIGIN_LAUNCHED, NULL, EPPD_IDENTITY_DESKTOP_ID, "game");
  add_process(fixture, 4, EPPD_ORIGIN_LAUNCHED, NULL, EPPD_IDENTITY_DESKTOP_ID, "no");
  /* The second and the third are one game; the third takes over. */
  assert_games(fixture, "game@app-gnome-game-1.scope game#2");
  g_ptr_array_remove_index(fixture->processes, 1);
  assert_games(fixture, "game@app-gnome-game-1.scope game#3");
}

static void
test_games_in_a_launcher(Fixture *fixture, gconstpointer data)
{
  static const char unit[] = "app-gnome-steam-1.scope";

  add_unit(fixture, unit);
  add_process(fixture, 1, EPPD_ORIGIN_LAUNCHED, unit, EPPD_IDENTITY_DESKTOP_ID, "steam");
  add_process(fixture, 2, EPPD_ORIGIN_IN_LAUNCHER, unit, EPPD_IDENTITY_STEAM, "570");
  add_process(fixture, 3, EPPD_ORIGIN_REGISTERED, unit, EPPD_IDENTITY_STEAM, "570");
  add_process(fixture, 4, EPPD_ORIGIN_REGISTERED, unit, EPPD_IDENTITY_STEAM, "571");
  add_process(fixture, 5, EPPD_ORIGIN_REGISTERED, unit, EPPD_IDENTITY_STEAM, "572");
  assert_games(fixture, "Dota@app-gnome-steam-1.scope#2 572@app-gnome-steam-1.scope#5");
}

static void
test_a_shortcut_is_known_by_its_game_alone(Fixture *fixture, gconstpointer data)
{
  /* The client may run under the shortcut's name, and stay. */
  add_unit(fixture, "app-gnome-Dota-1.scope");
  add_process(fixture, 1, EPPD_ORIGIN_LAUNCHED, "app-gnome-Dota-1.scope", EPPD_IDENTITY_DESKTOP_ID,
              "Dota");
  assert_games(fixture, "");
  add_process(fixture, 2, EPPD_ORIGIN_IN_LAUNCHER, "app-gnome-Dota-1.scope", EPPD_IDENTITY_STEAM,
              "570");
  assert_games(fixture, "Dota@app-gnome-Dota-1.scope#2");
  /* A unit of the game's own. */
  add_unit(fixture, "app-steam-app570-9.scope");
  assert_games(fixture, "Dota@app-steam-app570-9.scope Dota@app-gnome-Dota-1.scope#2");
}

static void
test_a_launcher_that_is_opted_in_is_held_as_a_whole(Fixture *fixture, gconstpointer data)
{
  static const char *const categories[] = {"Game", NULL};
  static const char unit[] = "app-gnome-steam-1.scope";

  fixture->settings.categories = categories;
  add_unit(fixture, unit);
  add_process(fixture, 2, EPPD_ORIGIN_IN_LAUNCHER, unit, EPPD_IDENTITY_STEAM, "570");
  assert_games(fixture, "steam@app-gnome-steam-1.scope");
}

static void
test_wants_processes(Fixture *fixture, gconstpointer data)
{
  eppd_desktop_index_load(fixture->index, &fixture->settings);
  g_assert_true(eppd_roster_wants_processes(fixture->index, &fixture->settings));
  fixture->settings.desktop_key = false;
  g_assert_false(eppd_roster_wants_processes(fixture->index, &fixture->settings));
}

#define ADD(name, func) g_test_add("/roster/" name, Fixture, NULL, set_up, func, tear_down)

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  ADD("units", test_units);
  ADD("categories", test_categories);
  ADD("keys-of-the-entry", test_keys_of_the_entry);
  ADD("registered", test_registered);
  ADD("launched", test_launched);
  ADD("games-in-a-launcher", test_games_in_a_launcher);
  ADD("a-shortcut-is-known-by-its-game-alone", test_a_shortcut_is_known_by_its_game_alone);
  ADD("a-launcher-that-is-opted-in-is-held-as-a-whole",
      test_a_launcher_that_is_opted_in_is_held_as_a_whole);
  ADD("wants-processes", test_wants_processes);
  return g_test_run();
}
