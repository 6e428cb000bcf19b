/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/fields.h"
#include "ctl/game-view.h"
#include "ctl/game.h"
#include "ctl/output.h"

#include "base/error.h"
#include "base/printable.h"
#include "games/desktop-override.h"

#include <glib/gi18n.h>
#include <stdio.h>

/* ---- what the options say ---- */

typedef struct {
  char *values[EPPD_N_BOOST_KEYS]; /* as given; NULL: not given */
} Given;

static void
given_clear(Given *given)
{
  for (guint i = 0; i < EPPD_N_BOOST_KEYS; i++)
    g_free(given->values[i]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Given, given_clear)

/* False after a complaint. */
static bool
parse_given(const Given *given, EppdBoostKeys *keys)
{
  static const char *const options[EPPD_N_BOOST_KEYS] = {
      [EPPD_BOOST_KEY_TRIGGER] = "--trigger",
      [EPPD_BOOST_KEY_THRESHOLD] = "--threshold",
      [EPPD_BOOST_KEY_PROFILE] = "--profile",
  };

  for (guint i = 0; i < EPPD_N_BOOST_KEYS; i++) {
    if (!given->values[i] || eppd_boost_keys_parse(keys, (EppdBoostKey)i, given->values[i]))
      continue;
    eppd_complain(_("game enable: %s %s: expected %s"), options[i], given->values[i],
                  eppd_boost_key_expected((EppdBoostKey)i));
    return false;
  }
  return true;
}

/* What the entry has already stays where @given says nothing. */
static EppdBoostKeys
merge(const EppdBoostKeys *present, const EppdBoostKeys *given)
{
  EppdBoostKeys keys = *present;

  keys.has_boost = true;
  keys.boost = true;
  if (given->has_trigger) {
    keys.has_trigger = true;
    keys.trigger = given->trigger;
  }
  if (given->threshold_percent > 0)
    keys.threshold_percent = given->threshold_percent;
  if (given->has_profile) {
    keys.has_profile = true;
    keys.profile = given->profile;
  }
  return keys;
}

/* ---- what was done ---- */

/* "trigger app, threshold 30 %, profile performance"; NULL where none is said. */
static char *
keys_text(const EppdBoostKeys *keys)
{
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(g_free);

  if (keys->has_trigger)
    g_ptr_array_add(parts, g_strdup_printf(_("trigger %s"), eppd_trigger_text(keys->trigger)));
  if (keys->threshold_percent > 0)
    g_ptr_array_add(parts, g_strdup_printf(_("threshold %u %%"), keys->threshold_percent));
  if (keys->has_profile)
    g_ptr_array_add(parts, g_strdup_printf(_("profile %s"), eppd_profile_text(keys->profile)));
  if (parts->len == 0)
    return NULL;
  g_ptr_array_add(parts, NULL);
  return g_strjoinv(", ", (char **)parts->pdata);
}

static void
print_state(const char *id, const char *state, const EppdBoostKeys *keys)
{
  g_autofree char *shown = eppd_printable(id, EPPD_FIELD_TEXT_MAX);
  g_autofree char *text = keys ? keys_text(keys) : NULL;

  if (text)
    printf("%s: %s (%s)\n", shown, state, text);
  else
    printf("%s: %s\n", shown, state);
}

static void
print_file(EppdOverrideResult result, const char *path)
{
  g_autofree char *shown = eppd_printable(path, EPPD_FIELD_TEXT_MAX);

  switch (result) {
  case EPPD_OVERRIDE_UNCHANGED:
    printf(_("%s says so already: nothing was written.\n"), shown);
    break;
  case EPPD_OVERRIDE_WRITTEN:
    printf(_("Wrote %s.\n"), shown);
    break;
  case EPPD_OVERRIDE_REMOVED:
    printf(_("Removed %s: the system's entry says the same.\n"), shown);
    break;
  }
}

static void
print_agent(void)
{
  g_autoptr(EppdUserProcesses) processes = eppd_user_processes_look();

  if (processes->agent_pid > 0)
    printf(_("eppd-agent runs (process %d), and boosts it when it runs.\n"),
           (int)processes->agent_pid);
  else
    puts(eppd_game_agent_hint());
}

/* ---- enable ---- */

/* The entry of @file, if opting it in could have an effect. */
static EppdDesktopEntry *
load_application(const EppdDesktopFile *file, GError **error)
{
  g_autoptr(EppdDesktopEntry) entry = eppd_desktop_entry_load(file->path, error);

  if (!entry)
    return NULL;
  if (eppd_desktop_entry_is_application(entry))
    return g_steal_pointer(&entry);
  g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID,
              entry->hidden ? _("%s is hidden: for the desktop it does not exist")
                            : _("%s is no application's"),
              file->path);
  return NULL;
}

