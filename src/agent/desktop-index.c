/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/desktop-index.h"

#include "agent/exec-command.h"
#include "agent/launcher.h"
#include "base/log.h"
#include "games/entry-identity.h"
#include "games/exec-line.h"

#include <string.h>
#include <sys/inotify.h>

#define TOPIC  "entries"
#define SUFFIX ".desktop"

/* Files outside the directories that are remembered. */
#define OUTSIDE_MAX 64

#define EVENTS                                                                                     \
  (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF |         \
   IN_MOVE_SELF | IN_ONLYDIR)

/* A directory that is not there: what it would show as in the first of its parents that is. */
typedef struct {
  EppdDesktopIndex *index;
  char *name;
} Missing;

struct _EppdDesktopIndex {
  EppdDesktopDirs *dirs;
  EppdPathWatch *watch;
  void (*changed)(gpointer data);
  gpointer data;
  GArray *watch_ids;      /* of guint */
  GPtrArray *missing;     /* of Missing */
  GPtrArray *entries;     /* of EppdIndexedEntry */
  GHashTable *identities; /* EppdGameIdentity → EppdIndexedEntry, not owned */
  GHashTable *outside;    /* path → EppdIndexedEntry; NULL: it is none */
  GHashTable *said;       /* the complaints so far */
};

static void
indexed_free(gpointer data)
{
  EppdIndexedEntry *indexed = data;

  if (!indexed)
    return;
  eppd_desktop_entry_free(indexed->entry);
  g_strfreev(indexed->command);
  g_free(indexed->id);
  g_free(indexed->path);
  g_free(indexed);
}

/* ---- one entry ---- */

static void
complain(EppdDesktopIndex *index, const char *text)
{
  if (g_hash_table_add(index->said, g_strdup(text)))
    eppd_warning(TOPIC, "%s", text);
}

/* NULL for what can't be read or is no application. */
static EppdIndexedEntry *
load_entry(EppdDesktopIndex *index, const char *id, const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(EppdDesktopEntry) entry = eppd_desktop_entry_load(path, &error);
  g_autoptr(EppdGameIdentity) started = NULL;
  EppdIndexedEntry *indexed;

  if (!entry) {
    g_autofree char *text = g_strdup_printf("%s; ignoring it", error->message);

    complain(index, text);
    return NULL;
  }
  for (guint i = 0; i < entry->problems->len; i++) {
    g_autofree char *text =
        g_strdup_printf("%s, %s", path, (const char *)entry->problems->pdata[i]);

    complain(index, text);
  }
  if (!eppd_desktop_entry_is_application(entry))
    return NULL;
  started = entry->exec ? eppd_exec_line_identity(entry->exec) : NULL;
  indexed = g_new0(EppdIndexedEntry, 1);
  indexed->id = g_strdup(id);
  indexed->path = g_strdup(path);
  indexed->is_shortcut = started && eppd_launcher_is_game(started);
  indexed->is_launcher = started && eppd_launcher_is_one(started);
  /* Else Exec= is for those who can't do D-Bus. */
  if (entry->exec && !entry->dbus_activatable && !indexed->is_launcher)
    indexed->command = eppd_exec_command_of_exec(entry->exec);
  indexed->entry = g_steal_pointer(&entry);
  return indexed;
}

static bool
has_any_key(const EppdBoostKeys *keys)
{
  return keys->has_boost || keys->has_trigger || keys->threshold_percent > 0 || keys->has_profile;
}

static bool
matters(const EppdIndexedEntry *indexed, const EppdGameSettings *settings)
{
  if (indexed->is_shortcut || indexed->is_launcher || has_any_key(&indexed->entry->keys))
    return true;
  for (guint i = 0; settings->categories && settings->categories[i]; i++) {
    if (eppd_desktop_entry_has_category(indexed->entry, settings->categories[i]))
      return true;
  }
  return false;
}

/* The launcher that a shortcut names has these, and not the game. */
static bool
is_launchers(const EppdGameIdentity *identity)
{
  return !eppd_launcher_is_game(identity) && identity->kind != EPPD_IDENTITY_DESKTOP_ID &&
         identity->kind != EPPD_IDENTITY_DESKTOP_FILE;
}

