/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The boost of one CPU: samples and time in, busy and idle edges out. The algorithm is the kernel's
 * epp_boost RFC (busy ≥ threshold sets last_busy; active while now − last_busy < hold), but for the
 * release of a CPU that sleeps: here by the clock, there when the CPU next runs. */

typedef struct {
  guint threshold_permille; /* of the core: busy from here on; 500 in the RFC */
  gint64 hold_usec;         /* 300 ms in the RFC; below 1 counts as 1 */
} EppdBoostParams;

typedef struct {
  gint64 last_busy_usec; /* meaningful while boosted */
  bool boosted;
  /* The last sample, for status: */
  bool has_sample;
  guint busy_permille;
  gint64 sample_usec;
} EppdBoostState;

typedef enum {
  EPPD_EDGE_NONE,
  EPPD_EDGE_BUSY, /* boost now */
  EPPD_EDGE_IDLE, /* back to the base now */
} EppdEdge;

/* A sample of @busy_permille taken at @when_usec (monotonic). It may itself be the moment when the
 * hold has passed: IDLE. A clock that went back counts as no time passed. */
EppdEdge eppd_boost_state_sample(EppdBoostState *state,
                                 const EppdBoostParams *params,
                                 guint busy_permille,
                                 gint64 when_usec);

/* The CPU was seen busy at @when_usec, by whatever else than its core's own sample. */
EppdEdge eppd_boost_state_busy(EppdBoostState *state, gint64 when_usec);

/* Says that the CPU was seen busy at @when_usec, without an edge: what a source that looks for
 * itself saw since. Older news is ignored. */
void eppd_boost_state_note_busy(EppdBoostState *state, gint64 when_usec);

/* Lets time pass: IDLE once the hold has passed since the last busy sample. A clock that went back
 * by a hold or more restarts the hold at @now_usec, so that it always ends: at most two holds after
 * the last busy sample. */
EppdEdge eppd_boost_state_expire(EppdBoostState *state,
                                 const EppdBoostParams *params,
                                 gint64 now_usec);

/* Whether expire() would do anything at @now_usec; not again for the same @now_usec after it did.
 */
bool eppd_boost_state_is_due(const EppdBoostState *state,
                             const EppdBoostParams *params,
                             gint64 now_usec);

/* When expire() is next due; -1 while not boosted. */
gint64 eppd_boost_state_deadline_usec(const EppdBoostState *state, const EppdBoostParams *params);

/* Disarm, offline: IDLE if it was boosted. Forgets everything. */
EppdEdge eppd_boost_state_reset(EppdBoostState *state);
