/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <gio/gio.h>

/* Which games run, and which holds each has: of the boost, and of the profile that it asks for.
 * What is refused is asked for again when the session becomes active. */
typedef struct _EppdGameKeeper EppdGameKeeper;

EppdGameKeeper *eppd_game_keeper_new(GDBusConnection *system_bus);
/* Releases all. */
void eppd_game_keeper_free(EppdGameKeeper *keeper);

/* @games (of EppdGame) are what is to be held from now on. What is new is taken before what is gone
 * is released, so that a game that is known by another key has no gap. */
void eppd_game_keeper_update(EppdGameKeeper *keeper, const GPtrArray *games);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdGameKeeper, eppd_game_keeper_free)
