/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/residency-window.h"
#include "residency/residency-source.h"

/* What a source that reads counters in user space keeps of each CPU that it watches: the window and
 * the latest sample. */
typedef struct {
  guint cpu;
  EppdResidencyWindow window;
  bool has_sample;
  guint busy_permille;
  gint64 sample_usec;
} EppdWatchedCpu;

/* A GArray of EppdWatchedCpu, in the order of @cpus. Owned by the caller. */
GArray *eppd_watched_cpus_new(const EppdCpuList *cpus);

/* The index of @cpu; false, and @index untouched, if it is not watched. */
bool eppd_watched_cpus_find(const GArray *watched, guint cpu, guint *index);

/* The latest sample of @cpu; false, and the results untouched, if there is none. */
bool eppd_watched_cpus_get_sample(const GArray *watched,
                                  guint cpu,
                                  guint *busy_permille,
                                  gint64 *when_usec);

/* Adds a reading of the counters. True if it made a new sample. */
bool eppd_watched_cpu_add(
    EppdWatchedCpu *watched, guint64 mperf, guint64 tsc, gint64 when_usec, gint64 max_window_usec);

/* Hands out the latest sample, which there is. */
void eppd_watched_cpu_hand_out(const EppdWatchedCpu *watched,
                               EppdResidencySampleFunc func,
                               gpointer data);

/* Sets the latest sample, where it does not come from the window. */
void eppd_watched_cpu_set_sample(EppdWatchedCpu *watched, guint busy_permille, gint64 when_usec);
