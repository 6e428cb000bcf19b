/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "agent/path-watch.h"

#include <stdbool.h>
#include <sys/types.h>

/* The cgroups of a user's applications, where there is no systemd user manager to ask: the
 * directories below user.slice/user-UID.slice as they come and go. Looked into are slices and
 * user@UID.service alone: what is below an application is its own. */
typedef struct _EppdCgroupTree EppdCgroupTree;

/* Directories below this depth are not looked at, nor more than so many. */
#define EPPD_CGROUP_TREE_DEPTH_MAX       8
#define EPPD_CGROUP_TREE_DIRECTORIES_MAX 1024

/* @found: the cgroup (path below the v2 root @root) of what is named as an application; @is_there:
 * it came, or went. Called for what is there already from within new(), and later from
 * eppd_path_watch_dispatch(). A user's slice that does not exist stays unwatched: said once. */
typedef void (*EppdCgroupFound)(const char *cgroup, bool is_there, gpointer data);
EppdCgroupTree *eppd_cgroup_tree_new(
    const char *root, uid_t uid, EppdPathWatch *watch, EppdCgroupFound found, gpointer data);
void eppd_cgroup_tree_free(EppdCgroupTree *tree);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdCgroupTree, eppd_cgroup_tree_free)
