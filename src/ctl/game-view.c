/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/game-view.h"

#include "ctl/fields.h"

#include "base/printable.h"

#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

const char *
eppd_game_opted_in_by(const EppdGameEntry *game, const EppdGameCatalogue *catalogue)
{
  const EppdGameSettings *settings = &catalogue->config->settings;
  g_autoptr(EppdGameRule) unregistered = NULL;

  if (!game->rule->opted_in)
    return "";
  unregistered = eppd_game_rule_decide(game->entry, false, settings);
  if (!unregistered->opted_in)
    return "GameMode";
  return settings->desktop_key && game->entry->keys.has_boost ? "key" : "category";
}

static bool
is_cgroup_of(const EppdGameEntry *game, const char *cgroup)
{
  for (guint i = 0; i < game->processes->len; i++) {
    const EppdUserProcess *process = game->processes->pdata[i];

    if (process->cgroup && g_str_has_prefix(process->cgroup, cgroup) &&
        strchr("/", process->cgroup[strlen(cgroup)]))
      return true;
  }
  return false;
}

static bool
is_pid_of(const EppdGameEntry *game, guint64 pid)
{
  for (guint i = 0; i < game->processes->len; i++) {
    if ((guint64)((EppdUserProcess *)game->processes->pdata[i])->pid == pid)
      return true;
  }
  return false;
}

static bool
is_hold_of(GVariant *hold, const EppdGameEntry *game)
{
  const char *text;
  guint64 uid = 0;
  guint64 pid = 0;

  if (!eppd_field_number(hold, "uid", &uid) || uid != getuid())
    return false;
  if (g_variant_lookup(hold, "app-id", "&s", &text) && strcmp(text, game->file->id) == 0)
    return true;
  if (g_variant_lookup(hold, "cgroup", "&s", &text) && is_cgroup_of(game, text))
    return true;
  return eppd_field_number(hold, "pid", &pid) && is_pid_of(game, pid);
}

GVariant *
eppd_game_find_hold(const EppdGameEntry *game, GVariant *holds)
{
  for (gsize i = 0; holds && i < g_variant_n_children(holds); i++) {
    g_autoptr(GVariant) hold = g_variant_get_child_value(holds, i);

    if (is_hold_of(hold, game))
      return g_steal_pointer(&hold);
  }
  return NULL;
}

GPtrArray *
eppd_game_places(const EppdGameEntry *game, GVariant *hold)
{
  GPtrArray *places = g_ptr_array_new_with_free_func(g_free);
  guint64 held_pid = 0;

  for (guint i = 0; i < game->processes->len; i++) {
    const EppdUserProcess *process = game->processes->pdata[i];
    g_autofree char *place = process->unit ? eppd_printable(process->unit, EPPD_FIELD_TEXT_MAX)
                                           : g_strdup_printf(_("process %d"), (int)process->pid);

    if (!g_ptr_array_find_with_equal_func(places, place, g_str_equal, NULL))
      g_ptr_array_add(places, g_steal_pointer(&place));
  }
  if (places->len == 0 && hold && eppd_field_number(hold, "pid", &held_pid))
    g_ptr_array_add(places, g_strdup_printf(_("process %d"), (int)held_pid));
  return places;
}

char *
eppd_game_threshold_text(guint threshold_percent)
{
  return threshold_percent > 0 ? g_strdup_printf("%u %%", threshold_percent) : g_strdup("");
}

static GVariant *
pack_texts(const GPtrArray *texts)
{
  return g_variant_new_strv((const char *const *)texts->pdata, (gssize)texts->len);
}

static GVariant *
pack_processes(const EppdGameEntry *game)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("au"));
  for (guint i = 0; i < game->processes->len; i++)
    g_variant_builder_add(&builder, "u",
                          (guint32)((EppdUserProcess *)game->processes->pdata[i])->pid);
  return g_variant_builder_end(&builder);
}

static GVariant *
pack_units(const EppdGameEntry *game)
{
  g_autoptr(GPtrArray) units = g_ptr_array_new();

  for (guint i = 0; i < game->processes->len; i++) {
    const EppdUserProcess *process = game->processes->pdata[i];

    if (process->unit && !g_ptr_array_find_with_equal_func(units, process->unit, g_str_equal, NULL))
      g_ptr_array_add(units, process->unit);
  }
  return pack_texts(units);
}

static void
pack_keys(GVariantDict *dict, const EppdBoostKeys *keys)
{
  if (keys->has_trigger)
    g_variant_dict_insert(dict, "trigger", "s", eppd_trigger_text(keys->trigger));
  if (keys->threshold_percent > 0)
    g_variant_dict_insert(dict, "threshold-percent", "u", keys->threshold_percent);
  if (keys->has_profile)
    g_variant_dict_insert(dict, "profile", "s", eppd_profile_text(keys->profile));
}

GVariant *
eppd_game_pack(const EppdGameEntry *game, const EppdGameCatalogue *catalogue, GVariant *holds)
{
  g_auto(GVariantDict) dict = G_VARIANT_DICT_INIT(NULL);
  g_autoptr(GVariant) hold = eppd_game_find_hold(game, holds);
  g_autofree char *path = g_utf8_make_valid(game->file->path, -1);

  g_variant_dict_insert(&dict, "id", "s", game->file->id);
  g_variant_dict_insert(&dict, "path", "s", path);
  g_variant_dict_insert(&dict, "users", "b", (gboolean)game->file->is_users);
  g_variant_dict_insert(&dict, "opted-in", "b", (gboolean)game->rule->opted_in);
  g_variant_dict_insert(&dict, "by", "s", eppd_game_opted_in_by(game, catalogue));
  g_variant_dict_insert(&dict, "why", "s", game->problem ? game->problem : game->rule->why);
  g_variant_dict_insert_value(&dict, "pids", pack_processes(game));
  g_variant_dict_insert_value(&dict, "units", pack_units(game));
  g_variant_dict_insert(&dict, "held", "b", (gboolean)(hold != NULL));
  pack_keys(&dict, &game->rule->keys);
  if (game->problem)
    g_variant_dict_insert(&dict, "broken", "s", game->problem);
  if (game->entry) {
    g_variant_dict_insert(&dict, "name", "s", game->entry->name ? game->entry->name : "");
    g_variant_dict_insert_value(&dict, "problems", pack_texts(game->entry->problems));
  }
  return g_variant_dict_end(&dict);
}
