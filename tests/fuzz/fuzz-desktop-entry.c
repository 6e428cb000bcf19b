/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A desktop file of any content: it is read or refused, and an override of it says what it was told
 * to, changes nothing else, and can be taken back. */
#include "fuzz.h"

#include "games/desktop-override.h"
#include "games/desktop-text.h"
#include "games/entry-identity.h"

#include <string.h>

static const EppdBoostKeys none = {0};

/* Some keys, by a number. */
static EppdBoostKeys
keys_of(guint seed)
{
  EppdBoostKeys keys = {0};

  keys.has_boost = seed & 1;
  keys.boost = (seed & 3) == 3;
  keys.has_trigger = seed & 4;
  keys.trigger = (seed & 12) == 12 ? EPPD_TRIGGER_APP : EPPD_TRIGGER_CORE;
  keys.threshold_percent = seed & 16 ? 1 + seed % 100 : 0;
  keys.has_profile = seed & 32;
  keys.profile =
      keys.has_profile && (seed & 64) ? EPPD_PROFILE_PERFORMANCE : EPPD_PROFILE_POWER_SAVER;
  return keys;
}

static void
check_keys(const EppdBoostKeys *keys, const EppdBoostKeys *expected)
{
  for (int key = 0; key < EPPD_N_BOOST_KEYS; key++) {
    g_autofree char *value = eppd_boost_keys_value(keys, (EppdBoostKey)key);
    g_autofree char *wanted = eppd_boost_keys_value(expected, (EppdBoostKey)key);

    g_assert_cmpstr(value, ==, wanted);
  }
}

static void
check_entry(const EppdDesktopEntry *entry)
{
  const EppdGameSettings settings = {.desktop_key = true, .game_mode = true};
  g_autoptr(GPtrArray) identities = eppd_entry_identities("a", "/a.desktop", entry);
  g_autoptr(EppdGameRule) rule = eppd_game_rule_decide(entry, false, &settings);

  for (guint i = 0; i < identities->len; i++) {
    const EppdGameIdentity *identity = identities->pdata[i];

    g_assert_true(g_utf8_validate(identity->id, -1, NULL));
    g_assert_true(*identity->id);
  }
  for (guint i = 0; i < entry->problems->len; i++)
    g_assert_true(g_utf8_validate(entry->problems->pdata[i], -1, NULL));
  g_assert_true(!entry->name || g_utf8_validate(entry->name, -1, NULL));
  g_assert_true(g_utf8_validate(rule->why, -1, NULL));
  eppd_game_rule_is_likely(entry);
}

static char *
override(const char *bytes, gsize length, const EppdBoostKeys *keys, gsize *new_length)
{
  return eppd_desktop_override_text(bytes, length, keys, new_length, NULL);
}

/* @text is an override of an entry with @keys. */
static void
check_override(const char *text, gsize length, const EppdBoostKeys *keys)
{
  g_autoptr(EppdDesktopEntry) entry = eppd_desktop_entry_parse(text, length, NULL);
  gsize again_length = 0;
  g_autofree char *again = override(text, length, keys, &again_length);

  g_assert_nonnull(entry);
  check_keys(&entry->keys, keys);
  g_assert_nonnull(again);
  g_assert_cmpmem(again, again_length, text, length);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const char *bytes = (const char *)data;
  EppdBoostKeys keys = keys_of(size > 0 ? data[size - 1] : 0);
  g_autoptr(EppdDesktopEntry) entry = eppd_desktop_entry_parse(bytes, size, NULL);
  gsize cleared_length = 0;
  gsize length = 0;
  gsize back_length = 0;
  g_autofree char *cleared = override(bytes, size, &none, &cleared_length);
  g_autofree char *text = NULL;
  g_autofree char *back = NULL;

  if (entry)
    check_entry(entry);
  g_assert_true(!cleared || entry);
  /* Without eppd's keys nothing may be left below the header. */
  text = cleared ? override(cleared, cleared_length, &keys, &length) : NULL;
  if (!text)
    return 0;
  check_override(text, length, &keys);
  back = override(text, length, &none, &back_length);
  g_assert_nonnull(back);
  g_assert_cmpmem(back, back_length, cleared, cleared_length);
  return 0;
}
