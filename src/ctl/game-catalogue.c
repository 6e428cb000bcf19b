/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/game-catalogue.h"

#include "ctl/close-match.h"
#include "ctl/fields.h"

#include "base/error.h"
#include "base/printable.h"
#include "games/entry-identity.h"

#include <glib/gi18n.h>
#include <string.h>

/* Of the ids that somebody may have meant, no more are named. */
#define N_SUGGESTED 3

/* For GameMode's answer. */
#define GAME_MODE_TIMEOUT_MS 1000

static void
free_game(gpointer data)
{
  EppdGameEntry *game = data;

  eppd_desktop_file_free(game->file);
  g_clear_pointer(&game->entry, eppd_desktop_entry_free);
  g_free(game->problem);
  g_ptr_array_unref(game->identities);
  g_ptr_array_unref(game->processes);
  g_clear_pointer(&game->rule, eppd_game_rule_free);
  g_free(game);
}

static bool
is_launchers(const EppdGameIdentity *identity)
{
  return identity->kind == EPPD_IDENTITY_STEAM || identity->kind == EPPD_IDENTITY_HEROIC ||
         identity->kind == EPPD_IDENTITY_LUTRIS_NAME;
}

/* The shortcut of a launcher's game is known by the game alone: the unit that it started may be the
 * launcher with all that it runs. As eppd-agent does it. */
static GPtrArray *
identities_of(const EppdDesktopFile *file, const EppdDesktopEntry *entry)
{
  GPtrArray *all = eppd_entry_identities(file->id, file->path, entry);
  GPtrArray *launchers = eppd_game_identities_new();

  for (guint i = 0; i < all->len; i++) {
    const EppdGameIdentity *identity = all->pdata[i];

    if (is_launchers(identity))
      eppd_game_identities_take(launchers, eppd_game_identity_new(identity->kind, identity->id));
  }
  if (launchers->len == 0) {
    g_ptr_array_unref(launchers);
    return all;
  }
  g_ptr_array_unref(all);
  return launchers;
}

/* Takes @file. */
static EppdGameEntry *
game_new(EppdDesktopFile *file)
{
  EppdGameEntry *game = g_new0(EppdGameEntry, 1);
  g_autoptr(GError) error = NULL;

  game->file = file;
  game->processes = g_ptr_array_new();
  game->entry = eppd_desktop_entry_load(file->path, &error);
  if (game->entry) {
    game->identities = identities_of(file, game->entry);
  } else {
    game->identities = eppd_game_identities_new();
    game->problem = eppd_printable(error->message, EPPD_FIELD_TEXT_MAX);
  }
  return game;
}

/* ---- what runs ---- */

static bool
has_identity(const EppdGameEntry *game, const EppdGameIdentity *identity)
{
  for (guint i = 0; i < game->identities->len; i++) {
    if (eppd_game_identity_equal(game->identities->pdata[i], identity))
      return true;
  }
  return false;
}

static bool
give_to_those_with(GPtrArray *games, EppdUserProcess *process, const EppdGameIdentity *identity)
{
  bool given = false;

  for (guint i = 0; i < games->len; i++) {
    EppdGameEntry *game = games->pdata[i];

    if (!has_identity(game, identity))
      continue;
    given = true;
    if (!g_ptr_array_find(game->processes, process, NULL))
      g_ptr_array_add(game->processes, process);
  }
  return given;
}

/* A unit's name may mean several applications: the likeliest that is known. What a process shows
 * is all true. */
static void
give_process(GPtrArray *games, EppdUserProcess *process)
{
  for (guint i = 0; i < process->units->len; i++) {
    if (give_to_those_with(games, process, process->units->pdata[i]))
      break;
  }
  for (guint i = 0; i < process->shown->len; i++)
    give_to_those_with(games, process, process->shown->pdata[i]);
}

static bool
is_registered(const EppdGameEntry *game)
{
  for (guint i = 0; i < game->processes->len; i++) {
    const EppdUserProcess *process = game->processes->pdata[i];

    if (process->is_registered)
      return true;
  }
  return false;
}

/* ---- catalogue ---- */

EppdDesktopDirs *
eppd_game_dirs_new(GError **error)
{
  return eppd_desktop_dirs_new(g_getenv("HOME"), g_getenv("XDG_DATA_HOME"),
                               g_getenv("XDG_DATA_DIRS"), error);
}

