/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* The cgroup of a process in the v2 hierarchy, alone or beside v1: its path below the v2 root, as
 * systemd's ControlGroup has it ("/user.slice/…/app-x.scope"; "/": the root itself). @pid 0: ours.
 * NULL with @error: EPPD_ERROR_GONE where there is no such process or no such hierarchy, else by
 * errno. Owned by the caller. */
char *eppd_process_cgroup(pid_t pid, GError **error);
