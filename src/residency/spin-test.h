/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "residency/residency-source.h"

/* Where a spin was made, and what came of it. */
typedef struct {
  bool armed; /* else the source refused */
  guint cpu;
  guint n_samples;
  guint max_permille;
} EppdSpinResult;

/* The common part of the sources' self-tests: arms @source for one CPU that the calling thread may
 * run on (one with a tick, if it may choose), pins the thread there, spins until @n_samples samples
 * said that the CPU was at least half busy, or two seconds have passed, and puts back what it
 * changed. @result (set on failure too) may be NULL. Errors: the source's own from arming;
 * EPPD_ERROR_FAILED where the samples did not come. */
gboolean eppd_spin_test(EppdResidencySource *source,
                        guint n_samples,
                        EppdSpinResult *result,
                        GError **error);

/* The CPUs that the kernel was told to keep without a tick (nohz_full=); the empty set for none. */
void eppd_spin_test_tickless_cpus(EppdCpuList *cpus);
