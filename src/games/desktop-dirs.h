/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Where desktop files are, and what they are called: the `applications` directories below the XDG
 * data directories, the user's first. A file's id is its path below such a directory, with `-` for
 * each `/`: kde4/foo.desktop is kde4-foo. Ids here are without ".desktop".
 *
 * Of files with one id the first counts, so that the user's is over the system's, also to hide it
 * (Hidden=true). Links are followed: what flatpak exports are links. */
typedef struct _EppdDesktopDirs EppdDesktopDirs;

/* A file that counts. */
typedef struct {
  char *id;
  char *path;
  const char *relative; /* of @path, what is below its applications directory */
  bool is_users;        /* that is the user's own */
} EppdDesktopFile;

/* Directories below this depth are not looked at, and a list has no more files, of no more
 * directories: links may lead round in circles. */
#define EPPD_DESKTOP_DEPTH_MAX       8
#define EPPD_DESKTOP_FILES_MAX       65536
#define EPPD_DESKTOP_DIRECTORIES_MAX 4096

/* From the values of HOME, XDG_DATA_HOME and XDG_DATA_DIRS, each NULL if it is not set: with the
 * specification's defaults, relative paths ignored. Flatpak's two export directories stand behind
 * the user's own where XDG_DATA_DIRS has not got them (a service's environment may lack what a
 * login shell adds). NULL with @error (EPPD_ERROR_INVALID) where neither HOME nor XDG_DATA_HOME is
 * a path.
 */
EppdDesktopDirs *eppd_desktop_dirs_new(const char *home,
                                       const char *data_home,
                                       const char *data_dirs,
                                       GError **error);
void eppd_desktop_dirs_free(EppdDesktopDirs *dirs);

/* The directories, the user's first, whether they exist or not; ends with NULL, owned by @dirs. */
const char *const *eppd_desktop_dirs_paths(const EppdDesktopDirs *dirs);

/* All files that count, by id; array of EppdDesktopFile, owned by the caller. Directories that are
 * not there or can't be read are skipped. */
GPtrArray *eppd_desktop_dirs_list(const EppdDesktopDirs *dirs);

/* The file that counts for @id (".desktop" behind it may be written out), owned by the caller; NULL
 * with
 * @error: EPPD_ERROR_GONE if there is none, EPPD_ERROR_INVALID for what is no id. */
EppdDesktopFile *eppd_desktop_dirs_find(const EppdDesktopDirs *dirs,
                                        const char *id,
                                        GError **error);

/* The same without the user's own. */
EppdDesktopFile *eppd_desktop_dirs_find_system(const EppdDesktopDirs *dirs,
                                               const char *id,
                                               GError **error);

void eppd_desktop_file_free(EppdDesktopFile *file);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdDesktopDirs, eppd_desktop_dirs_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdDesktopFile, eppd_desktop_file_free)
