/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/launch-uri.h"

#include <string.h>

/* What stands behind @prefix; NULL if @text does not start so. */
static const char *
behind(const char *text, const char *prefix)
{
  return g_str_has_prefix(text, prefix) ? text + strlen(prefix) : NULL;
}

/* Up to the next '/', '?' or '#'. */
static char *
segment(const char *text)
{
  return g_strndup(text, strcspn(text, "/?#"));
}

/* Percent escapes undone; NULL where they are wrong. */
static char *
decoded(const char *text, gsize length)
{
  return g_uri_unescape_segment(text, text + length, "/");
}

static EppdGameIdentity *
steam_game(const char *path)
{
  const char *id = behind(path, "rungameid/");
  g_autofree char *number = NULL;

  if (!id)
    id = behind(path, "run/");
  if (!id)
    return NULL;
  number = segment(id);
  return eppd_game_identity_new_steam(number);
}

/* lutris:ACTION/WHAT, of which run… start a game, and an old form that names the game alone. */
static EppdGameIdentity *
lutris_game(const char *path)
{
  const char *rest;
  EppdIdentityKind kind = EPPD_IDENTITY_LUTRIS_SLUG;
  g_autofree char *what = NULL;

  path += strspn(path, "/");
  if ((rest = behind(path, "rungameid/"))) {
    kind = EPPD_IDENTITY_LUTRIS_NUMBER;
    path = rest;
  } else if ((rest = behind(path, "rungame/"))) {
    path = rest;
  } else if (path[strcspn(path, "/?")] == '/') {
    return NULL;
  }
  what = segment(path);
  return eppd_game_identity_new(kind, what);
}

/* The value of appName in a query. */
static char *
heroic_query(const char *query)
{
  g_auto(GStrv) pairs = g_strsplit(query, "&", -1);

  for (guint i = 0; pairs[i]; i++) {
    const char *value = behind(pairs[i], "appName=");

    if (value)
      return decoded(value, strlen(value));
  }
  return NULL;
}

/* The last segment of the path: an old form has the runner before it. */
static char *
heroic_path(const char *path)
{
  gsize length = strcspn(path, "?#");
  gsize start;

  while (length > 0 && path[length - 1] == '/')
    length--;
  for (start = length; start > 0 && path[start - 1] != '/'; start--)
    ;
  return decoded(path + start, length - start);
}

static EppdGameIdentity *
heroic_game(const char *rest)
{
  const char *query = strchr(rest, '?');
  g_autofree char *app = NULL;

  if (*rest != '/' && *rest != '?')
    return NULL;
  if (query)
    app = heroic_query(query + 1);
  if (!app)
    app = heroic_path(rest);
  return eppd_game_identity_new(EPPD_IDENTITY_HEROIC, app);
}

EppdGameIdentity *
eppd_launch_uri_identity(const char *uri)
{
  const char *rest;

  if ((rest = behind(uri, "steam://")))
    return steam_game(rest);
  if ((rest = behind(uri, "lutris:")))
    return lutris_game(rest);
  if ((rest = behind(uri, "heroic://launch")))
    return heroic_game(rest);
  return NULL;
}
