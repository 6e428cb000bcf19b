/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "ctl/game-catalogue.h"

#include <gio/gio.h>

/* What is said of a game, by `game list` and `game why`. */

/* What opts it in: "key", "category" or "GameMode"; "" if nothing does. */
const char *eppd_game_opted_in_by(const EppdGameEntry *game, const EppdGameCatalogue *catalogue);

/* The hold among @holds (aa{sv} of ListBoostHolds, or NULL) that is this user's and of the game: by
 * its id, its cgroup or its process. An a{sv}, owned by the caller; NULL if there is none. */
GVariant *eppd_game_find_hold(const EppdGameEntry *game, GVariant *holds);

/* Where it runs: its units, or the processes that are in none, each once; of one that nothing tells
 * of, the process that is held for it (@hold: an a{sv}, or NULL). Array of char *, safe to print,
 * owned by the caller. */
GPtrArray *eppd_game_places(const EppdGameEntry *game, GVariant *hold);

/* "30 %" of a threshold, "" of 0. Owned by the caller. */
char *eppd_game_threshold_text(guint threshold_percent);

/* All of it, for --json: an a{sv}, floating. */
GVariant *eppd_game_pack(const EppdGameEntry *game,
                         const EppdGameCatalogue *catalogue,
                         GVariant *holds);
