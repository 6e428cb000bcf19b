/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/rescan-schedule.h"

void
eppd_rescan_schedule_hotplug(EppdRescanSchedule *schedule, gint64 now_usec)
{
  if (!schedule->is_due)
    schedule->storm_usec = now_usec;
  schedule->is_due = true;
  schedule->at_usec =
      MAX(MIN(now_usec + EPPD_RESCAN_QUIET_USEC, schedule->storm_usec + EPPD_RESCAN_STORM_MAX_USEC),
          schedule->rested_usec);
}

void
eppd_rescan_schedule_need(EppdRescanSchedule *schedule)
{
  schedule->is_due = true;
}

void
eppd_rescan_schedule_hurry(EppdRescanSchedule *schedule)
{
  schedule->at_usec = 0;
}

void
eppd_rescan_schedule_done(EppdRescanSchedule *schedule)
{
  schedule->is_due = false;
}

void
eppd_rescan_schedule_rest(EppdRescanSchedule *schedule, gint64 start_usec, gint64 end_usec)
{
  gint64 rest_usec =
      MIN(EPPD_RESCAN_RESTS_A_LOOK * (end_usec - start_usec), EPPD_RESCAN_REST_MAX_USEC);

  schedule->rested_usec = MAX(schedule->rested_usec, end_usec + rest_usec);
}

bool
eppd_rescan_schedule_is_ready(const EppdRescanSchedule *schedule, gint64 now_usec)
{
  return schedule->is_due && now_usec >= schedule->at_usec;
}

gint64
eppd_rescan_schedule_next_usec(const EppdRescanSchedule *schedule)
{
  return schedule->is_due ? schedule->at_usec : -1;
}
