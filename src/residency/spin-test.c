/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/spin-test.h"

#include "base/error.h"
#include "base/text-file.h"

#include <errno.h>
#include <sched.h>

#define LIMIT_USEC         (2 * G_USEC_PER_SEC)
#define SAMPLE_USEC        10000
#define PLAUSIBLE_PERMILLE 500
#define SAMPLES_A_DISPATCH 16

#define CPU_SET_SIZE CPU_ALLOC_SIZE(EPPD_CPU_MAX)

typedef struct {
  EppdSpinResult result;
  guint n_busy;
} Spin;

void
eppd_spin_test_tickless_cpus(EppdCpuList *cpus)
{
  g_autofree char *text = eppd_text_file_read("/sys/devices/system/cpu/nohz_full", NULL);

  /* The file is missing without CONFIG_NO_HZ_FULL, and empty or "(null)" without the option. */
  *cpus = (EppdCpuList){0};
  if (text)
    eppd_cpu_list_parse(text, cpus);
}

/* The first CPU of @allowed that has a tick, or else the first. */
static gboolean
choose_cpu(const cpu_set_t *allowed, guint *cpu, GError **error)
{
  g_auto(EppdCpuList) tickless = {0};
  bool found = false;

  eppd_spin_test_tickless_cpus(&tickless);
  for (guint i = 0; i < EPPD_CPU_MAX; i++) {
    bool has_tick = !eppd_cpu_list_contains(&tickless, i);

    if (!CPU_ISSET_S(i, CPU_SET_SIZE, allowed) || (found && !has_tick))
      continue;
    *cpu = i;
    found = true;
    if (has_tick)
      return TRUE;
  }
  if (!found)
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_FAILED, "no CPU to run on");
  return found;
}

static gboolean
pin(guint cpu, GError **error)
{
  g_autofree cpu_set_t *set = g_malloc0(CPU_SET_SIZE);

  CPU_SET_S(cpu, CPU_SET_SIZE, set);
  if (sched_setaffinity(0, CPU_SET_SIZE, set) != 0)
    return eppd_error_set_errno(error, errno, "Could not run on CPU %u", cpu);
  return TRUE;
}

static void
count_sample(const EppdResidencySample *sample, gpointer data)
{
  Spin *spin = data;

  if (sample->cpu != spin->result.cpu)
    return;
  spin->result.n_samples++;
  spin->result.max_permille = MAX(spin->result.max_permille, sample->busy_permille);
  if (sample->busy_permille >= PLAUSIBLE_PERMILLE)
    spin->n_busy++;
}

/* Asking the source again and again is the load. */
static gboolean
spin_armed(EppdResidencySource *source, guint n_samples, Spin *spin, GError **error)
{
  gint64 now_usec = g_get_monotonic_time();
  gint64 limit_usec = now_usec + LIMIT_USEC;

  while (spin->n_busy < n_samples && now_usec < limit_usec) {
    eppd_residency_source_dispatch(source, now_usec, SAMPLES_A_DISPATCH, count_sample, spin);
    now_usec = g_get_monotonic_time();
  }
  if (spin->n_busy >= n_samples)
    return TRUE;

  if (spin->result.n_samples == 0)
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_FAILED, "a busy CPU gave no sample in %d s",
                (int)(LIMIT_USEC / G_USEC_PER_SEC));
  else
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_FAILED,
                "a busy CPU gave %u samples and was at most %u %% busy by them",
                spin->result.n_samples, spin->result.max_permille / 10);
  return FALSE;
}

static gboolean
arm_and_spin(EppdResidencySource *source, guint n_samples, Spin *spin, GError **error)
{
  EppdResidencyConfig config = {
      .cpus = {.cpus = &spin->result.cpu, .n_cpus = 1},
      .threshold_permille = 1,
      .sample_usec = SAMPLE_USEC,
  };
  gboolean ok;

  if (!eppd_residency_source_arm(source, &config, g_get_monotonic_time(), error))
    return FALSE;
  spin->result.armed = true;
  ok = spin_armed(source, n_samples, spin, error);
  eppd_residency_source_disarm(source);
  return ok;
}

gboolean
eppd_spin_test(EppdResidencySource *source, guint n_samples, EppdSpinResult *result, GError **error)
{
  g_autofree cpu_set_t *allowed = g_malloc0(CPU_SET_SIZE);
  Spin spin = {0};
  gboolean ok;

  if (sched_getaffinity(0, CPU_SET_SIZE, allowed) != 0)
    return eppd_error_set_errno(error, errno, "Could not ask for the CPUs to run on");
  if (!choose_cpu(allowed, &spin.result.cpu, error) || !pin(spin.result.cpu, error))
    return FALSE;

  ok = arm_and_spin(source, n_samples, &spin, error);
  if (result)
    *result = spin.result;
  sched_setaffinity(0, CPU_SET_SIZE, allowed);
  return ok;
}
