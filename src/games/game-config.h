/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "games/game-rule.h"

/* [Games] of eppd's configuration, as the daemon reads it. What is wrong in it the daemon complains
 * of: here it is left as it was, in silence. */
typedef struct {
  EppdGameSettings settings; /* its categories are those below */
  char **categories;
} EppdGameConfig;

/* Reads @only_file, or with NULL the vendor's file, the system's and its eppd.conf.d: later ones
 * win, key by key. Never fails: what is not there has its default. Owned by the caller. */
EppdGameConfig *eppd_game_config_load(const char *only_file);
void eppd_game_config_free(EppdGameConfig *config);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdGameConfig, eppd_game_config_free)
