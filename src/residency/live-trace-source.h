/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "residency/residency-source.h"

/* Reads a FIFO as it is written: the lines of trace-reading.h, usec being CLOCK_MONOTONIC. What is
 * older than the arming is skipped, what comes up to the first end of a line (it may be half a
 * line), and what is more than a second ahead of the clock. It has a descriptor to poll, so nothing
 * wakes it while nobody writes; a writer that goes is no end. A line counts as one of dispatch's
 * max_samples. Between arms the FIFO is not open. Readings become samples as they do for a
 * recording. */
EppdResidencySource *eppd_live_trace_source_new(const char *path);

/* Whether @path is a FIFO now. */
bool eppd_live_trace_source_is_for(const char *path);
