/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "ctl/user-processes.h"

#include "games/desktop-dirs.h"
#include "games/game-config.h"

/* All desktop entries of the user, and what runs of them. */

typedef struct {
  EppdDesktopFile *file;
  EppdDesktopEntry *entry; /* NULL: it can't be read */
  char *problem;           /* why not; safe to print */
  GPtrArray *identities;   /* of EppdGameIdentity */
  GPtrArray *processes;    /* of EppdUserProcess, the catalogue's: what runs of it */
  EppdGameRule *rule;      /* with GameMode's word, if it runs */
} EppdGameEntry;

typedef struct {
  EppdDesktopDirs *dirs;
  EppdGameConfig *config;
  EppdUserProcesses *processes;
  GPtrArray *games; /* of EppdGameEntry, by id */
} EppdGameCatalogue;

/* @config_file: in the place of eppd's configuration; NULL: that. NULL with @error where the
 * environment names no directory of the user's. Iterates the default main context. Owned by the
 * caller. */
EppdGameCatalogue *eppd_game_catalogue_new(const char *config_file, GError **error);
void eppd_game_catalogue_free(EppdGameCatalogue *catalogue);

/* The entry @id (".desktop" behind it may be written out), owned by @catalogue; NULL with @error,
 * which names what may have been meant. */
EppdGameEntry *eppd_game_catalogue_find(EppdGameCatalogue *catalogue,
                                        const char *id,
                                        GError **error);

/* The directories alone, by the environment. NULL with @error; owned by the caller. */
EppdDesktopDirs *eppd_game_dirs_new(GError **error);

/* The file that counts for @id; NULL with @error, which names what may have been meant. Owned by
 * the caller. */
EppdDesktopFile *eppd_game_dirs_find(const EppdDesktopDirs *dirs, const char *id, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdGameCatalogue, eppd_game_catalogue_free)