static int
enable(const char *id, const char *config_file, const EppdBoostKeys *given)
{
  g_autoptr(EppdGameConfig) config = eppd_game_config_load(config_file);
  g_autoptr(GError) error = NULL;
  g_autoptr(EppdDesktopDirs) dirs = eppd_game_dirs_new(&error);
  g_autoptr(EppdDesktopFile) file = dirs ? eppd_game_dirs_find(dirs, id, &error) : NULL;
  g_autoptr(EppdDesktopEntry) entry = file ? load_application(file, &error) : NULL;
  g_autofree char *path = NULL;
  EppdOverrideResult result;
  EppdBoostKeys keys;

  if (!entry)
    return eppd_fail(error);
  keys = merge(&entry->keys, given);
  if (!eppd_desktop_override_set(dirs, file->id, &keys, &result, &path, &error))
    return eppd_fail(error);

  print_state(file->id, _("opted in"), &keys);
  print_file(result, path);
  if (!config->settings.desktop_key)
    puts(_("It has no effect: [Games] DesktopKey=false in eppd's configuration."));
  print_agent();
  return EPPD_EXIT_OK;
}

int
eppd_game_enable(int argc, char **argv)
{
  g_auto(Given) given = {0};
  g_autofree char *config_file = NULL;
  const GOptionEntry entries[] = {
      {"trigger", 't', 0, G_OPTION_ARG_FILENAME, &given.values[EPPD_BOOST_KEY_TRIGGER],
       _("What makes a CPU busy: core or app"), "TRIGGER"},
      {"threshold", 'T', 0, G_OPTION_ARG_FILENAME, &given.values[EPPD_BOOST_KEY_THRESHOLD],
       _("How busy a CPU is when it is boosted, 1..100 percent"), "N"},
      {"profile", 'p', 0, G_OPTION_ARG_FILENAME, &given.values[EPPD_BOOST_KEY_PROFILE],
       _("The power profile while it runs: performance or power-saver"), "PROFILE"},
      EPPD_GAME_CONFIG_OPTION(&config_file),
      {NULL},
  };
  const EppdVerbUsage usage = {
      entries,
      "ID",
      _("Opts a game in, by your own copy of its desktop entry: the system's is never written. "
        "What "
        "the entry says already and no option says otherwise stays."),
      1,
      1,
  };
  EppdBoostKeys keys = {0};

  if (!eppd_verb_parse(&usage, &argc, &argv))
    return EPPD_EXIT_USAGE;
  if (!parse_given(&given, &keys))
    return EPPD_EXIT_USAGE;
  return enable(argv[1], config_file, &keys);
}

/* ---- disable ---- */

/* What would still opt the game in, when its file says nothing. */
static void
print_what_is_left(const EppdDesktopDirs *dirs, const char *id, const EppdGameSettings *settings)
{
  g_autoptr(EppdDesktopFile) file = eppd_desktop_dirs_find(dirs, id, NULL);
  g_autoptr(EppdDesktopEntry) entry = file ? eppd_desktop_entry_load(file->path, NULL) : NULL;
  g_autoptr(EppdGameRule) rule = NULL;

  if (!entry)
    return;
  rule = eppd_game_rule_decide(entry, true, settings);
  if (rule->opted_in)
    puts(_("If it registers with GameMode, that opts it in all the same ([Games] GameMode=true in "
           "eppd's configuration)."));
}

static int
disable(const char *id, const char *config_file)
{
  g_autoptr(EppdGameConfig) config = eppd_game_config_load(config_file);
  g_autoptr(GError) error = NULL;
  g_autoptr(EppdDesktopDirs) dirs = eppd_game_dirs_new(&error);
  g_autoptr(EppdDesktopFile) file = dirs ? eppd_game_dirs_find(dirs, id, &error) : NULL;
  g_autofree char *path = NULL;
  EppdOverrideResult result;

  if (!file ||
      !eppd_desktop_override_disable(dirs, file->id, &config->settings, &result, &path, &error))
    return eppd_fail(error);
  print_state(file->id, _("not opted in"), NULL);
  print_file(result, path);
  print_what_is_left(dirs, file->id, &config->settings);
  return EPPD_EXIT_OK;
}

int
eppd_game_disable(int argc, char **argv)
{
  g_autofree char *config_file = NULL;
  const GOptionEntry entries[] = {EPPD_GAME_CONFIG_OPTION(&config_file), {NULL}};
  const EppdVerbUsage usage = {
      entries,
      "ID",
      _("Opts a game out: takes eppd's keys out of your copy of its desktop entry, and removes "
        "that "
        "if it then is the system's; writes X-Eppd-Boost=false where it would be opted in all the "
        "same."),
      1,
      1,
  };

  if (!eppd_verb_parse(&usage, &argc, &argv))
    return EPPD_EXIT_USAGE;
  return disable(argv[1], config_file);
}
