/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* What a write of EPP takes on this machine: the fastest of the last ones, since a slower one may
 * have been preempted, so that a driver which became slow is told too. Plain: a zeroed one knows
 * nothing. */

/* So many writes are looked back on… */
#define EPPD_WRITE_COST_WINDOW 16
/* …and so many are needed to say anything. */
#define EPPD_WRITE_COST_MIN_WRITES 3
/* No decision and no text knows less than this. */
#define EPPD_WRITE_COST_STEP_USEC 100

typedef struct {
  gint64 taken_usec[EPPD_WRITE_COST_WINDOW]; /* ring of the latest */
  guint next;
  guint n; /* how many of these there are */
  gint64 judged_usec;
} EppdWriteCost;

/* A write took @taken_usec. */
void eppd_write_cost_note(EppdWriteCost *cost, gint64 taken_usec);
/* The fastest of the last writes; 0: none was timed. To be shown. */
gint64 eppd_write_cost_fastest_usec(const EppdWriteCost *cost);
/* What to reckon with, in whole steps, up; 0: not known. Each news of it is followed by a look at
 * the whole machine: a faster write is believed at once, slower ones once they all take more than
 * twice as long. */
gint64 eppd_write_cost_usec(const EppdWriteCost *cost);
void eppd_write_cost_forget(EppdWriteCost *cost);
