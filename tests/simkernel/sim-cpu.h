/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "sim-tree.h"

/* The CPUs below /sys/devices/system/cpu: their lists, their hotplug, topology, energy_perf_bias,
 * and /proc/cpuinfo. */
typedef struct SimCpus SimCpus;

#define SIM_CPU_DIR "/sys/devices/system/cpu"

typedef struct {
  guint n_cpus;
  const char *vendor; /* of /proc/cpuinfo; static */
  const char *flags;  /* likewise */
  bool has_epb;
} SimCpusOptions;

/* When a CPU has come or is about to go; before the uevent. */
typedef void (*SimCpusChanged)(guint cpu, bool online, gpointer data);

SimCpus *sim_cpus_new(SimTree *tree, const SimCpusOptions *options);
/* After the tree no longer has their files. */
void sim_cpus_free(SimCpus *cpus);
void sim_cpus_set_changed(SimCpus *cpus, SimCpusChanged changed, gpointer data);

guint sim_cpus_count(const SimCpus *cpus);
bool sim_cpus_is_online(const SimCpus *cpus, guint cpu);

/* As a write to cpuN/online: 0 too where it is so already; EINVAL: no such CPU, or CPU 0, which
 * stays; EBUSY: suspended. */
int sim_cpus_set_online(SimCpus *cpus, guint cpu, bool online);

/* All CPUs but 0 go, without uevents, and resume brings those back that were there. EBUSY: it is so
 * already. */
int sim_cpus_suspend(SimCpus *cpus);
int sim_cpus_resume(SimCpus *cpus);
