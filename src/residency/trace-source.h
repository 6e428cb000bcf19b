/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "residency/residency-source.h"

/* Replays a recording, a regular file of the lines of trace-reading.h. In real time the first line
 * is taken as the time of arming; in virtual time the trace's own times are the clock, and it runs
 * as fast as it is dispatched (eppd_residency_source_advance()). The virtual clock stands at the
 * first line's time when the source is armed; the now_usec of arm() is not looked at then.
 *
 * The readings become samples as they do on a tick of 4 ms (HZ=250), see eppd_trace_reading_add().
 * Each reading counts as one of dispatch's max_samples. Lines of CPUs that are not watched are
 * passed over, as if they were not there; those that make no sense are skipped and said. After its
 * end the trace is silent; armed again, it starts again. The file is read as it is needed. */
EppdResidencySource *eppd_trace_source_new(const char *path, bool virtual_time);
