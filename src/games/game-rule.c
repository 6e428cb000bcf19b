/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/game-rule.h"

#include "base/printable.h"
#include "games/exec-line.h"

static EppdGameRule *
rule_new(bool opted_in, const EppdDesktopEntry *keys_of, char *why)
{
  EppdGameRule *rule = g_new0(EppdGameRule, 1);

  rule->opted_in = opted_in;
  rule->why = why;
  if (keys_of)
    rule->keys = keys_of->keys;
  rule->keys.has_boost = false;
  rule->keys.boost = false;
  return rule;
}

/* The first of the configured categories that the entry is of; NULL if there is none. */
static const char *
matching_category(const EppdDesktopEntry *entry, const EppdGameSettings *settings)
{
  for (guint i = 0; settings->categories && settings->categories[i]; i++) {
    if (eppd_desktop_entry_has_category(entry, settings->categories[i]))
      return settings->categories[i];
  }
  return NULL;
}

static char *
category_text(const char *category)
{
  g_autofree char *shown = eppd_printable(category, EPPD_GIVEN_TEXT_MAX);

  return g_strdup_printf("its desktop entry has the category %s, which [Games] Categories= names",
                         shown);
}

/* Why nothing opts it in; @counting: the entry, if it counts. */
static char *
no_text(const EppdDesktopEntry *entry,
        const EppdDesktopEntry *counting,
        bool is_registered,
        const EppdGameSettings *settings)
{
  GString *text = g_string_new(NULL);

  if (!entry)
    g_string_append(text, "no desktop entry is known for it");
  else if (!counting)
    g_string_append_printf(text, "its desktop entry is %s",
                           entry->hidden ? "hidden" : "no application's");
  else if (counting->keys.has_boost)
    g_string_append(text, "X-Eppd-Boost= of its desktop entry does not count, since [Games] "
                          "DesktopKey=false");
  else
    g_string_append(text, "its desktop entry has no (valid) X-Eppd-Boost=");
  if (counting && settings->categories && settings->categories[0])
    g_string_append(text, ", no category of it is in [Games] Categories=");
  if (is_registered)
    g_string_append(text, ", and that it registered with GameMode does not count, since [Games] "
                          "GameMode=false");
  return g_string_free(text, FALSE);
}

EppdGameRule *
eppd_game_rule_decide(const EppdDesktopEntry *entry,
                      bool is_registered,
                      const EppdGameSettings *settings)
{
  const EppdDesktopEntry *counting =
      entry && eppd_desktop_entry_is_application(entry) ? entry : NULL;
  const EppdDesktopEntry *keys_of = settings->desktop_key ? counting : NULL;
  const char *category = counting ? matching_category(counting, settings) : NULL;

  if (keys_of && keys_of->keys.has_boost)
    return rule_new(keys_of->keys.boost, keys_of,
                    g_strdup_printf("its desktop entry says X-Eppd-Boost=%s",
                                    keys_of->keys.boost ? "true" : "false"));
  if (category)
    return rule_new(true, keys_of, category_text(category));
  if (is_registered && settings->game_mode)
    return rule_new(true, keys_of, g_strdup("it registered with GameMode"));
  return rule_new(false, keys_of, no_text(entry, counting, is_registered, settings));
}

void
eppd_game_rule_free(EppdGameRule *rule)
{
  g_free(rule->why);
  g_free(rule);
}

static bool
is_launchers(const char *exec)
{
  g_autoptr(EppdGameIdentity) identity = exec ? eppd_exec_line_identity(exec) : NULL;

  return identity &&
         (identity->kind == EPPD_IDENTITY_STEAM || identity->kind == EPPD_IDENTITY_LUTRIS_NUMBER ||
          identity->kind == EPPD_IDENTITY_LUTRIS_SLUG || identity->kind == EPPD_IDENTITY_HEROIC);
}

bool
eppd_game_rule_is_likely(const EppdDesktopEntry *entry)
{
  return eppd_desktop_entry_is_application(entry) &&
         (entry->keys.has_boost || eppd_desktop_entry_has_category(entry, "Game") ||
          is_launchers(entry->exec));
}
