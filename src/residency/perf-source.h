/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "residency/residency-source.h"

/* User space reads the msr PMU: a group {mperf, tsc} a CPU. A remote read wakes an idle CPU, so
 * only CPUs that /proc/stat showed active over the last 100 ms are read: onset → edge ≤ about 110
 * ms. */
EppdResidencySource *eppd_perf_source_new(void);
