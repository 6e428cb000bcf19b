/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Which accesses to which files go wrong, and how. Pure: a table of
 *   GLOB [read|write|open] [errno=NAME] [delay-ms=N] [short=N] [empty] [vanish] [count=N]
 * [probability=P] GLOB: of the whole path, links followed; * (also for a /) and ?. Without an
 * operation: any of the three. errno: fails with it. short: N bytes are read, as if there were no
 * more, or written. empty: nothing is read. delay-ms: takes that long before anything else. vanish:
 * there is no such file, nor what is below it, as long as the fault stands (alone: no operation,
 * count or probability with it). count: that many times, then no more. probability: 0 to 1 of the
 * accesses, by the generator seeded. */
typedef struct SimFaults SimFaults;

typedef enum {
  SIM_FAULT_READ = 1 << 0,
  SIM_FAULT_WRITE = 1 << 1,
  SIM_FAULT_OPEN = 1 << 2,
} SimFaultOps;

typedef struct {
  int error;      /* 0 or an errno */
  guint delay_ms; /* before */
  gint64 limit;   /* bytes; -1: all */
} SimFaultEffect;

SimFaults *sim_faults_new(guint32 seed);
void sim_faults_free(SimFaults *faults);
/* What is behind "fault ": a row of the table, or «clear [GLOB]»: all, or those of just that GLOB.
 * False with @error (transfer full) where it makes no sense. */
bool sim_faults_command(SimFaults *faults, const char *command, char **error);
/* So that nothing need be known of an access while there is none. */
bool sim_faults_are_any(const SimFaults *faults);
/* An access to @path: the effects of the first row (in the order of their commands) that applies to
 * it; the access counts. Nothing goes wrong: false, and @effect untouched. */
bool sim_faults_apply(SimFaults *faults, SimFaultOps op, const char *path, SimFaultEffect *effect);
/* How many accesses effects were given for, since the start. */
guint64 sim_faults_n_met(const SimFaults *faults);
/* By a vanish fault, of @path or a directory above it. */
bool sim_faults_is_vanished(const SimFaults *faults, const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SimFaults, sim_faults_free)
