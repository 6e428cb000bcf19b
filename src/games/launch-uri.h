/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "games/game-identity.h"

/* The game that an address names which shortcuts give to a launcher: steam://rungameid/ID,
 * steam://run/ID, lutris:rungameid/N, lutris:rungame/SLUG, lutris:SLUG (with or without //),
 * heroic://launch/APP, heroic://launch/RUNNER/APP, heroic://launch?appName=APP. NULL for any other
 * text. Owned by the caller. */
EppdGameIdentity *eppd_launch_uri_identity(const char *uri);
