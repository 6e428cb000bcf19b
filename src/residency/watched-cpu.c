/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/watched-cpu.h"

GArray *
eppd_watched_cpus_new(const EppdCpuList *cpus)
{
  GArray *watched = g_array_sized_new(FALSE, TRUE, sizeof(EppdWatchedCpu), cpus->n_cpus);

  g_array_set_size(watched, cpus->n_cpus);
  for (guint i = 0; i < cpus->n_cpus; i++)
    g_array_index(watched, EppdWatchedCpu, i).cpu = cpus->cpus[i];
  return watched;
}

static int
compare_cpus(gconstpointer a, gconstpointer b)
{
  guint cpu_a = ((const EppdWatchedCpu *)a)->cpu;
  guint cpu_b = ((const EppdWatchedCpu *)b)->cpu;

  return (cpu_a > cpu_b) - (cpu_a < cpu_b);
}

bool
eppd_watched_cpus_find(const GArray *watched, guint cpu, guint *index)
{
  EppdWatchedCpu wanted = {.cpu = cpu};

  /* The array is read only; GLib has no const here. */
  return g_array_binary_search((GArray *)watched, &wanted, compare_cpus, index);
}

bool
eppd_watched_cpus_get_sample(const GArray *watched,
                             guint cpu,
                             guint *busy_permille,
                             gint64 *when_usec)
{
  const EppdWatchedCpu *entry;
  guint index;

  if (!eppd_watched_cpus_find(watched, cpu, &index))
    return false;
  entry = &g_array_index(watched, EppdWatchedCpu, index);
  if (!entry->has_sample)
    return false;
  *busy_permille = entry->busy_permille;
  *when_usec = entry->sample_usec;
  return true;
}

void
eppd_watched_cpu_set_sample(EppdWatchedCpu *watched, guint busy_permille, gint64 when_usec)
{
  watched->has_sample = true;
  watched->busy_permille = busy_permille;
  watched->sample_usec = when_usec;
}

bool
eppd_watched_cpu_add(
    EppdWatchedCpu *watched, guint64 mperf, guint64 tsc, gint64 when_usec, gint64 max_window_usec)
{
  guint busy_permille;

  if (eppd_residency_window_add(&watched->window, mperf, tsc, when_usec, max_window_usec,
                                &busy_permille) != EPPD_WINDOW_SAMPLE)
    return false;
  eppd_watched_cpu_set_sample(watched, busy_permille, when_usec);
  return true;
}

void
eppd_watched_cpu_hand_out(const EppdWatchedCpu *watched,
                          EppdResidencySampleFunc func,
                          gpointer data)
{
  const EppdResidencySample sample = {
      .cpu = watched->cpu,
      .busy_permille = watched->busy_permille,
      .when_usec = watched->sample_usec,
  };

  func(&sample, data);
}
