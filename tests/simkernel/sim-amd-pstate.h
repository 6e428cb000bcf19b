/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "sim-machine.h"
#include "sim-platform-profile.h"
#include "sim-policy.h"
#include "sim-power-supply.h"

/* The driver amd-pstate in each of its modes, with what its EPP files do in the kernels named. */
typedef struct SimAmdPstate SimAmdPstate;

/* Borrows all of them, which must outlive it. NULL: there is no such @mode. */
SimAmdPstate *sim_amd_pstate_new(SimTree *tree,
                                 SimCpufreq *cpufreq,
                                 SimPlatform *platform,
                                 const SimSupplies *supplies,
                                 SimKernelVersion kernel,
                                 const char *mode);
/* After the tree no longer has its files, and cpufreq its policies. */
void sim_amd_pstate_free(SimAmdPstate *pstate);

/* As a write to status: 0 or an errno. */
int sim_amd_pstate_set_mode(SimAmdPstate *pstate, const char *mode);
/* As a write of "dynamic" to a policy's EPP file; ENODEV: no such policy, or another mode. */
int sim_amd_pstate_enter_dynamic(SimAmdPstate *pstate, guint policy);

void sim_amd_pstate_power_changed(SimAmdPstate *pstate);
void sim_amd_pstate_suspend(SimAmdPstate *pstate);
/* @epp_performance: the bug of 6.15–6.16. */
void sim_amd_pstate_resume(SimAmdPstate *pstate, bool epp_performance);

/* Of @policy, EPP as the hardware has it: by itself, with no name written. ENODEV as above. */
int sim_amd_pstate_set_epp(SimAmdPstate *pstate, guint policy, guint8 epp);
/* Requests that went to the hardware of @policy since it is there. */
guint sim_amd_pstate_requests(const SimAmdPstate *pstate, guint policy);
