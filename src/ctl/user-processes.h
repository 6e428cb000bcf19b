/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* The user's processes that show which application they are of: by the systemd unit that they are
 * in, or by what they were started with. */

typedef struct {
  pid_t pid;
  char *cgroup;       /* in the v2 hierarchy; NULL: not known */
  char *unit;         /* the application's unit that this is in; NULL: none */
  GPtrArray *units;   /* of EppdGameIdentity: what the unit's name may mean, the likeliest first */
  GPtrArray *shown;   /* of EppdGameIdentity: what the process itself shows */
  bool is_registered; /* with GameMode */
} EppdUserProcess;

typedef struct {
  GPtrArray *processes; /* of EppdUserProcess, by pid */
  pid_t agent_pid;      /* the user's eppd-agent; 0: it does not run */
} EppdUserProcesses;

/* Looks at /proc. Owned by the caller. */
EppdUserProcesses *eppd_user_processes_look(void);

/* Asks GameMode, if it runs, for the games that it was told of. Takes some @timeout_ms at most, and
 * iterates the default main context. */
void eppd_user_processes_ask_game_mode(EppdUserProcesses *processes, int timeout_ms);

void eppd_user_processes_free(EppdUserProcesses *processes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdUserProcesses, eppd_user_processes_free)
