/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/scope-name.h"

#include <string.h>

/* systemd's limit, with the suffix. */
#define UNIT_NAME_MAX 255

#define UNIT_NAME_CHARACTERS G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS ":-_.\\@"

#define UUID_LENGTH 36

static void
free_reading(gpointer data)
{
  EppdScopeReading *reading = data;

  g_clear_pointer(&reading->identity, eppd_game_identity_free);
  g_free(reading->launcher);
  g_free(reading->instance);
  g_free(reading);
}

/* ---- escapes ---- */

static bool
is_name_byte(int byte)
{
  return byte >= ' ' && byte != '/' && byte != 0x7f;
}

/* Undoes \xNN; NULL for any other backslash, for what no name may hold, and for bytes that are no
 * UTF-8. */
static char *
unescaped(const char *text, gsize length)
{
  g_autoptr(GString) out = g_string_sized_new(length);

  for (gsize i = 0; i < length; i++) {
    int byte;

    if (text[i] != '\\') {
      g_string_append_c(out, text[i]);
      continue;
    }
    if (i + 3 >= length || text[i + 1] != 'x')
      return NULL;
    if (!g_ascii_isxdigit(text[i + 2]) || !g_ascii_isxdigit(text[i + 3]))
      return NULL;
    byte = g_ascii_xdigit_value(text[i + 2]) * 16 + g_ascii_xdigit_value(text[i + 3]);
    if (!is_name_byte(byte))
      return NULL;
    g_string_append_c(out, (char)byte);
    i += 3;
  }
  if (!g_utf8_validate(out->str, (gssize)out->len, NULL))
    return NULL;
  return g_string_free(g_steal_pointer(&out), FALSE);
}

/* ---- app-… ---- */

/* The number of Steam's "appN"; NULL if it is none. */
static EppdGameIdentity *
steam_game(const char *id)
{
  return g_str_has_prefix(id, "app") ? eppd_game_identity_new_steam(id + strlen("app")) : NULL;
}

static EppdGameIdentity *
identity_of(const char *launcher, const char *id)
{
  EppdGameIdentity *identity = NULL;

  if (g_strcmp0(launcher, "flatpak") == 0)
    return eppd_game_identity_new(EPPD_IDENTITY_FLATPAK, id);
  if (g_strcmp0(launcher, "steam") == 0)
    identity = steam_game(id);
  return identity ? identity : eppd_game_identity_new(EPPD_IDENTITY_DESKTOP_ID, id);
}

/* Adds the reading if its parts make sense; takes @identity. */
static void
take_reading(EppdScopeName *name,
             EppdGameIdentity *identity,
             const char *launcher,
             const char *instance)
{
  EppdScopeReading *reading;

  if (!identity)
    return;
  reading = g_new0(EppdScopeReading, 1);
  reading->identity = identity;
  reading->launcher = g_strdup(launcher);
  reading->instance = g_strdup(instance);
  g_ptr_array_add(name->readings, reading);
}

/* [LAUNCHER-]ID in @length bytes, split at the dash at @dash. */
static void
split_at(EppdScopeName *name, const char *body, gsize length, gsize dash, const char *instance)
{
  g_autofree char *launcher = unescaped(body, dash);
  g_autofree char *id = unescaped(body + dash + 1, length - dash - 1);

  if (launcher && *launcher && id)
    take_reading(name, identity_of(launcher, id), launcher, instance);
}

/* The readings of [LAUNCHER-]ID: the shortest id first, as a dash in it should have been escaped;
 * all of it last. */
static void
read_body(EppdScopeName *name, const char *body, gsize length, const char *instance)
{
  g_autofree char *whole = unescaped(body, length);

  for (gsize i = length; i > 0; i--) {
    if (body[i - 1] == '-')
      split_at(name, body, length, i - 1, instance);
  }
  if (whole)
    take_reading(name, identity_of(NULL, whole), NULL, instance);
}

/* What is behind the last dash is the instance. */
static void
read_with_instance(EppdScopeName *name, const char *stem)
{
  const char *dash = strrchr(stem, '-');

  if (dash && dash[1])
    read_body(name, stem, (gsize)(dash - stem), dash + 1);
}

