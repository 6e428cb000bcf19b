/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Where the whole v2 hierarchy is mounted, alone or beside v1. NULL with @error
 * (EPPD_ERROR_UNSUPPORTED where it is not, else by errno). Owned by the caller. */
char *eppd_cgroup2_root(GError **error);

/* Whether any process is in the cgroup whose directory is @path, or below it: its cgroup.events
 * says so. False for one that is gone. */
bool eppd_cgroup2_is_populated(const char *path);
