/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "residency/residency-source.h"

/* User space reads the msr PMU: a group {mperf, tsc} a CPU. A remote read wakes an idle CPU, so
 * only CPUs that /proc/stat showed active over the last 100 ms are read: onset → edge ≤ about 110
 * ms. A CPU that is offline when the source is armed stays out until it is armed again. */
EppdResidencySource *eppd_perf_source_new(void);

/* The same with another event of the msr PMU in the place of MPERF. Tests and benches name "tsc"
 * where the machine has no MPERF: every sample is then 999 or 1000 permille. */
EppdResidencySource *eppd_perf_source_new_with_event(const char *mperf_event);