/* Of entries with one identity the first counts. */
static void
insert(EppdDesktopIndex *index, EppdIndexedEntry *indexed)
{
  g_autoptr(GPtrArray) identities =
      eppd_entry_identities(indexed->id, indexed->path, indexed->entry);

  g_ptr_array_add(index->entries, indexed);
  for (guint i = 0; i < identities->len; i++) {
    const EppdGameIdentity *identity = identities->pdata[i];

    if (g_hash_table_contains(index->identities, identity) ||
        (indexed->is_shortcut && is_launchers(identity)))
      continue;
    g_hash_table_insert(index->identities, eppd_game_identity_new(identity->kind, identity->id),
                        indexed);
  }
}

/* ---- watching ---- */

static void
on_event(guint32 mask, const char *name, gpointer data)
{
  EppdDesktopIndex *index = data;

  /* Other files are caches and what editors keep meanwhile. */
  if (name && !(mask & IN_ISDIR) && !g_str_has_suffix(name, SUFFIX))
    return;
  if (!(mask & IN_IGNORED))
    index->changed(index->data);
}

static void
missing_free(gpointer data)
{
  Missing *missing = data;

  g_free(missing->name);
  g_free(missing);
}

static void
on_parent_event(guint32 mask, const char *name, gpointer data)
{
  Missing *missing = data;

  if (!name ? !(mask & IN_IGNORED) : strcmp(name, missing->name) == 0)
    missing->index->changed(missing->index->data);
}

static bool
watch(EppdDesktopIndex *index, const char *path, guint32 mask, EppdPathEvent event, gpointer data)
{
  g_autoptr(GError) error = NULL;
  guint id;

  if (index->watch_ids->len >= EPPD_DESKTOP_DIRECTORIES_MAX)
    return false;
  id = eppd_path_watch_add(index->watch, path, mask, event, data, &error);
  if (id == 0) {
    eppd_debug(TOPIC, "%s, ignoring it", error->message);
    return false;
  }
  g_array_append_val(index->watch_ids, id);
  return true;
}

static void
watch_below(EppdDesktopIndex *index, const char *path, guint depth)
{
  g_autoptr(GDir) dir = NULL;
  const char *name;

  if (!watch(index, path, EVENTS, on_event, index) || depth == EPPD_DESKTOP_DEPTH_MAX)
    return;
  dir = g_dir_open(path, 0, NULL);
  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *inner = g_build_filename(path, name, NULL);

    if (g_file_test(inner, G_FILE_TEST_IS_DIR))
      watch_below(index, inner, depth + 1);
  }
}

/* What does not exist yet shows first in what does. */
static void
watch_parent(EppdDesktopIndex *index, const char *path)
{
  g_autofree char *child = g_strdup(path);
  g_autofree char *parent = g_path_get_dirname(path);
  Missing *missing = g_new0(Missing, 1);

  while (!g_file_test(parent, G_FILE_TEST_IS_DIR) && strcmp(parent, "/") != 0) {
    g_free(child);
    child = parent;
    parent = g_path_get_dirname(child);
  }
  missing->index = index;
  missing->name = g_path_get_basename(child);
  g_ptr_array_add(index->missing, missing);
  watch(index, parent, IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR,
        on_parent_event, missing);
}

static void
unwatch_all(EppdDesktopIndex *index)
{
  for (guint i = 0; i < index->watch_ids->len; i++)
    eppd_path_watch_remove(index->watch, g_array_index(index->watch_ids, guint, i));
  g_array_set_size(index->watch_ids, 0);
  g_ptr_array_set_size(index->missing, 0);
}

static void
watch_all(EppdDesktopIndex *index)
{
  const char *const *paths = eppd_desktop_dirs_paths(index->dirs);

  for (guint i = 0; paths[i]; i++) {
    if (g_file_test(paths[i], G_FILE_TEST_IS_DIR))
      watch_below(index, paths[i], 1);
    else
      watch_parent(index, paths[i]);
  }
}

/* ---- the index ---- */

static void
clear(EppdDesktopIndex *index)
{
  unwatch_all(index);
  g_hash_table_remove_all(index->identities);
  g_hash_table_remove_all(index->outside);
  g_ptr_array_set_size(index->entries, 0);
}

