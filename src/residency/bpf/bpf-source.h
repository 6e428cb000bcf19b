/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "residency/residency-source.h"

/* Samples on the CPU itself, in its own timer tick: no IPI, no wake-up of an idle CPU, user space
 * woken on edges only. With MPERF: counters read locally, ticks alone. Without: the time not idle,
 * from ticks and cpu_idle. */

typedef enum {
  EPPD_BPF_AUTO,  /* MPERF where the msr PMU has it, else idle time */
  EPPD_BPF_MPERF, /* counters only */
  EPPD_BPF_IDLE,  /* idle time only */
} EppdBpfVariant;

/* @mperf_event: the msr PMU's event that stands for MPERF; NULL for "mperf". Tests and benches name
 * "tsc" where the machine has no MPERF: every sample is then 999 or 1000 permille. */
EppdResidencySource *eppd_bpf_source_new(EppdBpfVariant variant, const char *mperf_event);
