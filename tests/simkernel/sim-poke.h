/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* Has inotify tell of what the simulated kernel itself announces, as sysfs_notify() does: a process
 * that writes into the file through the mount, which the file system knows and lets pass without
 * effect. (In a process of its own: one that waited for itself could not be killed.) */
typedef struct SimPoker SimPoker;

/* Before there are threads, and before the mount. NULL with @error where no process can be had. */
SimPoker *sim_poker_new(const char *mountpoint, GError **error);
/* Its process ends with that. */
void sim_poker_free(SimPoker *poker);
pid_t sim_poker_pid(const SimPoker *poker);
/* Asks for it, without waiting. @path: within the mount. */
void sim_poker_poke(SimPoker *poker, const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SimPoker, sim_poker_free)
