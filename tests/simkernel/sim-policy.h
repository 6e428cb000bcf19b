/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "sim-cpu.h"

/* cpufreq: the policies, their common files, and the driver that they are of. */
typedef struct SimCpufreq SimCpufreq;

/* What the drivers see of a policy. */
typedef struct {
  SimCpufreq *cpufreq;
  guint number;    /* of its directory: the CPU that made it */
  guint first_cpu; /* its CPUs, online or not */
  guint n_cpus;
  guint n_online;
  const char *governor; /* static */
  bool core_boost;
  guint min_request_khz; /* what was written last */
  guint max_request_khz;
  gpointer driver_data; /* by g_malloc(); freed after exit() */
  GPtrArray *files;     /* the file's own */
} SimPolicy;

/* A file of each policy. Where no CPU of it is online it is EBUSY, whatever the functions say. */
typedef struct {
  const char *name;
  int (*show)(const SimPolicy *policy, GString *text);
  int (*store)(SimPolicy *policy, const char *text); /* NULL: read-only */
} SimPolicyFile;

typedef struct {
  const char *name; /* scaling_driver */
  /* It knows only performance and powersave, by itself. Else the kernel's governors work. */
  bool sets_policy;
  bool has_core_boost;
  guint min_khz;
  guint max_khz;
  guint nominal_khz;     /* the highest without core boost */
  guint default_min_khz; /* scaling_min_freq while nothing was written into it */
  /* Besides the common ones; the last one's name is NULL. The second may be NULL. */
  const SimPolicyFile *files;
  const SimPolicyFile *more_files;
  /* A policy comes, into driver_data, and goes. May be NULL, as all of these. */
  void (*init)(SimPolicy *policy, gpointer data);
  void (*exit)(SimPolicy *policy, gpointer data);
  /* Before it becomes @governor, or an errno and it does not. */
  int (*set_governor)(SimPolicy *policy, const char *governor, gpointer data);
} SimPolicyDriver;

/* Borrows both, which must outlive it. */
SimCpufreq *sim_cpufreq_new(SimTree *tree, SimCpus *cpus, guint cpus_per_policy);
/* After the tree no longer has its files. */
void sim_cpufreq_free(SimCpufreq *cpufreq);

/* Makes a policy of each group of CPUs of which one is online. @driver must outlive it; NULL: there
 * is no driver any more. What was there goes before, so that what is open of it is dead. */
void sim_cpufreq_set_driver(SimCpufreq *cpufreq, const SimPolicyDriver *driver, gpointer data);

void sim_cpufreq_cpu_changed(SimCpufreq *cpufreq, guint cpu, bool online);

/* Borrowed; NULL where there is no such directory. */
SimPolicy *sim_cpufreq_policy(const SimCpufreq *cpufreq, guint number);
void sim_cpufreq_foreach(SimCpufreq *cpufreq,
                         void (*function)(SimPolicy *policy, gpointer data),
                         gpointer data);
bool sim_policy_is_performance(const SimPolicy *policy);
const SimPolicyDriver *sim_policy_driver(const SimPolicy *policy);
