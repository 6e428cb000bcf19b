/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* When the trigger app finds a CPU busy: an application's own tasks, wherever below its cgroup they
 * are, ran there for this share of the time. */
typedef struct {
  guint64 cgroup_id; /* the inode number of the cgroup's directory in the v2 hierarchy, never 0 */
  guint threshold_permille; /* 1..1000 */
} EppdAppRule;

/* So many can be watched at a time, each another cgroup. */
#define EPPD_APP_RULES_MAX 64
