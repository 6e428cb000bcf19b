/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/roster.h"

#include "agent/launcher.h"

#include <string.h>

/* The launcher in the names of the scopes that `eppctl run` makes: it holds for itself. */
#define OWN_LAUNCHER "eppd"

static void
game_free(gpointer data)
{
  EppdGame *game = data;

  g_free(game->key);
  g_free(game->app_id);
  g_free(game->cgroup);
  g_free(game->why);
  g_free(game);
}

/* ---- units ---- */

/* The entry of the first reading that one is known for. */
static const EppdIndexedEntry *
entry_of_unit(const EppdAppUnit *unit, EppdDesktopIndex *index)
{
  const GPtrArray *readings = unit->scope->readings;

  for (guint i = 0; i < readings->len; i++) {
    const EppdScopeReading *reading = readings->pdata[i];
    const EppdIndexedEntry *found = eppd_desktop_index_find(index, reading->identity);

    if (found)
      return found;
  }
  return NULL;
}

static const EppdScopeReading *
first_reading(const EppdAppUnit *unit)
{
  return unit->scope->readings->pdata[0];
}

static bool
is_eppctls(const EppdAppUnit *unit)
{
  return g_strcmp0(first_reading(unit)->launcher, OWN_LAUNCHER) == 0;
}

bool
eppd_roster_is_launcher(const EppdAppUnit *unit, EppdDesktopIndex *index)
{
  const GPtrArray *readings = unit->scope->readings;
  const EppdIndexedEntry *found;

  /* A game with a unit of its own. */
  if (eppd_launcher_is_game(first_reading(unit)->identity))
    return false;
  for (guint i = 0; i < readings->len; i++) {
    const EppdScopeReading *reading = readings->pdata[i];

    if (eppd_launcher_is_one(reading->identity))
      return true;
  }
  found = entry_of_unit(unit, index);
  return found && (found->is_shortcut || found->is_launcher);
}

/* Whether @cgroup (may be NULL) is the unit's or one below it. */
static bool
contains(const EppdAppUnit *unit, const char *cgroup)
{
  gsize length = strlen(unit->cgroup);

  return cgroup && strncmp(cgroup, unit->cgroup, length) == 0 &&
         (cgroup[length] == '\0' || cgroup[length] == '/');
}

static bool
has_registered_process(const EppdRosterInput *input, const EppdAppUnit *unit)
{
  for (guint i = 0; i < input->processes->len; i++) {
    const EppdTrackedProcess *tracked = input->processes->pdata[i];

    if ((tracked->origins & EPPD_ORIGIN_REGISTERED) && contains(unit, tracked->process->cgroup))
      return true;
  }
  return false;
}

/* ---- games ---- */

static bool
has_key(const GPtrArray *games, const char *key)
{
  for (guint i = 0; i < games->len; i++) {
    if (strcmp(((const EppdGame *)games->pdata[i])->key, key) == 0)
      return true;
  }
  return false;
}

/* Takes @key. */
static EppdGame *
add_game(GPtrArray *games, char *key, const char *app_id, const EppdGameRule *rule)
{
  EppdGame *game = g_new0(EppdGame, 1);

  game->key = key;
  game->app_id = g_strdup(app_id);
  game->keys = rule->keys;
  game->why = g_strdup(rule->why);
  g_ptr_array_add(games, game);
  return game;
}

static void
take_unit(GPtrArray *games, const EppdRosterInput *input, const EppdAppUnit *unit)
{
  bool is_launcher = eppd_roster_is_launcher(unit, input->index);
  const EppdIndexedEntry *found = entry_of_unit(unit, input->index);
  g_autoptr(EppdGameRule) rule = NULL;
  EppdGame *game;

  if (!unit->is_populated || is_eppctls(unit) || has_key(games, unit->cgroup))
    return;
  /* Under a shortcut's name the launcher may run. A launcher that is opted in itself is held as a
   * whole, but what registers with GameMode is one of its games. */
  if (is_launcher && (!found || found->is_shortcut))
    return;
  rule =
      eppd_game_rule_decide(found ? found->entry : NULL,
                            !is_launcher && has_registered_process(input, unit), input->settings);
  if (!rule->opted_in)
    return;
  game = add_game(games, g_strdup(unit->cgroup),
                  found ? found->id : first_reading(unit)->identity->id, rule);
  game->cgroup = g_strdup(unit->cgroup);
  game->run = unit->run;
}

