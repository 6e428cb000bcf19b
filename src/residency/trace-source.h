/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "residency/residency-source.h"

/* Replays a recording: lines «usec cpu mperf tsc», '#' comments, in the order of time. In real time
 * the first line is taken as now; in virtual time the trace's own times are the clock, and it runs
 * as fast as it is dispatched. */
EppdResidencySource *eppd_trace_source_new(const char *path, bool virtual_time);
