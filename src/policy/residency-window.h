/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* C0 residency of one CPU from two free-running counters: MPERF counts only while the CPU is in C0,
 * TSC always, both at the same rate, so that ΔMPERF/ΔTSC is the share of time in C0 (turbostat's
 * Busy%). Any pair that has this property will do (busy time and wall time). */

typedef struct {
  bool has_baseline;
  guint64 mperf;
  guint64 tsc;
  gint64 when_usec;
} EppdResidencyWindow;

typedef enum {
  EPPD_WINDOW_SAMPLE,    /* @busy_permille is set */
  EPPD_WINDOW_BASELINE,  /* the first reading */
  EPPD_WINDOW_STALLED,   /* MPERF or TSC did not move: no sample (as the kernel's RFC has it),
                            baseline kept */
  EPPD_WINDOW_BACKWARDS, /* a counter or the clock went back: the reading is the new baseline */
  EPPD_WINDOW_GAP, /* longer than @max_window_usec: the window tells of the past; new baseline */
} EppdWindowResult;

/* Adds a reading. @max_window_usec: a longer window is a GAP. Counters wrap at 2^64 and a wrap is
 * no going back (a difference, modulo 2^64, below 2^63 is forward). @busy_permille: 0..1000 (MPERF
 * may overtake TSC by a little: capped), set for SAMPLE only. */
EppdWindowResult eppd_residency_window_add(EppdResidencyWindow *window,
                                           guint64 mperf,
                                           guint64 tsc,
                                           gint64 when_usec,
                                           gint64 max_window_usec,
                                           guint *busy_permille);

/* Forgets the baseline: after arming, online and resume. */
void eppd_residency_window_reset(EppdResidencyWindow *window);
