/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/client.h"
#include "ctl/fields.h"
#include "ctl/game-view.h"
#include "ctl/game.h"
#include "ctl/output.h"

#include "base/printable.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>

/* A person waits for all that can be told without the daemon as well. */
#define DAEMON_TIMEOUT_MS 5000

/* Of its units and processes no more are named. */
#define N_PLACES 4

/* All that the answer is made of. */
typedef struct {
  EppdClient client;
  EppdGameCatalogue *catalogue;
  EppdGameEntry *game;  /* the catalogue's */
  GVariant *properties; /* a{sv}; NULL: no daemon, see @error */
  GVariant *holds;      /* aa{sv}; NULL likewise */
  GVariant *hold;       /* a{sv} of the game's; NULL: none */
  GError *error;
} Findings;

static void
findings_clear(Findings *findings)
{
  eppd_client_clear(&findings->client);
  g_clear_pointer(&findings->catalogue, eppd_game_catalogue_free);
  g_clear_pointer(&findings->properties, g_variant_unref);
  g_clear_pointer(&findings->holds, g_variant_unref);
  g_clear_pointer(&findings->hold, g_variant_unref);
  g_clear_error(&findings->error);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Findings, findings_clear)

/* ---- finding ---- */

static void
ask_daemon(Findings *findings)
{
  g_autoptr(GVariant) reply = NULL;

  findings->properties =
      eppd_client_properties(&findings->client, DAEMON_TIMEOUT_MS, &findings->error);
  if (!findings->properties)
    return;
  reply = eppd_client_call(&findings->client, "ListBoostHolds", NULL, "(aa{sv})",
                           G_DBUS_CALL_FLAGS_NONE, DAEMON_TIMEOUT_MS, &findings->error);
  if (!reply)
    return;
  findings->holds = g_variant_get_child_value(reply, 0);
  findings->hold = eppd_game_find_hold(findings->game, findings->holds);
}

static gboolean
find(Findings *findings, const char *id, const char *config_file, GError **error)
{
  findings->catalogue = eppd_game_catalogue_new(config_file, error);
  if (!findings->catalogue)
    return FALSE;
  findings->game = eppd_game_catalogue_find(findings->catalogue, id, error);
  if (!findings->game)
    return FALSE;
  ask_daemon(findings);
  return TRUE;
}

/* ---- rows ---- */

static void
add(EppdTable *table, EppdStyle style, const char *what, const char *text)
{
  eppd_table_add(table, style, what, text);
}

static void
add_files(EppdTable *table, const Findings *findings)
{
  const EppdDesktopFile *file = findings->game->file;
  g_autofree char *path = eppd_printable(file->path, EPPD_FIELD_TEXT_MAX);
  g_autoptr(EppdDesktopFile) system =
      file->is_users ? eppd_desktop_dirs_find_system(findings->catalogue->dirs, file->id, NULL)
                     : NULL;

  add(table, EPPD_STYLE_PLAIN, _("Entry"), path);
  if (system) {
    g_autofree char *shown = eppd_printable(system->path, EPPD_FIELD_TEXT_MAX);
    g_autofree char *text = g_strdup_printf(_("in the place of %s"), shown);

    add(table, EPPD_STYLE_PLAIN, "", text);
  }
}

static void
add_entry(EppdTable *table, const EppdGameEntry *game)
{
  g_autofree char *name = NULL;

  if (!game->entry) {
    add(table, EPPD_STYLE_WARNING, _("Broken"), game->problem);
    return;
  }
  name = eppd_printable(game->entry->name, EPPD_FIELD_TEXT_MAX);
  add(table, EPPD_STYLE_PLAIN, _("Name"), name);
  for (guint i = 0; i < game->entry->problems->len; i++)
    add(table, EPPD_STYLE_WARNING, i == 0 ? _("Wrong") : "", game->entry->problems->pdata[i]);
}

