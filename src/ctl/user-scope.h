/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* A transient scope of the user's systemd, so that an application has a cgroup of its own. */

/* "app-eppd-ID-PID.scope": the last part of @app_id (which may be a path), escaped as systemd wants
 * it and cut to what a unit's name may hold. Owned by the caller. */
char *eppd_user_scope_name(const char *app_id, pid_t pid);

/* Moves this process, and with it what it will start, into a new scope in app.slice; takes
 * @timeout_ms at most. The scope's cgroup, as systemd's ControlGroup has it; NULL with @error, fit
 * for a person, where there is no user manager or it refuses: then the process is where it was.
 * Iterates the default main context meanwhile. Owned by the caller. */
char *eppd_user_scope_enter(const char *app_id, int timeout_ms, GError **error);
