/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/desktop-override.h"

#include "base/error.h"
#include "games/desktop-text.h"
#include "games/user-file.h"

#include <string.h>
#include <sys/stat.h>

/* ---- text ---- */

typedef struct {
  EppdDesktopLine header; /* of the first [Desktop Entry]; its number is 0 if there is none */
  guint last_line[EPPD_N_BOOST_KEYS]; /* the line that counts; 0: the key is not there */
} Layout;

/* Which of eppd's keys the line sets; -1 for none. */
static int
boost_key_of(const EppdDesktopLine *line)
{
  for (int key = 0; line->in_entry && key < EPPD_N_BOOST_KEYS; key++) {
    if (eppd_desktop_line_is_key(line, eppd_boost_key_name((EppdBoostKey)key)))
      return key;
  }
  return -1;
}

static Layout
find_layout(const char *bytes, gsize length)
{
  Layout layout = {0};
  EppdDesktopText text;
  EppdDesktopLine line;

  eppd_desktop_text_init(&text, bytes, length);
  while (eppd_desktop_text_next(&text, &line)) {
    int key = boost_key_of(&line);

    if (key >= 0)
      layout.last_line[key] = line.number;
    if (layout.header.number == 0 && line.in_entry)
      layout.header = line;
  }
  return layout;
}

/* What ends the line: "\r\n", "\n", or "" at the end of a file. */
static const char *
line_end(const char *bytes, const EppdDesktopLine *line)
{
  if (bytes[line->end - 1] != '\n')
    return "";
  return line->end - line->start > 1 && bytes[line->end - 2] == '\r' ? "\r\n" : "\n";
}

static bool
has_value(const EppdDesktopLine *line, const char *value)
{
  return line->value_length == strlen(value) && memcmp(line->value, value, line->value_length) == 0;
}

static void
append_key(GString *out, int key, const char *value, const char *end)
{
  g_string_append_printf(out, "%s=%s%s", eppd_boost_key_name((EppdBoostKey)key), value, end);
}

/* The keys that were not there. */
static void
append_new_keys(GString *out, const Layout *layout, const EppdBoostKeys *keys, const char *end)
{
  for (int key = 0; key < EPPD_N_BOOST_KEYS; key++) {
    g_autofree char *value = eppd_boost_keys_value(keys, (EppdBoostKey)key);

    if (value && layout->last_line[key] == 0)
      append_key(out, key, value, end);
  }
}

static void
append_line(GString *out,
            const char *bytes,
            const EppdDesktopLine *line,
            const Layout *layout,
            const EppdBoostKeys *keys)
{
  int key = boost_key_of(line);
  g_autofree char *value = key >= 0 ? eppd_boost_keys_value(keys, (EppdBoostKey)key) : NULL;

  if (key >= 0 && (!value || line->number != layout->last_line[key]))
    return;
  if (value && !has_value(line, value))
    append_key(out, key, value, line_end(bytes, line));
  else
    g_string_append_len(out, bytes + line->start, (gssize)(line->end - line->start));
}

static gboolean
check_layout(const Layout *layout, gsize length, GError **error)
{
  if (layout->header.number > 0 && layout->header.end < length)
    return TRUE;
  g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID,
              "there is no group [Desktop Entry], or no key in it");
  return FALSE;
}

static gboolean
check_length(gsize length, GError **error)
{
  if (length <= EPPD_DESKTOP_TEXT_MAX)
    return TRUE;
  g_set_error(error, EPPD_ERROR, EPPD_ERROR_LIMIT, "a desktop entry of more than %d bytes",
              EPPD_DESKTOP_TEXT_MAX);
  return FALSE;
}

char *
eppd_desktop_override_text(
    const char *bytes, gsize length, const EppdBoostKeys *keys, gsize *new_length, GError **error)
{
  g_autoptr(GString) out = NULL;
  EppdDesktopText text;
  EppdDesktopLine line;
  Layout layout;

  if (!check_length(length, error))
    return NULL;
  layout = find_layout(bytes, length);
  if (!check_layout(&layout, length, error))
    return NULL;

  out = g_string_sized_new(length);
  eppd_desktop_text_init(&text, bytes, length);
  while (eppd_desktop_text_next(&text, &line)) {
    append_line(out, bytes, &line, &layout, keys);
    if (line.number == layout.header.number)
      append_new_keys(out, &layout, keys, line_end(bytes, &line));
  }
  if (!check_length(out->len, error))
    return NULL;
  *new_length = out->len;
  return g_string_free(g_steal_pointer(&out), FALSE);
}

/* ---- files ---- */

/* A file and what is in it; all NULL where there is none. */
typedef struct {
  EppdDesktopFile *file;
  char *bytes;
  gsize length;
} Source;

typedef struct {
  Source own;
  Source system;
} Sources;

static void
sources_clear(Sources *sources)
{
  g_clear_pointer(&sources->own.file, eppd_desktop_file_free);
  g_free(sources->own.bytes);
  g_clear_pointer(&sources->system.file, eppd_desktop_file_free);
  g_free(sources->system.bytes);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sources, sources_clear)

static gboolean
read_source(Source *source, GError **error)
{
  source->bytes = eppd_desktop_text_read(source->file->path, &source->length, error);
  return source->bytes != NULL;
}

