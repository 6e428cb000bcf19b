/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "games/game-identity.h"

#include <sys/types.h>

/* A block of NUL-terminated strings, as /proc/PID/cmdline and /proc/PID/environ have it: any bytes.
 */
typedef struct {
  const char *bytes; /* may be NULL where @length is 0 */
  gsize length;
} EppdProcessBlock;

/* What the process @pid shows of the game that it belongs to, the surest first:
 *  - Steam's `reaper SteamLaunch AppId=N --`; with Install=1 (a set-up step of the game) nothing is
 *    taken from the process at all;
 *  - GIO_LAUNCHED_DESKTOP_FILE, where GIO_LAUNCHED_DESKTOP_FILE_PID is @pid: children inherit it;
 *  - HEROIC_APP_NAME;
 *  - of Lutris, the name: GAME_NAME beside LUTRIS_GAME_UUID, or lutris-wrapper's title; and that
 *    UUID, which is a new one each time;
 *  - SteamAppId, or if that is 0, SteamGameId: behind Lutris and Heroic, whose umu sets it as well;
 *  - FLATPAK_ID, which may be the launcher's.
 * The first of equal variables counts. A last variable without its NUL was cut off and does not.
 * Array of EppdGameIdentity, empty if there is none; owned by the caller. */
GPtrArray *eppd_process_identities(pid_t pid, EppdProcessBlock argv, EppdProcessBlock environment);
