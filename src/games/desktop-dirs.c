/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/desktop-dirs.h"

#include "base/error.h"
#include "base/printable.h"

#include <string.h>

#define SUFFIX ".desktop"

/* File names are no longer, and neither is a path. */
#define ID_MAX 4096

#define DEFAULT_DATA_DIRS "/usr/local/share:/usr/share"
#define FLATPAK_EXPORTS   "flatpak/exports/share"
#define FLATPAK_SYSTEM    "/var/lib/flatpak/exports/share"

struct _EppdDesktopDirs {
  char **paths;
};

/* ---- directories ---- */

/* Adds the applications directory of a data directory, once; a relative one is to be ignored. */
static void
add_data_dir(GPtrArray *paths, const char *data_dir)
{
  g_autofree char *plain = NULL;
  g_autofree char *path = NULL;

  if (!g_path_is_absolute(data_dir))
    return;
  plain = g_canonicalize_filename(data_dir, NULL);
  path = g_build_filename(plain, "applications", NULL);
  if (!g_ptr_array_find_with_equal_func(paths, path, g_str_equal, NULL))
    g_ptr_array_add(paths, g_steal_pointer(&path));
}

/* Whether @path is among the data directories @dirs. */
static bool
has_dir(char **dirs, const char *path)
{
  for (guint i = 0; dirs[i]; i++) {
    g_autofree char *plain =
        g_path_is_absolute(dirs[i]) ? g_canonicalize_filename(dirs[i], NULL) : NULL;

    if (g_strcmp0(plain, path) == 0)
      return true;
  }
  return false;
}

EppdDesktopDirs *
eppd_desktop_dirs_new(const char *home,
                      const char *data_home,
                      const char *data_dirs,
                      GError **error)
{
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
  g_auto(GStrv) all = g_strsplit(data_dirs && *data_dirs ? data_dirs : DEFAULT_DATA_DIRS, ":", -1);
  g_autofree char *own = NULL;
  g_autofree char *flatpak = NULL;
  EppdDesktopDirs *dirs;

  if (data_home && g_path_is_absolute(data_home))
    own = g_canonicalize_filename(data_home, NULL);
  else if (home && g_path_is_absolute(home))
    own = g_build_filename(home, ".local/share", NULL);
  if (!own) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID,
                "neither HOME nor XDG_DATA_HOME is an absolute path");
    return NULL;
  }

  add_data_dir(paths, own);
  flatpak = g_build_filename(own, FLATPAK_EXPORTS, NULL);
  if (!has_dir(all, flatpak))
    add_data_dir(paths, flatpak);
  if (!has_dir(all, FLATPAK_SYSTEM))
    add_data_dir(paths, FLATPAK_SYSTEM);
  for (guint i = 0; all[i]; i++)
    add_data_dir(paths, all[i]);

  g_ptr_array_add(paths, NULL);
  dirs = g_new0(EppdDesktopDirs, 1);
  dirs->paths = (char **)g_ptr_array_steal(paths, NULL);
  return dirs;
}

void
eppd_desktop_dirs_free(EppdDesktopDirs *dirs)
{
  g_strfreev(dirs->paths);
  g_free(dirs);
}

const char *const *
eppd_desktop_dirs_paths(const EppdDesktopDirs *dirs)
{
  return (const char *const *)dirs->paths;
}

/* ---- files ---- */

void
eppd_desktop_file_free(EppdDesktopFile *file)
{
  g_free(file->id);
  g_free(file->path);
  g_free(file);
}

static void
free_file(gpointer file)
{
  eppd_desktop_file_free(file);
}

/* @directory is the applications directory that @path is below. */
static EppdDesktopFile *
file_new(const char *id, const char *path, const char *directory, bool is_users)
{
  EppdDesktopFile *file = g_new0(EppdDesktopFile, 1);

  file->id = g_strdup(id);
  file->path = g_strdup(path);
  file->relative = file->path + strlen(directory) + 1;
  file->is_users = is_users;
  return file;
}

typedef struct {
  GPtrArray *files;
  GHashTable *ids; /* of those; the ids are the files' */
  guint n_directories;
  const char *directory; /* the applications directory that is being read */
  bool is_users;
} Listing;

static int
compare_names(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in a directory, in order: which of two files with one id counts must not be up to the
 * file system. */
static GPtrArray *
read_names(const char *path)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
  const char *name;

  while (dir && names->len < EPPD_DESKTOP_FILES_MAX && (name = g_dir_read_name(dir)))
    g_ptr_array_add(names, g_strdup(name));
  g_ptr_array_sort(names, compare_names);
  return names;
}

static void
list_file(Listing *listing, const char *path, const char *prefix, const char *name)
{
  g_autofree char *stem = g_strndup(name, strlen(name) - strlen(SUFFIX));
  g_autofree char *id = g_strconcat(prefix, stem, NULL);
  EppdDesktopFile *file;

  if (!*stem || !g_utf8_validate(id, -1, NULL) || g_hash_table_contains(listing->ids, id) ||
      listing->files->len >= EPPD_DESKTOP_FILES_MAX)
    return;
  file = file_new(id, path, listing->directory, listing->is_users);
  g_ptr_array_add(listing->files, file);
  g_hash_table_add(listing->ids, file->id);
}