EppdDesktopIndex *
eppd_desktop_index_new(EppdDesktopDirs *dirs,
                       EppdPathWatch *path_watch,
                       void (*changed)(gpointer data),
                       gpointer data)
{
  EppdDesktopIndex *index = g_new0(EppdDesktopIndex, 1);

  index->dirs = dirs;
  index->watch = path_watch;
  index->changed = changed;
  index->data = data;
  index->watch_ids = g_array_new(FALSE, FALSE, sizeof(guint));
  index->missing = g_ptr_array_new_with_free_func(missing_free);
  index->entries = g_ptr_array_new_with_free_func(indexed_free);
  index->identities = g_hash_table_new_full(eppd_game_identity_hash, eppd_game_identity_equal,
                                            (GDestroyNotify)eppd_game_identity_free, NULL);
  index->outside = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, indexed_free);
  index->said = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  return index;
}

void
eppd_desktop_index_free(EppdDesktopIndex *index)
{
  clear(index);
  g_clear_pointer(&index->dirs, eppd_desktop_dirs_free);
  g_array_unref(index->watch_ids);
  g_ptr_array_unref(index->missing);
  g_ptr_array_unref(index->entries);
  g_hash_table_unref(index->identities);
  g_hash_table_unref(index->outside);
  g_hash_table_unref(index->said);
  g_free(index);
}

void
eppd_desktop_index_load(EppdDesktopIndex *index, const EppdGameSettings *settings)
{
  g_autoptr(GPtrArray) files = NULL;

  clear(index);
  if (!index->dirs)
    return;
  /* Before they are read, so that nothing that changes in between is missed. */
  watch_all(index);
  files = eppd_desktop_dirs_list(index->dirs);
  for (guint i = 0; i < files->len; i++) {
    const EppdDesktopFile *file = files->pdata[i];
    EppdIndexedEntry *indexed = load_entry(index, file->id, file->path);

    if (indexed && matters(indexed, settings))
      insert(index, indexed);
    else
      indexed_free(indexed);
  }
  eppd_debug(TOPIC, "%u of %u desktop entries matter", index->entries->len, files->len);
}

/* The id of a file below one of the directories; NULL for another one's. Owned by the caller. */
static char *
id_of_path(const EppdDesktopIndex *index, const char *path)
{
  const char *const *paths = index->dirs ? eppd_desktop_dirs_paths(index->dirs) : NULL;

  for (guint i = 0; paths && paths[i]; i++) {
    gsize length = strlen(paths[i]);
    char *id;

    if (strncmp(path, paths[i], length) != 0 || path[length] != '/' ||
        !g_str_has_suffix(path, SUFFIX))
      continue;
    id = g_strndup(path + length + 1, strlen(path + length + 1) - strlen(SUFFIX));
    return g_strdelimit(id, "/", '-');
  }
  return NULL;
}

static const EppdIndexedEntry *
find_outside(EppdDesktopIndex *index, const char *path)
{
  g_autofree char *base = NULL;
  gpointer known;

  if (g_hash_table_lookup_extended(index->outside, path, NULL, &known))
    return known;
  if (g_hash_table_size(index->outside) >= OUTSIDE_MAX || !g_str_has_suffix(path, SUFFIX))
    return NULL;
  base = g_path_get_basename(path);
  base[strlen(base) - strlen(SUFFIX)] = '\0';
  known = load_entry(index, base, path);
  g_hash_table_insert(index->outside, g_strdup(path), known);
  return known;
}

const EppdIndexedEntry *
eppd_desktop_index_find(EppdDesktopIndex *index, const EppdGameIdentity *identity)
{
  const EppdIndexedEntry *found = g_hash_table_lookup(index->identities, identity);
  g_autoptr(EppdGameIdentity) by_id = NULL;
  g_autofree char *id = NULL;

  if (found || identity->kind != EPPD_IDENTITY_DESKTOP_FILE)
    return found;
  /* A system's file that the user's stands in front of. */
  id = id_of_path(index, identity->id);
  if (!id)
    return find_outside(index, identity->id);
  by_id = eppd_game_identity_new(EPPD_IDENTITY_DESKTOP_ID, id);
  return by_id ? g_hash_table_lookup(index->identities, by_id) : NULL;
}

const EppdIndexedEntry *
eppd_desktop_index_find_command(const EppdDesktopIndex *index, const char *const *argv)
{
  for (guint i = 0; i < index->entries->len; i++) {
    const EppdIndexedEntry *indexed = index->entries->pdata[i];

    if (indexed->command && eppd_exec_command_matches((const char *const *)indexed->command, argv))
      return indexed;
  }
  return NULL;
}

const GPtrArray *
eppd_desktop_index_list(const EppdDesktopIndex *index)
{
  return index->entries;
}
