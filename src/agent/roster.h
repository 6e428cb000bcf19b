/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "agent/app-units.h"
#include "agent/desktop-index.h"
#include "agent/process-table.h"

/* Of all that runs, which are games that are opted in. Decides, and does nothing. */

/* What is to be held. */
typedef struct {
  char *key;    /* the same for the same run of the same game */
  char *app_id; /* of its desktop entry; else what it is known by */
  char *cgroup; /* NULL: it has none of its own */
  guint run;    /* of its unit, where that is what is held */
  /* NULL where the cgroup is the game's alone: it ends with that. Else whose end is the game's; not
   * owned. */
  const EppdProcess *process;
  EppdBoostKeys keys;
  char *why; /* a clause: "its desktop entry says X-Eppd-Boost=true" */
} EppdGame;

typedef struct {
  const GPtrArray *units;     /* of EppdAppUnit */
  const GPtrArray *processes; /* of EppdTrackedProcess, by the time of their start */
  EppdDesktopIndex *index;
  const EppdGameSettings *settings;
} EppdRosterInput;

/* Array of EppdGame, owned by the caller; each key stands once. Where a process is in the unit of a
 * game, that unit is what is held; of an entry's other processes the first. A unit that `eppctl
 * run` made is left to it. */
GPtrArray *eppd_roster_games(const EppdRosterInput *input);

/* Whether games may run inside @unit that are not all of it: its processes tell. */
bool eppd_roster_is_launcher(const EppdAppUnit *unit, EppdDesktopIndex *index);

/* Whether any game that only its processes tell of could be opted in by its entry. */
bool eppd_roster_wants_processes(const EppdDesktopIndex *index, const EppdGameSettings *settings);
