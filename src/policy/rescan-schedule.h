/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* When to look for policies again. Hotplug comes in storms, an event a CPU: they share a look, once
 * it is quiet. One that takes long, since there are many CPUs, is followed by as many times as long
 * without: a storm, which takes the longer the more CPUs there are, does not cost the more looks
 * for that. Plain: of a zeroed one nothing is due. */
#define EPPD_RESCAN_QUIET_USEC     (20 * 1000)
#define EPPD_RESCAN_STORM_MAX_USEC (1 * G_USEC_PER_SEC)
#define EPPD_RESCAN_RESTS_A_LOOK   9
#define EPPD_RESCAN_REST_MAX_USEC  (1 * G_USEC_PER_SEC)

typedef struct {
  bool is_due;        /* policies may have come, gone or changed their driver… */
  gint64 storm_usec;  /* …since when that is known, if by hotplug */
  gint64 at_usec;     /* …and are not looked for before this */
  gint64 rested_usec; /* when the rest after the longest look is over */
} EppdRescanSchedule;

/* A CPU came or went. */
void eppd_rescan_schedule_hotplug(EppdRescanSchedule *schedule, gint64 now_usec);
/* Due for another reason; one that waits for a storm to pass still does. */
void eppd_rescan_schedule_need(EppdRescanSchedule *schedule);
/* Somebody is waiting: what is due, or will be, waits for no storm to pass. */
void eppd_rescan_schedule_hurry(EppdRescanSchedule *schedule);
/* Policies were looked for. */
void eppd_rescan_schedule_done(EppdRescanSchedule *schedule);
/* A look at the machine took from @start_usec to @end_usec. */
void eppd_rescan_schedule_rest(EppdRescanSchedule *schedule, gint64 start_usec, gint64 end_usec);

bool eppd_rescan_schedule_is_ready(const EppdRescanSchedule *schedule, gint64 now_usec);
/* When it is ready; -1: nothing is due. */
gint64 eppd_rescan_schedule_next_usec(const EppdRescanSchedule *schedule);
