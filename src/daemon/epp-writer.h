/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/statistics.h"
#include "hardware/cpufreq-policy.h"
#include "policy/policy-state.h"
#include "policy/readbacks.h"

/* Carries out what a policy's state asks for: writes its EPP file, counts and times that, and reads
 * back once what is not known yet. The journal around it is the caller's. */
typedef struct {
  EppdCpufreqPolicy *hardware; /* borrowed, as is what follows */
  EppdStatistics *statistics;
  EppdReadbacks readbacks; /* of this driver */
} EppdEppWriter;

/* Writes what @step (BOOST, BASE or DYNAMIC) says over @found, and tells @state what became of it.
 */
gboolean eppd_epp_writer_carry_out(EppdEppWriter *writer,
                                   EppdPolicyState *state,
                                   const EppdStep *step,
                                   const EppdEpp *found,
                                   GError **error);
