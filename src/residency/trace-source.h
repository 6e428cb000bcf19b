/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "residency/residency-source.h"

/* Replays a recording: lines «usec cpu mperf tsc», '#' comments, in the order of time. In real time
 * the first line is taken as the time of arming; in virtual time the trace's own times are the
 * clock, and it runs as fast as it is dispatched (eppd_residency_source_advance()). The virtual
 * clock stands at the first line's time when the source is armed; the now_usec of arm() is not
 * looked at then.
 *
 * The readings become samples as they do on a tick of 4 ms (HZ=250): a reading that comes sooner
 * after the last window than the sample period less half a tick waits for the next; a window longer
 * than two periods (of at least a tick) only sets a new baseline. Each reading counts as one of
 * dispatch's max_samples. Lines of CPUs that are not watched are passed over, as if they were not
 * there. A line that makes no sense, a CPU number past EPPD_CPU_MAX - 1 or a time before the line
 * above is skipped, and said with file and line (the first ten of a trace, once each). After its
 * end the trace is silent; armed again, it starts again. The file is read as it is needed. */
EppdResidencySource *eppd_trace_source_new(const char *path, bool virtual_time);

/* The assumed tick. */
#define EPPD_TRACE_TICK_USEC 4000
