/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/process-identity.h"

#include <string.h>

#define LUTRIS_WRAPPER "lutris-wrapper"

/* ---- blocks ---- */

/* The next string of a block, which gets shorter by it; NULL at its end. The last may lack its NUL,
 * where a process wrote its own title there. */
static char *
next_string(EppdProcessBlock *block)
{
  const char *bytes = block->bytes;
  const char *end;
  gsize length;

  if (block->length == 0)
    return NULL;
  end = memchr(bytes, '\0', block->length);
  length = end ? (gsize)(end - bytes) : block->length;
  block->bytes += length + (end ? 1 : 0);
  block->length -= length + (end ? 1 : 0);
  return g_strndup(bytes, length);
}

/* The value of a variable; NULL if it is not there. Copies no other: an environment may be large.
 */
static char *
get_variable(EppdProcessBlock environment, const char *name)
{
  const char *string = environment.bytes;
  gsize rest = environment.length;
  gsize length = strlen(name);

  while (rest > 0) {
    const char *end = memchr(string, '\0', rest);

    if (!end)
      return NULL;
    if (strncmp(string, name, length) == 0 && string[length] == '=')
      return g_strdup(string + length + 1);
    rest -= (gsize)(end + 1 - string);
    string = end + 1;
  }
  return NULL;
}

static const char *
base_name(const char *program)
{
  const char *slash = strrchr(program, '/');

  return slash ? slash + 1 : program;
}

/* ---- Steam's reaper ---- */

typedef struct {
  bool installs;
  char *app_id; /* NULL: it is no reaper */
} Reaper;

/* `reaper SteamLaunch AppId=N --`, with more words in between; what is behind the dashes is the
 * game's own. */
static Reaper
read_reaper(EppdProcessBlock argv)
{
  Reaper reaper = {0};
  for (guint i = 0;; i++) {
    g_autofree char *word = next_string(&argv);

    if (!word || g_str_equal(word, "--"))
      return reaper;
    if (i == 0 && !g_str_equal(base_name(word), "reaper"))
      return reaper;
    if (i == 1 && !g_str_equal(word, "SteamLaunch"))
      return reaper;
    if (g_str_equal(word, "Install=1"))
      reaper.installs = true;
    else if (!reaper.app_id && g_str_has_prefix(word, "AppId="))
      reaper.app_id = g_strdup(word + strlen("AppId="));
  }
}

/* ---- launchers' variables ---- */

static EppdGameIdentity *
gio_entry(pid_t pid, EppdProcessBlock environment)
{
  g_autofree char *launched = get_variable(environment, "GIO_LAUNCHED_DESKTOP_FILE_PID");
  g_autofree char *own = g_strdup_printf("%lld", (long long)pid);
  g_autofree char *file = NULL;

  if (g_strcmp0(launched, own) != 0)
    return NULL;
  file = get_variable(environment, "GIO_LAUNCHED_DESKTOP_FILE");
  if (!file || *file != '/')
    return NULL;
  return eppd_game_identity_new(EPPD_IDENTITY_DESKTOP_FILE, file);
}

/* The title that lutris-wrapper was given, or the one that it has taken for its own command line
 * ("lutris-wrapper: TITLE", with what was there before behind it). */
static char *
wrapper_title(EppdProcessBlock argv)
{
  /* An interpreter may be first. */
  for (guint i = 0; i < 2; i++) {
    g_autofree char *word = next_string(&argv);

    if (!word)
      return NULL;
    if (g_str_has_prefix(word, LUTRIS_WRAPPER ": "))
      return g_strchomp(g_strdup(word + strlen(LUTRIS_WRAPPER ": ")));
    if (g_str_equal(base_name(word), LUTRIS_WRAPPER))
      return next_string(&argv);
  }
  return NULL;
}

static void
take_lutris(GPtrArray *identities, EppdProcessBlock argv, EppdProcessBlock environment)
{
  g_autofree char *title = wrapper_title(argv);
  g_autofree char *run = get_variable(environment, "LUTRIS_GAME_UUID");
  /* Any program may have a variable of that name. */
  g_autofree char *name = run ? get_variable(environment, "GAME_NAME") : NULL;

  eppd_game_identities_take(identities, eppd_game_identity_new(EPPD_IDENTITY_LUTRIS_NAME, name));
  eppd_game_identities_take(identities, eppd_game_identity_new(EPPD_IDENTITY_LUTRIS_NAME, title));
  eppd_game_identities_take(identities, eppd_game_identity_new(EPPD_IDENTITY_LUTRIS_RUN, run));
}

static EppdGameIdentity *
steam_game(EppdProcessBlock environment)
{
  g_autofree char *app_id = get_variable(environment, "SteamAppId");
  g_autofree char *game_id = get_variable(environment, "SteamGameId");
  EppdGameIdentity *identity = eppd_game_identity_new_steam(app_id);

  return identity ? identity : eppd_game_identity_new_steam(game_id);
}

GPtrArray *
eppd_process_identities(pid_t pid, EppdProcessBlock argv, EppdProcessBlock environment)
{
  GPtrArray *identities = eppd_game_identities_new();
  Reaper reaper = read_reaper(argv);
  g_autofree char *reaper_app_id = reaper.app_id;
  g_autofree char *heroic = NULL;
  g_autofree char *flatpak = NULL;

  if (reaper.installs)
    return identities;
  heroic = get_variable(environment, "HEROIC_APP_NAME");
  flatpak = get_variable(environment, "FLATPAK_ID");
  eppd_game_identities_take(identities, eppd_game_identity_new_steam(reaper_app_id));
  eppd_game_identities_take(identities, gio_entry(pid, environment));
  eppd_game_identities_take(identities, eppd_game_identity_new(EPPD_IDENTITY_HEROIC, heroic));
  take_lutris(identities, argv, environment);
  eppd_game_identities_take(identities, steam_game(environment));
  eppd_game_identities_take(identities, eppd_game_identity_new(EPPD_IDENTITY_FLATPAK, flatpak));
  return identities;
}