/* Files before directories, as in a search for one id. */
static void
list_directory(Listing *listing, const char *path, const char *prefix, guint depth)
{
  g_autoptr(GPtrArray) names = NULL;
  g_autoptr(GPtrArray) directories = g_ptr_array_new();

  if (listing->n_directories++ >= EPPD_DESKTOP_DIRECTORIES_MAX)
    return;
  names = read_names(path);
  for (guint i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    g_autofree char *inner = g_build_filename(path, name, NULL);

    if (g_file_test(inner, G_FILE_TEST_IS_DIR))
      g_ptr_array_add(directories, names->pdata[i]);
    else if (g_str_has_suffix(name, SUFFIX) && g_file_test(inner, G_FILE_TEST_IS_REGULAR))
      list_file(listing, inner, prefix, name);
  }
  if (depth == EPPD_DESKTOP_DEPTH_MAX)
    return;
  for (guint i = 0; i < directories->len; i++) {
    g_autofree char *inner = g_build_filename(path, directories->pdata[i], NULL);
    g_autofree char *inner_prefix = g_strconcat(prefix, directories->pdata[i], "-", NULL);

    list_directory(listing, inner, inner_prefix, depth + 1);
  }
}

static int
compare_files(gconstpointer a, gconstpointer b)
{
  return strcmp((*(EppdDesktopFile *const *)a)->id, (*(EppdDesktopFile *const *)b)->id);
}

GPtrArray *
eppd_desktop_dirs_list(const EppdDesktopDirs *dirs)
{
  g_autoptr(GHashTable) ids = g_hash_table_new(g_str_hash, g_str_equal);
  Listing listing = {.files = g_ptr_array_new_with_free_func(free_file), .ids = ids};

  for (guint i = 0; dirs->paths[i]; i++) {
    listing.directory = dirs->paths[i];
    listing.is_users = i == 0;
    list_directory(&listing, dirs->paths[i], "", 1);
  }
  g_ptr_array_sort(listing.files, compare_files);
  return listing.files;
}

/* ---- one file ---- */

/* The file of @name (with its suffix) below @directory: each dash may stand for a `/`. NULL if
 * there is none; owned by the caller. */
static char *
find_below(const char *directory, const char *name, guint depth)
{
  g_autofree char *path = g_build_filename(directory, name, NULL);

  if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
    return g_steal_pointer(&path);
  if (depth == EPPD_DESKTOP_DEPTH_MAX)
    return NULL;
  for (const char *dash = strchr(name, '-'); dash; dash = strchr(dash + 1, '-')) {
    g_autofree char *prefix = g_strndup(name, (gsize)(dash - name));
    g_autofree char *inner = g_build_filename(directory, prefix, NULL);
    char *found = NULL;

    /* "", "." and ".." name directories that are none of an id's. */
    if (dash[1] && prefix[strspn(prefix, ".")] && g_file_test(inner, G_FILE_TEST_IS_DIR))
      found = find_below(inner, dash + 1, depth + 1);
    if (found)
      return found;
  }
  return NULL;
}

static bool
is_id(const char *id)
{
  gsize length = strnlen(id, ID_MAX + 1);

  return length > 0 && length <= ID_MAX && !strchr(id, '/') && g_utf8_validate(id, -1, NULL);
}

static EppdDesktopFile *
find_from(const EppdDesktopDirs *dirs, guint first, const char *given, GError **error)
{
  g_autofree char *shown = eppd_printable(given, EPPD_GIVEN_TEXT_MAX);
  g_autofree char *id = g_strdup(given);
  g_autofree char *name = NULL;

  if (g_str_has_suffix(id, SUFFIX))
    id[strlen(id) - strlen(SUFFIX)] = '\0';
  if (!is_id(id)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID,
                "'%s' is no desktop entry's id, such as org.example.Game", shown);
    return NULL;
  }
  name = g_strconcat(id, SUFFIX, NULL);
  for (guint i = first; dirs->paths[i]; i++) {
    g_autofree char *path = find_below(dirs->paths[i], name, 1);

    if (path)
      return file_new(id, path, dirs->paths[i], i == 0);
  }
  g_set_error(error, EPPD_ERROR, EPPD_ERROR_GONE, "there is no desktop entry %s", shown);
  return NULL;
}

EppdDesktopFile *
eppd_desktop_dirs_find(const EppdDesktopDirs *dirs, const char *id, GError **error)
{
  return find_from(dirs, 0, id, error);
}

EppdDesktopFile *
eppd_desktop_dirs_find_system(const EppdDesktopDirs *dirs, const char *id, GError **error)
{
  return find_from(dirs, 1, id, error);
}
