/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "agent/path-watch.h"
#include "games/desktop-dirs.h"
#include "games/game-identity.h"
#include "games/game-rule.h"

/* The desktop entries that matter to the agent, by what their applications can be known by: those
 * with a key of eppd's, of a configured category, launchers and their shortcuts. A broken one is
 * skipped, and said once. */
typedef struct _EppdDesktopIndex EppdDesktopIndex;

typedef struct {
  char *id;
  char *path;
  EppdDesktopEntry *entry;
  char **command; /* the program that it starts; NULL where others do: agent/exec-command.h */
  /* Its Exec= starts a game by a launcher: the game is known by its own processes, since what runs
   * under the entry's name may be that launcher, which stays. */
  bool is_shortcut;
  bool is_launcher;
} EppdIndexedEntry;

/* Takes @dirs (NULL: there is nothing to find). @changed, from eppd_path_watch_dispatch(): the
 * directories have changed, and the index is to be loaded again once that is over. Empty until it
 * is loaded. */
EppdDesktopIndex *eppd_desktop_index_new(EppdDesktopDirs *dirs,
                                         EppdPathWatch *watch,
                                         void (*changed)(gpointer data),
                                         gpointer data);
void eppd_desktop_index_free(EppdDesktopIndex *index);

/* Reads all entries again. What find() returned is void. */
void eppd_desktop_index_load(EppdDesktopIndex *index, const EppdGameSettings *settings);

/* NULL if none is known. A file outside the directories is read when it is asked for first. A
 * shortcut is found by its game, and by its file and id. */
const EppdIndexedEntry *eppd_desktop_index_find(EppdDesktopIndex *index,
                                                const EppdGameIdentity *identity);

/* The entry that @argv was started by, as far as that can be told: an entry's whole command. NULL
 * if there is none. */
const EppdIndexedEntry *eppd_desktop_index_find_command(const EppdDesktopIndex *index,
                                                        const char *const *argv);

/* Of EppdIndexedEntry, without those outside the directories; owned by @index. */
const GPtrArray *eppd_desktop_index_list(const EppdDesktopIndex *index);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdDesktopIndex, eppd_desktop_index_free)
