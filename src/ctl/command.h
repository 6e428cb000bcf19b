/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* A command that is run in the foreground, in our process group and on our terminal, as if it had
 * been started in our place: its exit code is ours, and signals for us are for it. One at a time.
 */

/* Exit codes of a command that could not be started, as shells have them. */
#define EPPD_EXIT_NOT_EXECUTABLE 126
#define EPPD_EXIT_NOT_FOUND      127

/* Starts @argv (a name without a slash is searched in PATH), iterates the default main context
 * until it has ended, and sets @wait_status (as of waitpid).
 *
 * TERM, INT, HUP, QUIT, ABRT, USR1, USR2 and CONT that another process sends us are passed on.
 * Those that the kernel sends are not: a Ctrl-C on the terminal goes to the whole foreground
 * process group, so the command has it already.
 *
 * On failure: G_SPAWN_ERROR_NOENT if there is no such command, another code of G_SPAWN_ERROR if it
 * can't be executed. */
gboolean eppd_command_run(char **argv, int *wait_status, GError **error);

/* The exit code that tells of @error. */
int eppd_command_error_code(const GError *error);

/* Ends as the command did: returns its exit code, or dies by its signal, without a core dump of our
 * own. */
int eppd_command_exit_code(int wait_status);
