/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/game-identity.h"

#include "base/enum-text.h"

#include <string.h>

static const char *const texts[] = {
    [EPPD_IDENTITY_DESKTOP_ID] = "desktop-id",
    [EPPD_IDENTITY_DESKTOP_FILE] = "desktop-file",
    [EPPD_IDENTITY_FLATPAK] = "flatpak",
    [EPPD_IDENTITY_SNAP] = "snap",
    [EPPD_IDENTITY_STEAM] = "steam",
    [EPPD_IDENTITY_LUTRIS_NUMBER] = "lutris-number",
    [EPPD_IDENTITY_LUTRIS_SLUG] = "lutris-slug",
    [EPPD_IDENTITY_LUTRIS_NAME] = "lutris-name",
    [EPPD_IDENTITY_LUTRIS_RUN] = "lutris-run",
    [EPPD_IDENTITY_HEROIC] = "heroic",
    [EPPD_IDENTITY_PROGRAM] = "program",
};

const char *
eppd_identity_kind_text(EppdIdentityKind kind)
{
  return eppd_enum_text(texts, G_N_ELEMENTS(texts), (int)kind);
}

static bool
has_control_characters(const char *text)
{
  for (const char *p = text; *p; p = g_utf8_next_char(p)) {
    if (g_unichar_iscntrl(g_utf8_get_char(p)))
      return true;
  }
  return false;
}

EppdGameIdentity *
eppd_game_identity_new(EppdIdentityKind kind, const char *id)
{
  EppdGameIdentity *identity;
  gsize length = id ? strnlen(id, EPPD_GAME_IDENTITY_MAX + 1) : 0;

  if (length == 0 || length > EPPD_GAME_IDENTITY_MAX || !g_utf8_validate(id, -1, NULL) ||
      has_control_characters(id))
    return NULL;
  identity = g_new0(EppdGameIdentity, 1);
  identity->kind = kind;
  identity->id = g_strdup(id);
  return identity;
}

EppdGameIdentity *
eppd_game_identity_new_steam(const char *text)
{
  guint64 number = 0;
  g_autofree char *id = NULL;

  if (!text || !g_ascii_string_to_unsigned(text, 10, 1, G_MAXUINT64, &number, NULL))
    return NULL;
  if (number > G_MAXUINT32)
    number >>= 32;
  id = g_strdup_printf("%" G_GUINT64_FORMAT, number);
  return eppd_game_identity_new(EPPD_IDENTITY_STEAM, id);
}

void
eppd_game_identity_free(EppdGameIdentity *identity)
{
  g_free(identity->id);
  g_free(identity);
}

guint
eppd_game_identity_hash(gconstpointer identity)
{
  const EppdGameIdentity *self = identity;

  return g_str_hash(self->id) * 31 + (guint)self->kind;
}

gboolean
eppd_game_identity_equal(gconstpointer a, gconstpointer b)
{
  const EppdGameIdentity *one = a;
  const EppdGameIdentity *other = b;

  return one->kind == other->kind && g_str_equal(one->id, other->id);
}

static void
free_identity(gpointer identity)
{
  eppd_game_identity_free(identity);
}

GPtrArray *
eppd_game_identities_new(void)
{
  return g_ptr_array_new_with_free_func(free_identity);
}

void
eppd_game_identities_take(GPtrArray *identities, EppdGameIdentity *identity)
{
  if (!identity)
    return;
  if (g_ptr_array_find_with_equal_func(identities, identity, eppd_game_identity_equal, NULL))
    eppd_game_identity_free(identity);
  else
    g_ptr_array_add(identities, identity);
}
