/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "agent/process.h"

/* The processes that may be a game, until they end. Has one source of the thread-default main
 * context for each, on its pidfd. */

/* How it became known; bits. */
typedef enum {
  EPPD_ORIGIN_LAUNCHED = 1 << 0,    /* somebody started a desktop entry as it */
  EPPD_ORIGIN_REGISTERED = 1 << 1,  /* with GameMode */
  EPPD_ORIGIN_IN_LAUNCHER = 1 << 2, /* found in the unit of Steam, Lutris, … */
} EppdOrigin;

typedef struct {
  EppdProcess *process;
  guint origins; /* of EppdOrigin */
} EppdTrackedProcess;

typedef struct _EppdProcessTable EppdProcessTable;

/* @ended: a process has ended, and is no longer in the table; from the main context. @cgroup: its
 * last; may be NULL. */
EppdProcessTable *eppd_process_table_new(void (*ended)(const char *cgroup, gpointer data),
                                         gpointer data);
void eppd_process_table_free(EppdProcessTable *table);

/* Takes @process, unless the table has it already; either way it gets @origin, and @identity (may
 * be NULL) before all others that it has. */
void eppd_process_table_add(EppdProcessTable *table,
                            EppdProcess *process,
                            EppdOrigin origin,
                            const EppdGameIdentity *identity);
/* Takes @origin from the process; it goes with its last one. */
void eppd_process_table_remove(EppdProcessTable *table, pid_t pid, EppdOrigin origin);

/* By the time of their start; of EppdTrackedProcess. Owned by the caller, valid until the table
 * changes. */
GPtrArray *eppd_process_table_list(const EppdProcessTable *table);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdProcessTable, eppd_process_table_free)
