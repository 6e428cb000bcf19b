/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* What is done to the simulated kernel, a line each:
 *   USEC PID OP PATH RESULT "TEXT"
 * USEC: CLOCK_MONOTONIC; PID: the process (thread group), 0 for the simulated kernel itself; OP:
 * write or event; RESULT: 0 or the name of an errno; TEXT as by g_strescape(). A line is whole, and
 * in the file, when the call returns. */
typedef struct SimLog SimLog;

typedef struct {
  gint64 now_usec;
  pid_t pid;
  const char *op;
  const char *path;
  int error; /* 0 or an errno */
  const char *text;
} SimLogEntry;

/* Appends to the file. NULL with @error where it can't be opened. */
SimLog *sim_log_open(const char *path, GError **error);
void sim_log_free(SimLog *log);
/* Not thread-safe: the caller has a lock. */
void sim_log_add(SimLog *log, const SimLogEntry *entry);

/* Transfer full: the entry's line, with its newline. */
char *sim_log_line(const SimLogEntry *entry);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SimLog, sim_log_free)
