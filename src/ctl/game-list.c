/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/client.h"
#include "ctl/fields.h"
#include "ctl/game-view.h"
#include "ctl/game.h"
#include "ctl/output.h"
#include "ctl/verb.h"

#include "base/printable.h"

#include <glib/gi18n.h>
#include <stdio.h>

/* A list is made with or without the daemon. */
#define HOLDS_TIMEOUT_MS 1000

/* Names are cut to what a table's column can bear. */
#define NAME_MAX_BYTES 48

/* What can't be read may be anything: a game that was to be opted in, too. */
static bool
is_listed(const EppdGameEntry *game, bool all)
{
  if (!game->entry)
    return true;
  if (!eppd_desktop_entry_is_application(game->entry))
    return false;
  return all || game->rule->opted_in || game->entry->problems->len > 0 ||
         eppd_game_rule_is_likely(game->entry);
}

static char *
note_text(const EppdGameEntry *game)
{
  const GPtrArray *problems = game->entry ? game->entry->problems : NULL;

  if (game->problem)
    return g_strdup(game->problem);
  if (problems->len == 0)
    return g_strdup("");
  if (problems->len == 1)
    return g_strdup(problems->pdata[0]);
  return g_strdup_printf(_("%s (and %u more)"), (char *)problems->pdata[0], problems->len - 1);
}

static const char *
state_text(const EppdGameEntry *game)
{
  if (game->problem)
    return _("broken");
  return game->rule->opted_in ? _("yes") : _("no");
}

static const char *
by_text(const char *by)
{
  if (g_str_equal(by, "key"))
    return _("key");
  return g_str_equal(by, "category") ? _("category") : by;
}

static EppdStyle
row_style(const EppdGameEntry *game, bool held)
{
  if (game->problem || game->entry->problems->len > 0)
    return EPPD_STYLE_WARNING;
  return held ? EPPD_STYLE_ACTIVE : EPPD_STYLE_PLAIN;
}

static void
add_game(EppdTable *table,
         const EppdGameEntry *game,
         const EppdGameCatalogue *catalogue,
         GVariant *holds)
{
  const EppdBoostKeys *keys = &game->rule->keys;
  g_autoptr(GVariant) hold = eppd_game_find_hold(game, holds);
  g_autofree char *id = eppd_printable(game->file->id, EPPD_FIELD_TEXT_MAX);
  g_autofree char *name = eppd_printable(game->entry ? game->entry->name : NULL, NAME_MAX_BYTES);
  g_autofree char *threshold = eppd_game_threshold_text(keys->threshold_percent);
  g_autofree char *note = note_text(game);
  const char *by = by_text(eppd_game_opted_in_by(game, catalogue));
  const char *now = hold ? _("held") : game->processes->len > 0 ? _("runs") : "";

  eppd_table_add(table, row_style(game, hold != NULL), id, name, state_text(game), by,
                 keys->has_trigger ? eppd_trigger_text(keys->trigger) : "", threshold,
                 keys->has_profile ? eppd_profile_text(keys->profile) : "", now, note);
}

/* An opted-in game that nobody will ever notice is what the list is asked for. */
static void
print_agent_hint(const EppdGameCatalogue *catalogue, const GPtrArray *games)
{
  bool opted_in = false;

  for (guint i = 0; i < games->len; i++)
    opted_in = opted_in || ((EppdGameEntry *)games->pdata[i])->rule->opted_in;
  if (opted_in && catalogue->processes->agent_pid == 0)
    printf("\n%s\n", eppd_game_agent_hint());
}

static void
print_list(const EppdGameCatalogue *catalogue, const GPtrArray *games, GVariant *holds)
{
  g_autoptr(EppdTable) table = eppd_table_new(9);

  if (games->len == 0) {
    puts(_("No desktop entry looks like a game; `eppctl game list --all` lists all of them."));
    return;
  }
  eppd_table_align_right(table, 5);
  eppd_table_add(table, EPPD_STYLE_HEADING, _("ID"), _("NAME"), _("OPTED IN"), _("BY"),
                 _("TRIGGER"), _("THRESHOLD"), _("PROFILE"), _("NOW"), _("NOTE"));
  for (guint i = 0; i < games->len; i++)
    add_game(table, games->pdata[i], catalogue, holds);
  eppd_print_table(table);
  print_agent_hint(catalogue, games);
}

static void
print_packed(const EppdGameCatalogue *catalogue, const GPtrArray *games, GVariant *holds)
{
  g_autoptr(GVariant) packed = NULL;
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("aa{sv}"));
  for (guint i = 0; i < games->len; i++)
    g_variant_builder_add_value(&builder, eppd_game_pack(games->pdata[i], catalogue, holds));
  packed = g_variant_ref_sink(g_variant_builder_end(&builder));
  eppd_print_json(packed);
}

/* Without a daemon nothing holds the boost, and nothing is to be said. */
static GVariant *
list_holds(EppdClient *client)
{
  g_autoptr(GVariant) reply =
      eppd_client_call(client, "ListBoostHolds", NULL, "(aa{sv})", G_DBUS_CALL_FLAGS_NO_AUTO_START,
                       HOLDS_TIMEOUT_MS, NULL);

  return reply ? g_variant_get_child_value(reply, 0) : NULL;
}

int
eppd_game_list(int argc, char **argv)
{
  gboolean all = FALSE;
  gboolean json = FALSE;
  g_autofree char *config_file = NULL;
  const GOptionEntry entries[] = {
      {"all", 'a', 0, G_OPTION_ARG_NONE, &all,
       _("All applications, not only what looks like a game"), NULL},
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, _("Print JSON"), NULL},
      EPPD_GAME_CONFIG_OPTION(&config_file),
      {NULL},
  };
  const EppdVerbUsage usage = {
      entries,
      NULL,
      _("Lists the installed applications that look like games, whether they are opted in, by "
        "what, "
        "and whether they run."),
      0,
      0,
  };
  g_auto(EppdClient) client = {0};
  g_autoptr(EppdGameCatalogue) catalogue = NULL;
  g_autoptr(GPtrArray) games = g_ptr_array_new();
  g_autoptr(GVariant) holds = NULL;
  g_autoptr(GError) error = NULL;

  if (!eppd_verb_parse(&usage, &argc, &argv))
    return EPPD_EXIT_USAGE;
  catalogue = eppd_game_catalogue_new(config_file, &error);
  if (!catalogue)
    return eppd_fail(error);
  for (guint i = 0; i < catalogue->games->len; i++) {
    if (is_listed(catalogue->games->pdata[i], all))
      g_ptr_array_add(games, catalogue->games->pdata[i]);
  }
  holds = list_holds(&client);
  if (json)
    print_packed(catalogue, games, holds);
  else
    print_list(catalogue, games, holds);
  return EPPD_EXIT_OK;
}
