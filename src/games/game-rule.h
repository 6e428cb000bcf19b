/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "games/desktop-entry.h"

/* Whether a game is opted in, and why. */

/* [Games] of the configuration. */
typedef struct {
  bool desktop_key;              /* DesktopKey=: eppd's keys in desktop entries count */
  const char *const *categories; /* Categories=: ends with NULL; NULL: none */
  bool game_mode;                /* GameMode= */
} EppdGameSettings;

typedef struct {
  bool opted_in;
  /* Of its entry, where that says so; has_boost and boost are none of the rule. Where nothing is
   * said the daemon's configuration counts. */
  EppdBoostKeys keys;
  char *why; /* a clause for a person, "its desktop entry says X-Eppd-Boost=true"; safe to print */
} EppdGameRule;

/* @entry: the application's desktop entry, NULL if there is none; one that is hidden or no
 * application counts as none. @is_registered: GameMode was told of it. In this order:
 *  1. X-Eppd-Boost= says yes or no (where DesktopKey=true);
 *  2. one of its categories is in Categories=;
 *  3. it is registered with GameMode (where GameMode=true);
 *  4. no.
 * A wrong value of X-Eppd-Boost= says nothing. Owned by the caller, never NULL. */
EppdGameRule *eppd_game_rule_decide(const EppdDesktopEntry *entry,
                                    bool is_registered,
                                    const EppdGameSettings *settings);
void eppd_game_rule_free(EppdGameRule *rule);

/* Whether an entry is one that people would look for among games: it is an application with eppd's
 * key, of the category Game, or a launcher's shortcut. */
bool eppd_game_rule_is_likely(const EppdDesktopEntry *entry);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdGameRule, eppd_game_rule_free)