static void
add_rule(EppdTable *table, const EppdGameEntry *game)
{
  const EppdGameRule *rule = game->rule;
  const EppdBoostKeys *keys = &rule->keys;
  g_autofree char *opted_in =
      g_strdup_printf(rule->opted_in ? _("yes: %s") : _("no: %s"), rule->why);
  g_autofree char *threshold = eppd_game_threshold_text(keys->threshold_percent);

  /* Of one that is broken there is no more to say. */
  if (!game->entry)
    return;
  add(table, EPPD_STYLE_PLAIN, _("Opted in"), opted_in);
  if (!rule->opted_in)
    return;
  add(table, EPPD_STYLE_PLAIN, _("Trigger"),
      keys->has_trigger ? eppd_trigger_text(keys->trigger) : _("as eppd's configuration says"));
  add(table, EPPD_STYLE_PLAIN, _("Threshold"),
      *threshold ? threshold : _("as eppd's configuration says"));
  add(table, EPPD_STYLE_PLAIN, _("Profile"),
      keys->has_profile ? eppd_profile_text(keys->profile) : _("none held"));
}

static void
add_agent(EppdTable *table, const Findings *findings)
{
  int pid = (int)findings->catalogue->processes->agent_pid;
  g_autofree char *text =
      pid > 0 ? g_strdup_printf(_("runs (process %d)"), pid) : g_strdup(_("does not run"));

  add(table, pid > 0 ? EPPD_STYLE_PLAIN : EPPD_STYLE_WARNING, _("Agent"), text);
}

static void
add_places(EppdTable *table, const EppdGameEntry *game, GVariant *hold)
{
  g_autoptr(GPtrArray) places = eppd_game_places(game, hold);
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < MIN(places->len, N_PLACES); i++)
    g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", (char *)places->pdata[i]);
  if (places->len > N_PLACES)
    g_string_append_printf(text, _(" and %u more"), places->len - N_PLACES);
  add(table, EPPD_STYLE_PLAIN, _("Runs"), places->len > 0 ? text->str : _("no"));
}

static char *
hold_text(GVariant *hold)
{
  g_autofree char *reason = eppd_field_text(hold, "reason", _("no reason given"));
  g_autofree char *trigger = eppd_field_text(hold, "trigger", _("unknown"));
  g_autofree char *why = eppd_field_text(hold, "trigger-why", "");
  guint64 threshold = 0;

  eppd_field_number(hold, "threshold-percent", &threshold);
  return g_strdup_printf(_("yes: %s; trigger %s%s%s%s, threshold %u %%"), reason, trigger,
                         *why ? " (" : "", why, *why ? ")" : "", (guint)MIN(threshold, 100));
}

static void
add_daemon(EppdTable *table, const Findings *findings)
{
  g_autofree char *held = findings->hold ? hold_text(findings->hold) : g_strdup(_("no"));
  g_autofree char *state = NULL;
  g_autofree char *reason = NULL;
  g_autofree char *boost = NULL;

  if (!findings->holds) {
    g_autofree char *error = eppd_printable(findings->error->message, EPPD_FIELD_TEXT_MAX);

    add(table, EPPD_STYLE_WARNING, _("Held"), error);
    return;
  }
  state = eppd_field_text(findings->properties, "BoostState", _("unknown"));
  reason = eppd_field_text(findings->properties, "BoostReason", "");
  boost = *reason ? g_strdup_printf("%s: %s", state, reason) : g_strdup(state);
  add(table, findings->hold ? EPPD_STYLE_ACTIVE : EPPD_STYLE_PLAIN, _("Held"), held);
  add(table, EPPD_STYLE_PLAIN, _("Boost"), boost);
}

/* ---- the verdict ---- */

/* It was to have the trigger app, and is held by a process alone. */
static bool
lacks_cgroup(GVariant *hold)
{
  g_autofree char *asked = eppd_field_text(hold, "trigger-asked", "");
  g_autofree char *trigger = eppd_field_text(hold, "trigger", "");
  const char *app = eppd_trigger_text(EPPD_TRIGGER_APP);
  const char *cgroup;

  return strcmp(asked, app) == 0 && strcmp(trigger, app) != 0 &&
         !g_variant_lookup(hold, "cgroup", "&s", &cgroup);
}

