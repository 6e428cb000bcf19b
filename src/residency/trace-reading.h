/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "residency/watched-cpu.h"

/* What recordings and live traces are made of: lines «usec cpu mperf tsc», '#' comments, in the
 * order of time. */

/* The assumed tick (HZ=250). */
#define EPPD_TRACE_TICK_USEC 4000

/* A longer line makes no sense. */
#define EPPD_TRACE_LINE_MAX 200

typedef struct {
  gint64 usec; /* 0..G_MAXINT64 / 4: far from any overflow when another time is added */
  guint cpu;   /* below EPPD_CPU_MAX */
  guint64 mperf;
  guint64 tsc;
} EppdTraceReading;

/* Where a reader of lines is. A line that makes no sense is said with file and line: the first ten,
 * and each once, also where the file is read again from its start. */
typedef struct {
  const char *path; /* borrowed */
  guint line;       /* that was read last */
  gint64 last_usec;
  guint n_complaints;
  guint complained_line; /* lines up to here have had theirs, in an earlier round too */
} EppdTraceLines;

/* Back at the start of the file. */
void eppd_trace_lines_rewind(EppdTraceLines *lines);

/* Takes the next line, @text without its end, which is changed; NULL: one that is too long or
 * binary. True with the @reading that it has, else (a comment, a blank line, one that makes no
 * sense or goes back in time) @reading is untouched. */
bool eppd_trace_lines_take(EppdTraceLines *lines, char *text, EppdTraceReading *reading);

/* Says that the line taken last is ignored, since it is @what. */
void eppd_trace_lines_complain(EppdTraceLines *lines, const char *what);

/* Adds a reading, of @when_usec by the source's clock, to its CPU's window as a tick would: one
 * that comes sooner after the last window than the period less half a tick waits for the next; a
 * window longer than two periods (of at least a tick) only sets a new baseline. True with a copy of
 * the CPU in @sampled if it made a sample; not where nobody watches that CPU. */
bool eppd_trace_reading_add(const EppdTraceReading *reading,
                            gint64 when_usec,
                            gint64 sample_usec,
                            GArray *watched,
                            EppdWatchedCpu *sampled);
