/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "sim-policy.h"

/* The driver intel_pstate on a machine with HWP and its EPP. */
typedef struct SimIntelPstate SimIntelPstate;

/* Borrows both, which must outlive it. NULL: there is no such @mode. */
SimIntelPstate *sim_intel_pstate_new(SimTree *tree, SimCpufreq *cpufreq, const char *mode);
/* After the tree no longer has its files, and cpufreq its policies. */
void sim_intel_pstate_free(SimIntelPstate *pstate);

/* As a write to status: 0 or an errno. */
int sim_intel_pstate_set_mode(SimIntelPstate *pstate, const char *mode);
/* Every EPP at performance, by itself. */
void sim_intel_pstate_lose_epp(SimIntelPstate *pstate);
