/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "agent/process-table.h"

/* The games inside launchers' cgroups. Nobody tells of a process that starts inside a cgroup (the
 * kernel would tell root alone), so this is to be asked from time to time; what was seen twice is
 * not looked at again. Twice, since a child shows its parent's command line until its exec(2). Has
 * one source, a timer while there are cgroups to look into. */
typedef struct _EppdLauncherLook EppdLauncherLook;

/* @root: the v2 root. What is found goes into @table, one process a game and cgroup. @due: it is
 * time to look again. */
EppdLauncherLook *eppd_launcher_look_new(const char *root,
                                         uid_t uid,
                                         EppdProcessTable *table,
                                         void (*due)(gpointer data),
                                         gpointer data);
void eppd_launcher_look_free(EppdLauncherLook *look);

/* Looks into @cgroups (of char *, paths below the v2 root), and forgets all others. */
void eppd_launcher_look_at(EppdLauncherLook *look, const GPtrArray *cgroups);

/* A process that was found in @cgroup (or below it) has ended: another one may be the game's now,
 * so that all of them are to be looked at again. */
void eppd_launcher_look_again(EppdLauncherLook *look, const char *cgroup);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdLauncherLook, eppd_launcher_look_free)