EppdGameCatalogue *
eppd_game_catalogue_new(const char *config_file, GError **error)
{
  EppdDesktopDirs *dirs = eppd_game_dirs_new(error);
  EppdGameCatalogue *catalogue;
  g_autoptr(GPtrArray) files = NULL;

  if (!dirs)
    return NULL;
  catalogue = g_new0(EppdGameCatalogue, 1);
  catalogue->dirs = dirs;
  catalogue->config = eppd_game_config_load(config_file);
  catalogue->processes = eppd_user_processes_look();
  eppd_user_processes_ask_game_mode(catalogue->processes, GAME_MODE_TIMEOUT_MS);
  catalogue->games = g_ptr_array_new_with_free_func(free_game);

  files = eppd_desktop_dirs_list(dirs);
  g_ptr_array_set_free_func(files, NULL);
  for (guint i = 0; i < files->len; i++)
    g_ptr_array_add(catalogue->games, game_new(files->pdata[i]));
  for (guint i = 0; i < catalogue->processes->processes->len; i++)
    give_process(catalogue->games, catalogue->processes->processes->pdata[i]);
  for (guint i = 0; i < catalogue->games->len; i++) {
    EppdGameEntry *game = catalogue->games->pdata[i];

    game->rule =
        eppd_game_rule_decide(game->entry, is_registered(game), &catalogue->config->settings);
  }
  return catalogue;
}

void
eppd_game_catalogue_free(EppdGameCatalogue *catalogue)
{
  g_ptr_array_unref(catalogue->games);
  eppd_user_processes_free(catalogue->processes);
  eppd_game_config_free(catalogue->config);
  eppd_desktop_dirs_free(catalogue->dirs);
  g_free(catalogue);
}

/* ---- one entry ---- */

/* What may have been meant by @id, "a, b"; NULL if nothing is close. */
static char *
suggest(const EppdDesktopDirs *dirs, const char *id)
{
  g_autoptr(GPtrArray) files = eppd_desktop_dirs_list(dirs);
  g_autoptr(GPtrArray) ids = g_ptr_array_new();
  g_auto(GStrv) matches = NULL;
  g_autofree char *joined = NULL;

  for (guint i = 0; i < files->len; i++)
    g_ptr_array_add(ids, ((EppdDesktopFile *)files->pdata[i])->id);
  g_ptr_array_add(ids, NULL);
  matches = eppd_close_matches(id, (const char *const *)ids->pdata, N_SUGGESTED);
  joined = g_strjoinv(", ", matches);
  return *joined ? g_steal_pointer(&joined) : NULL;
}

EppdDesktopFile *
eppd_game_dirs_find(const EppdDesktopDirs *dirs, const char *id, GError **error)
{
  g_autoptr(GError) local_error = NULL;
  g_autofree char *suggestion = NULL;
  EppdDesktopFile *file = eppd_desktop_dirs_find(dirs, id, &local_error);

  if (file)
    return file;
  if (!g_error_matches(local_error, EPPD_ERROR, EPPD_ERROR_GONE)) {
    g_propagate_error(error, g_steal_pointer(&local_error));
    return NULL;
  }
  suggestion = suggest(dirs, id);
  if (suggestion)
    g_set_error(error, local_error->domain, local_error->code, _("%s; did you mean: %s?"),
                local_error->message, suggestion);
  else
    g_set_error(error, local_error->domain, local_error->code,
                _("%s; `eppctl game list --all` lists those there are"), local_error->message);
  return NULL;
}

EppdGameEntry *
eppd_game_catalogue_find(EppdGameCatalogue *catalogue, const char *id, GError **error)
{
  g_autoptr(EppdDesktopFile) file = eppd_game_dirs_find(catalogue->dirs, id, error);

  if (!file)
    return NULL;
  for (guint i = 0; i < catalogue->games->len; i++) {
    EppdGameEntry *game = catalogue->games->pdata[i];

    if (strcmp(game->file->id, file->id) == 0)
      return game;
  }
  g_set_error(error, EPPD_ERROR, EPPD_ERROR_GONE, _("there is no desktop entry %s any more"),
              file->id);
  return NULL;
}