/* Shortcuts count by their games alone, and inside a launcher that itself does not. */
static const EppdIndexedEntry *
entry_of_process(const EppdProcess *process, bool in_launcher, EppdDesktopIndex *index)
{
  for (guint i = 0; i < process->identities->len; i++) {
    const EppdGameIdentity *identity = process->identities->pdata[i];
    const EppdIndexedEntry *found = eppd_desktop_index_find(index, identity);

    if (found && (!found->is_shortcut || eppd_launcher_is_game(identity)) &&
        (!found->is_launcher || !in_launcher))
      return found;
  }
  return NULL;
}

static const EppdAppUnit *
unit_of_process(const EppdRosterInput *input, const EppdProcess *process)
{
  const EppdAppUnit *innermost = NULL;

  for (guint i = 0; i < input->units->len; i++) {
    const EppdAppUnit *unit = input->units->pdata[i];

    if (contains(unit, process->cgroup) &&
        (!innermost || strlen(unit->cgroup) > strlen(innermost->cgroup)))
      innermost = unit;
  }
  return innermost;
}

/* All processes of one entry are one game: it may be made of many, which its children look like.
 * Inside a launcher so are all that show the same; elsewhere what has no entry is for itself. */
static char *
key_of_process(const EppdProcess *process,
               const EppdAppUnit *launcher,
               const EppdIndexedEntry *found,
               const char *app_id)
{
  if (launcher || found)
    return g_strconcat(launcher ? launcher->cgroup : "", "\n", app_id, NULL);
  return g_strdup_printf("%d:%" G_GUINT64_FORMAT, (int)process->pid, process->start_ticks);
}

static const char *
app_id_of_process(const EppdProcess *process, const EppdIndexedEntry *found)
{
  if (found)
    return found->id;
  return process->identities->len > 0
             ? ((const EppdGameIdentity *)process->identities->pdata[0])->id
             : process->name;
}

/* The unit is held instead, or has been decided on. */
static bool
is_of_its_unit(const GPtrArray *games, const EppdTrackedProcess *tracked, const EppdAppUnit *unit)
{
  return is_eppctls(unit) || has_key(games, unit->cgroup) ||
         !(tracked->origins & EPPD_ORIGIN_LAUNCHED);
}

static void
take_process(GPtrArray *games, const EppdRosterInput *input, const EppdTrackedProcess *tracked)
{
  const EppdProcess *process = tracked->process;
  const EppdAppUnit *unit = unit_of_process(input, process);
  bool in_launcher = unit && eppd_roster_is_launcher(unit, input->index);
  const EppdIndexedEntry *found = entry_of_process(process, in_launcher, input->index);
  const char *app_id = app_id_of_process(process, found);
  g_autoptr(EppdGameRule) rule = NULL;
  g_autofree char *key = NULL;
  EppdGame *game;

  if (unit && !in_launcher && is_of_its_unit(games, tracked, unit))
    return;
  if (in_launcher && has_key(games, unit->cgroup))
    return;
  rule = eppd_game_rule_decide(found ? found->entry : NULL,
                               tracked->origins & EPPD_ORIGIN_REGISTERED, input->settings);
  key = key_of_process(process, in_launcher ? unit : NULL, found, app_id);
  if (!rule->opted_in || has_key(games, key))
    return;
  game = add_game(games, g_steal_pointer(&key), app_id, rule);
  game->process = process;
  if (in_launcher)
    game->cgroup = g_strdup(unit->cgroup);
}

GPtrArray *
eppd_roster_games(const EppdRosterInput *input)
{
  GPtrArray *games = g_ptr_array_new_with_free_func(game_free);

  for (guint i = 0; i < input->units->len; i++)
    take_unit(games, input, input->units->pdata[i]);
  for (guint i = 0; i < input->processes->len; i++)
    take_process(games, input, input->processes->pdata[i]);
  return games;
}

bool
eppd_roster_wants_processes(const EppdDesktopIndex *index, const EppdGameSettings *settings)
{
  const GPtrArray *entries = eppd_desktop_index_list(index);

  for (guint i = 0; i < entries->len; i++) {
    const EppdIndexedEntry *indexed = entries->pdata[i];
    g_autoptr(EppdGameRule) rule = NULL;

    if (!indexed->is_shortcut)
      continue;
    rule = eppd_game_rule_decide(indexed->entry, false, settings);
    if (rule->opted_in)
      return true;
  }
  return false;
}
