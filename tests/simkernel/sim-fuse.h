/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "sim-fault.h"
#include "sim-log.h"
#include "sim-tree.h"

/* The tree, mounted: as sysfs shows its files, and with faults where they are wanted. What is below
 * /simkernel meets no fault. */
typedef struct SimFuse SimFuse;

/* Borrows all three; @log may be NULL. @mountpoint: an absolute path. Before there are threads.
 * NULL with @error. */
SimFuse *sim_fuse_new(SimFaults *faults, SimLog *log, const char *mountpoint, GError **error);
void sim_fuse_free(SimFuse *fuse);
/* Mounts @tree, calls @mounted, and serves until it is unmounted, or until a SIGTERM or SIGINT,
 * which must be blocked. The tree's files are called under a lock. False with @error where it can't
 * be mounted. */
bool sim_fuse_run(SimFuse *fuse, SimTree *tree, void (*mounted)(void), GError **error);

/* The tree's hooks, which come while it serves a file. */
void sim_fuse_notify(SimFuse *fuse, SimNode *node);
void sim_fuse_removed(SimFuse *fuse, SimNode *directory, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SimFuse, sim_fuse_free)