static void
read_app(EppdScopeName *name, const char *stem)
{
  const char *at = strchr(stem, '@');
  bool has_dash = strchr(stem, '-') != NULL;

  if (at) {
    /* With nothing behind it, it is a template. */
    if (at[1])
      read_body(name, stem, (gsize)(at - stem), at + 1);
  } else if (name->kind == EPPD_SCOPE_KIND_SERVICE || !has_dash) {
    read_body(name, stem, strlen(stem), NULL);
    /* Services of older desktops had a scope's name. */
    read_with_instance(name, stem);
  } else {
    read_with_instance(name, stem);
  }
}

/* ---- others ---- */

/* NAME.APP.UUID, NAME.APP-UUID; hooks have a part more, and services no UUID. */
static void
read_snap(EppdScopeName *name, const char *stem)
{
  g_autofree char *text = unescaped(stem, strlen(stem));
  gsize length = text ? strlen(text) : 0;
  g_auto(GStrv) parts = NULL;
  char *uuid;

  if (length <= UUID_LENGTH + 1)
    return;
  uuid = text + length - UUID_LENGTH;
  if (!g_uuid_string_is_valid(uuid) || !strchr(".-", uuid[-1]))
    return;
  uuid[-1] = '\0';
  parts = g_strsplit(text, ".", -1);
  if (g_strv_length(parts) == 2 && *parts[0] && *parts[1])
    take_reading(name, eppd_game_identity_new(EPPD_IDENTITY_SNAP, text), NULL, uuid);
}

/* :1.N-NAME@M: the bus name is the application's id. */
static void
read_dbus(EppdScopeName *name, const char *stem)
{
  const char *dash = strchr(stem, '-');
  const char *at = strchr(stem, '@');
  g_autofree char *id = NULL;

  if (*stem != ':' || !dash || !at || at < dash || !at[1])
    return;
  id = unescaped(dash + 1, (gsize)(at - dash - 1));
  take_reading(name, eppd_game_identity_new(EPPD_IDENTITY_DESKTOP_ID, id), NULL, at + 1);
}

/* Which units are read how. */
static const struct {
  EppdScopeKind kind;
  const char *prefix;
  void (*read)(EppdScopeName *name, const char *stem);
} forms[] = {
    {EPPD_SCOPE_KIND_SCOPE, "app-", read_app},
    {EPPD_SCOPE_KIND_SCOPE, "snap.", read_snap},
    {EPPD_SCOPE_KIND_SERVICE, "app-", read_app},
    {EPPD_SCOPE_KIND_SERVICE, "dbus-", read_dbus},
};

/* ---- names ---- */

static bool
parse_suffix(const char *unit, EppdScopeKind *kind)
{
  if (g_str_has_suffix(unit, ".scope"))
    *kind = EPPD_SCOPE_KIND_SCOPE;
  else if (g_str_has_suffix(unit, ".service"))
    *kind = EPPD_SCOPE_KIND_SERVICE;
  else
    return false;
  return true;
}

static EppdScopeName *
parse_unit(const char *unit)
{
  g_autoptr(EppdScopeName) name = NULL;
  g_autofree char *stem = NULL;
  EppdScopeKind kind = EPPD_SCOPE_KIND_SCOPE;
  gsize length = strlen(unit);

  if (length > UNIT_NAME_MAX || strspn(unit, UNIT_NAME_CHARACTERS) != length ||
      !parse_suffix(unit, &kind))
    return NULL;
  stem = g_strndup(unit, (gsize)(strrchr(unit, '.') - unit));
  name = g_new0(EppdScopeName, 1);
  name->kind = kind;
  name->readings = g_ptr_array_new_with_free_func(free_reading);
  for (guint i = 0; i < G_N_ELEMENTS(forms); i++) {
    if (forms[i].kind == kind && g_str_has_prefix(stem, forms[i].prefix))
      forms[i].read(name, stem + strlen(forms[i].prefix));
  }
  return name->readings->len > 0 ? g_steal_pointer(&name) : NULL;
}

EppdScopeName *
eppd_scope_name_parse(const char *text)
{
  g_auto(GStrv) parts = g_strsplit(text, "/", -1);

  for (guint i = g_strv_length(parts); i > 0; i--) {
    EppdScopeName *name = parse_unit(parts[i - 1]);

    if (name)
      return name;
  }
  return NULL;
}

void
eppd_scope_name_free(EppdScopeName *name)
{
  g_ptr_array_unref(name->readings);
  g_free(name);
}
