/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* What the governor performance leaves behind in one policy: while it rules the EPP file reads as
 * it wants it, and when it goes the kernel keeps its EPP, which is then nobody's choice. Plain: a
 * zeroed one has seen nothing. */
typedef struct {
  bool was_performance; /* at the last look */
  bool has_left;        /* it was and no longer is, and EPP is as it left it */
  bool left_in_boost;   /* …and that was during a boost, whose end is to clean it up */
} EppdGovernorTrail;

/* A look at the governor. */
void eppd_governor_trail_look(EppdGovernorTrail *trail, bool is_performance);
/* The governor was written, and is this at the last look: it may have been performance for a moment
 * between two looks. */
void eppd_governor_trail_note_write(EppdGovernorTrail *trail, bool is_performance);

/* Whether its EPP is to be cleaned up now; told once. While @boosted that waits for the boost's
 * end. */
bool eppd_governor_trail_take(EppdGovernorTrail *trail, bool boosted);

/* EPP is written next, whatever it is. */
void eppd_governor_trail_forget_left(EppdGovernorTrail *trail);
/* A boost ended. */
void eppd_governor_trail_forget_boost(EppdGovernorTrail *trail);
