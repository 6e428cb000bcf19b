/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "games/game-identity.h"

#include <stdbool.h>

/* Whether @identity is that of a program that starts games from within: its unit is that of all of
 * them. Steam, Lutris, Heroic. */
bool eppd_launcher_is_one(const EppdGameIdentity *identity);

/* Whether it is that of a game which such a program has started. */
bool eppd_launcher_is_game(const EppdGameIdentity *identity);
