/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The command that a desktop entry starts, and processes that were started by it. */

/* The words of Exec= from the program on, behind `env`, gamemoderun and such; NULL where it starts
 * no program of its own (a launcher's game, a flatpak, a snap, an interpreter without a script) or
 * makes no sense. Owned by the caller. */
char **eppd_exec_command_of_exec(const char *exec);

/* Whether @argv (ends with NULL) is that command, with whatever arguments behind it; an interpreter
 * may stand before the program. */
bool eppd_exec_command_matches(const char *const *command, const char *const *argv);

/* The file that is opened whenever the command is run, and seldom else: the program, or what an
 * interpreter is given. NULL where there is none; owned by the caller. */
char *eppd_exec_command_file(const char *const *command);