static gboolean
find_sources(Sources *sources, const EppdDesktopDirs *dirs, const char *id, GError **error)
{
  EppdDesktopFile *file = eppd_desktop_dirs_find(dirs, id, error);

  if (!file)
    return FALSE;
  if (!file->is_users) {
    sources->system.file = file;
    return read_source(&sources->system, error);
  }
  sources->own.file = file;
  if (!read_source(&sources->own, error))
    return FALSE;
  /* Only to see whether the user's is a copy of it. */
  sources->system.file = eppd_desktop_dirs_find_system(dirs, id, NULL);
  if (sources->system.file && !read_source(&sources->system, NULL))
    g_clear_pointer(&sources->system.file, eppd_desktop_file_free);
  return TRUE;
}

/* The one that counts. */
static const Source *
counting(const Sources *sources)
{
  return sources->own.file ? &sources->own : &sources->system;
}

static bool
is_equal(const Source *source, const char *bytes, gsize length)
{
  return source->file && source->length == length && memcmp(source->bytes, bytes, length) == 0;
}

/* His directory may be a link to a system's: what is written below it would be the system's. */
static gboolean
check_is_users(const EppdDesktopDirs *dirs, GError **error)
{
  const char *const *paths = eppd_desktop_dirs_paths(dirs);
  struct stat own;
  struct stat other;

  if (stat(paths[0], &own) < 0)
    return TRUE;
  for (guint i = 1; paths[i]; i++) {
    if (stat(paths[i], &other) < 0 || other.st_dev != own.st_dev || other.st_ino != own.st_ino)
      continue;
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID,
                "%s is the system's %s: nothing is written there", paths[0], paths[i]);
    return FALSE;
  }
  return TRUE;
}

/* Makes the user's file hold @bytes. */
static gboolean
carry_out(const EppdDesktopDirs *dirs,
          const Sources *sources,
          const char *bytes,
          gsize length,
          EppdOverrideResult *result,
          GError **error)
{
  const char *directory = eppd_desktop_dirs_paths(dirs)[0];
  const char *relative = counting(sources)->file->relative;

  if (is_equal(counting(sources), bytes, length)) {
    *result = EPPD_OVERRIDE_UNCHANGED;
    return TRUE;
  }
  if (!check_is_users(dirs, error))
    return FALSE;
  if (is_equal(&sources->system, bytes, length)) {
    if (!eppd_user_file_remove(directory, relative, error))
      return FALSE;
    *result = EPPD_OVERRIDE_REMOVED;
    return TRUE;
  }
  if (!eppd_user_file_replace(directory, relative, bytes, length, error))
    return FALSE;
  *result = EPPD_OVERRIDE_WRITTEN;
  return TRUE;
}

static gboolean
set_keys(const EppdDesktopDirs *dirs,
         const Sources *sources,
         const EppdBoostKeys *keys,
         EppdOverrideResult *result,
         char **path,
         GError **error)
{
  const Source *base = counting(sources);
  EppdOverrideResult outcome = EPPD_OVERRIDE_UNCHANGED;
  gsize length = 0;
  g_autofree char *bytes =
      eppd_desktop_override_text(base->bytes, base->length, keys, &length, error);

  if (!bytes) {
    g_prefix_error(error, "%s: ", base->file->path);
    return FALSE;
  }
  if (!carry_out(dirs, sources, bytes, length, &outcome, error))
    return FALSE;
  if (path && outcome == EPPD_OVERRIDE_UNCHANGED)
    *path = g_strdup(base->file->path);
  else if (path)
    *path = g_build_filename(eppd_desktop_dirs_paths(dirs)[0], base->file->relative, NULL);
  *result = outcome;
  return TRUE;
}

gboolean
eppd_desktop_override_set(const EppdDesktopDirs *dirs,
                          const char *id,
                          const EppdBoostKeys *keys,
                          EppdOverrideResult *result,
                          char **path,
                          GError **error)
{
  g_auto(Sources) sources = {0};

  return find_sources(&sources, dirs, id, error) &&
         set_keys(dirs, &sources, keys, result, path, error);
}

static bool
opts_in(const char *bytes, gsize length, const EppdGameSettings *settings)
{
  g_autoptr(EppdDesktopEntry) entry = eppd_desktop_entry_parse(bytes, length, NULL);
  g_autoptr(EppdGameRule) rule = entry ? eppd_game_rule_decide(entry, false, settings) : NULL;

  return rule && rule->opted_in;
}

/* Whether the entry is opted in when nobody says anything in the user's file. */
static bool
is_in_anyway(const Sources *sources, const EppdGameSettings *settings)
{
  const EppdBoostKeys none = {0};
  const Source *base = counting(sources);
  gsize length = 0;
  g_autofree char *bytes =
      eppd_desktop_override_text(base->bytes, base->length, &none, &length, NULL);

  return (bytes && opts_in(bytes, length, settings)) ||
         (sources->system.file && opts_in(sources->system.bytes, sources->system.length, settings));
}

/* Whether the user's file says no: of GameMode nobody else says that. */
static bool
says_no(const Source *own)
{
  g_autoptr(EppdDesktopEntry) entry =
      own->file ? eppd_desktop_entry_parse(own->bytes, own->length, NULL) : NULL;

  return entry && entry->keys.has_boost && !entry->keys.boost;
}

gboolean
eppd_desktop_override_disable(const EppdDesktopDirs *dirs,
                              const char *id,
                              const EppdGameSettings *settings,
                              EppdOverrideResult *result,
                              char **path,
                              GError **error)
{
  g_auto(Sources) sources = {0};
  EppdBoostKeys keys = {0};

  if (!find_sources(&sources, dirs, id, error))
    return FALSE;
  keys.has_boost = says_no(&sources.own) || is_in_anyway(&sources, settings);
  return set_keys(dirs, &sources, &keys, result, path, error);
}