static char *
held_verdict(const Findings *findings)
{
  g_autofree char *state = eppd_field_text(findings->properties, "BoostState", _("unknown"));
  bool works = strcmp(state, "armed") == 0 || strcmp(state, "kernel") == 0;

  if (works && lacks_cgroup(findings->hold))
    return g_strdup(_("The boost is held for it, with the trigger core: all busy cores are "
                      "boosted. For app, start it from the desktop's menu, or with `eppctl run "
                      "--trigger app --` in front of its command."));
  if (works)
    return g_strdup(_("The boost is held for it: cores that it keeps busy are boosted (`eppctl "
                      "top`)."));
  return g_strdup_printf(_("The boost is held for it, but it is %s for now: see Boost above."),
                         state);
}

static char *
opted_out_verdict(const EppdGameEntry *game)
{
  g_autofree char *id = eppd_printable(game->file->id, EPPD_FIELD_TEXT_MAX);

  if (!game->entry)
    return g_strdup(_("Its entry can't be read: nothing can opt it in."));
  if (!eppd_desktop_entry_is_application(game->entry))
    return g_strdup(_("Its entry starts nothing: it can't be opted in."));
  return g_strdup_printf(_("It is not opted in: `eppctl game enable %s`."), id);
}

static char *
verdict(const Findings *findings)
{
  if (findings->hold)
    return held_verdict(findings);
  if (!findings->game->rule->opted_in)
    return opted_out_verdict(findings->game);
  if (!findings->holds)
    return g_strdup(_("It is opted in, but eppd can't be asked for the boost: see Held above."));
  if (findings->catalogue->processes->agent_pid == 0)
    return g_strdup_printf(_("It is opted in, but %s."), eppd_game_agent_hint());
  if (findings->game->processes->len == 0)
    return g_strdup(
        _("It is opted in, and boosted when it runs. If it does run, nothing tells that "
          "it is this application: put `eppctl run --` in front of its command."));
  return g_strdup(_("It is opted in and runs, but the boost is not held for it: `journalctl --user "
                    "-u eppd-agent` says why (polkit allows it in the active local session "
                    "alone)."));
}

/* ---- printing ---- */

static void
print_findings(const Findings *findings)
{
  g_autoptr(EppdTable) table = eppd_table_new(2);
  g_autofree char *text = verdict(findings);

  add_files(table, findings);
  add_entry(table, findings->game);
  add_rule(table, findings->game);
  add_agent(table, findings);
  add_places(table, findings->game, findings->hold);
  add_daemon(table, findings);
  eppd_print_table(table);
  printf("\n%s\n", text);
}

static void
print_packed(const Findings *findings)
{
  g_autoptr(GVariant) game =
      g_variant_ref_sink(eppd_game_pack(findings->game, findings->catalogue, findings->holds));
  g_auto(GVariantDict) dict = G_VARIANT_DICT_INIT(game);
  g_autoptr(GVariant) packed = NULL;

  g_variant_dict_insert(&dict, "agent-pid", "u",
                        (guint32)findings->catalogue->processes->agent_pid);
  if (findings->hold)
    g_variant_dict_insert_value(&dict, "hold", findings->hold);
  if (findings->properties)
    g_variant_dict_insert_value(&dict, "daemon", findings->properties);
  packed = g_variant_ref_sink(g_variant_dict_end(&dict));
  eppd_print_json(packed);
}

int
eppd_game_why(int argc, char **argv)
{
  gboolean json = FALSE;
  g_autofree char *config_file = NULL;
  const GOptionEntry entries[] = {
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, _("Print JSON"), NULL},
      EPPD_GAME_CONFIG_OPTION(&config_file),
      {NULL},
  };
  const EppdVerbUsage usage = {
      entries,
      "ID",
      _("Says why a game is or is not boosted: its desktop entry, what opts it in, whether it "
        "runs, "
        "and whether the boost is held for it."),
      1,
      1,
  };
  g_auto(Findings) findings = {0};
  g_autoptr(GError) error = NULL;

  if (!eppd_verb_parse(&usage, &argc, &argv))
    return EPPD_EXIT_USAGE;
  if (!find(&findings, argv[1], config_file, &error))
    return eppd_fail(error);
  if (json)
    print_packed(&findings);
  else
    print_findings(&findings);
  return EPPD_EXIT_OK;
}
