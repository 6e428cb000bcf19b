/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "games/game-identity.h"

/* The Exec= key of a desktop entry: what it launches. */

/* The words of @exec (its general escapes undone, as in EppdDesktopEntry), by the quoting rules of
 * the Desktop Entry Specification: white space separates, "double quotes" hold a word together, and
 * in them a backslash stands before `"`, `` ` ``, `$` and `\`. Field codes are dropped, and with
 * them a word that is nothing else; `%%` is `%`. What the specification leaves undefined and files
 * have all the same is read as GLib does when it launches them: 'single quotes', a backslash
 * outside quotes, quotes in the middle of a word, field codes in quotes. NULL with @error
 * (EPPD_ERROR_INVALID) for a quote without an end, and for no word at all. Owned by the caller. */
char **eppd_exec_line_split(const char *exec, GError **error);

/* What @exec launches, behind `env`, gamemoderun and such: the game of a launcher
 * (steam://rungameid/, `steam -applaunch`, lutris:, heroic://launch), whichever program is given
 * its address; else a flatpak or a snap; else the program. A launcher alone is a program too (or
 * flatpak, or snap). NULL if it can't be told. Owned by the caller. */
EppdGameIdentity *eppd_exec_line_identity(const char *exec);
