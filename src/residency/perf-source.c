/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/perf-source.h"

#include "base/error.h"
#include "base/log.h"
#include "residency/cpu-times.h"
#include "residency/msr-event.h"
#include "residency/spin-test.h"
#include "residency/watched-cpu.h"

#include <unistd.h>

/* Ten of /proc/stat's units: below that, activity is not seen reliably. */
#define GATE_USEC 100000
/* A shorter gap is but a late wake-up of ours. */
#define MIN_GAP_USEC 20000

/* What there is of a CPU besides its EppdWatchedCpu; -1: not open. */
typedef struct {
  int mperf_fd;
  int tsc_fd;
  bool has_ticks;
  guint64 busy_ticks;
  bool active;
} PerfCpu;

typedef struct {
  EppdResidencySource base;
  char *mperf_event;
  int stat_fd; /* -1: not armed */
  gint64 sample_usec;
  GArray *watched; /* of EppdWatchedCpu */
  GArray *cpus;    /* of PerfCpu, at the same index */
  guint n_active;
  gint64 next_gate_usec;
  gint64 next_sample_usec;
  guint cursor; /* the next CPU of a round that max_samples cut short */
  bool failing; /* said once */
} PerfSource;

static gboolean
find_events(const PerfSource *self, EppdMsrEvent *mperf, EppdMsrEvent *tsc, GError **error)
{
  g_autoptr(GError) local_error = NULL;

  if (!eppd_msr_event_find(self->mperf_event, mperf, &local_error)) {
    g_set_error(error, EPPD_ERROR, local_error->code, "no MPERF here (%s)", local_error->message);
    return FALSE;
  }
  return eppd_msr_event_find("tsc", tsc, error);
}

static gboolean
perf_self_test(EppdResidencySource *source, char **detail, GError **error)
{
  if (!eppd_spin_test(source, 3, NULL, error))
    return FALSE;
  *detail = g_strdup_printf("MPERF of the CPUs that /proc/stat shows active, within %d ms",
                            GATE_USEC / 1000 + 10);
  return TRUE;
}

static void
perf_disarm(EppdResidencySource *source)
{
  PerfSource *self = (PerfSource *)source;

  for (guint i = 0; i < self->cpus->len; i++) {
    PerfCpu *cpu = &g_array_index(self->cpus, PerfCpu, i);

    if (cpu->tsc_fd >= 0)
      close(cpu->tsc_fd);
    if (cpu->mperf_fd >= 0)
      close(cpu->mperf_fd);
  }
  g_array_set_size(self->cpus, 0);
  g_array_set_size(self->watched, 0);
  self->n_active = 0;
  self->cursor = 0;
  if (self->stat_fd >= 0)
    close(self->stat_fd);
  self->stat_fd = -1;
}

static gboolean
open_cpu(
    guint number, const EppdMsrEvent *mperf, const EppdMsrEvent *tsc, PerfCpu *cpu, GError **error)
{
  int mperf_fd = eppd_msr_event_open(mperf, number, -1, error);
  int tsc_fd;

  if (mperf_fd < 0)
    return FALSE;
  tsc_fd = eppd_msr_event_open(tsc, number, mperf_fd, error);
  if (tsc_fd < 0) {
    close(mperf_fd);
    return FALSE;
  }
  cpu->mperf_fd = mperf_fd;
  cpu->tsc_fd = tsc_fd;
  return TRUE;
}

/* CPUs that can't be opened (offline) are left out; none at all is an error. */
static gboolean
open_cpus(PerfSource *self, const EppdMsrEvent *mperf, const EppdMsrEvent *tsc, GError **error)
{
  g_autoptr(GError) first_error = NULL;
  guint n_open = 0;

  for (guint i = 0; i < self->watched->len; i++) {
    guint number = g_array_index(self->watched, EppdWatchedCpu, i).cpu;
    PerfCpu cpu = {.mperf_fd = -1, .tsc_fd = -1};

    if (open_cpu(number, mperf, tsc, &cpu, first_error ? NULL : &first_error))
      n_open++;
    g_array_append_val(self->cpus, cpu);
  }
  if (n_open == 0 && first_error) {
    g_propagate_error(error, g_steal_pointer(&first_error));
    return FALSE;
  }
  if (first_error)
    eppd_info("perf", "%s: ignoring such CPUs", first_error->message);
  return TRUE;
}

static gboolean
perf_arm(EppdResidencySource *source,
         const EppdResidencyConfig *config,
         gint64 now_usec,
         GError **error)
{
  PerfSource *self = (PerfSource *)source;
  EppdMsrEvent mperf, tsc;

  perf_disarm(source);
  if (!find_events(self, &mperf, &tsc, error))
    return FALSE;

  g_array_unref(self->watched);
  self->watched = eppd_watched_cpus_new(&config->cpus);
  self->stat_fd = eppd_cpu_times_open(error);
  if (self->stat_fd < 0 || !open_cpus(self, &mperf, &tsc, error)) {
    perf_disarm(source);
    return FALSE;
  }
  self->sample_usec = config->sample_usec;
  self->next_gate_usec = now_usec;
  self->next_sample_usec = now_usec;
  self->failing = false;
  return TRUE;
}

/* Every sample is handed out, whatever the threshold. */
static gboolean
perf_configure(EppdResidencySource *source, const EppdResidencyConfig *config, GError **error)
{
  ((PerfSource *)source)->sample_usec = config->sample_usec;
  return TRUE;
}

static void
gate_cpu(const EppdCpuTimes *times, gpointer data)
{
  PerfSource *self = data;
  PerfCpu *cpu;
  guint index;
  bool active;

  if (!eppd_watched_cpus_find(self->watched, times->cpu, &index))
    return;
  cpu = &g_array_index(self->cpus, PerfCpu, index);
  active = cpu->mperf_fd >= 0 && cpu->has_ticks && times->busy_ticks != cpu->busy_ticks;
  cpu->has_ticks = true;
  cpu->busy_ticks = times->busy_ticks;
  if (active && !cpu->active)
    eppd_residency_window_reset(&g_array_index(self->watched, EppdWatchedCpu, index).window);
  cpu->active = active;
  if (active)
    self->n_active++;
}

static void
gate_cpus(PerfSource *self, gint64 now_usec)
{
  g_autoptr(GError) error = NULL;

  self->next_gate_usec = now_usec + GATE_USEC;
  self->n_active = 0;
  if (eppd_cpu_times_read(self->stat_fd, gate_cpu, self, &error)) {
    self->failing = false;
  } else if (!self->failing) {
    self->failing = true;
    eppd_warning("perf", "%s: ignoring this window", error->message);
  }
}

/* Reads the CPU's counters; true if that made a sample. */
static bool
read_cpu(PerfSource *self, guint index)
{
  PerfCpu *cpu = &g_array_index(self->cpus, PerfCpu, index);
  EppdWatchedCpu *watched = &g_array_index(self->watched, EppdWatchedCpu, index);
  guint64 group[3] = {0}; /* their number, mperf, tsc */

  if (!cpu->active)
    return false;
  /* The read of a CPU that went offline ends early. */
  if (TEMP_FAILURE_RETRY(read(cpu->mperf_fd, group, sizeof group)) != sizeof group ||
      group[0] != 2) {
    eppd_residency_window_reset(&watched->window);
    return false;
  }
  /* The time of this very reading: it may have waited for that CPU. */
  return eppd_watched_cpu_add(watched, group[1], group[2], g_get_monotonic_time(),
                              MAX(2 * self->sample_usec, MIN_GAP_USEC));
}

/* One round over the CPUs; false if it was cut short. */
static bool
sample_cpus(PerfSource *self,
            gint64 now_usec,
            guint max_samples,
            EppdResidencySampleFunc func,
            gpointer data)
{
  while (self->cursor < self->cpus->len) {
    guint index = self->cursor;
    EppdWatchedCpu watched;

    if (max_samples == 0)
      return false;
    self->cursor++;
    if (!read_cpu(self, index))
      continue;
    max_samples--;
    watched = g_array_index(self->watched, EppdWatchedCpu, index);
    eppd_watched_cpu_hand_out(&watched, func, data);
  }
  self->cursor = 0;
  self->next_sample_usec = now_usec + self->sample_usec;
  return true;
}

static gint64
perf_dispatch(EppdResidencySource *source,
              gint64 now_usec,
              guint max_samples,
              EppdResidencySampleFunc func,
              gpointer data)
{
  PerfSource *self = (PerfSource *)source;

  if (self->stat_fd < 0)
    return -1;
  if (self->cursor == 0 && now_usec >= self->next_gate_usec)
    gate_cpus(self, now_usec);
  if (self->n_active > 0 && now_usec >= self->next_sample_usec &&
      !sample_cpus(self, now_usec, max_samples, func, data))
    return now_usec;

  /* The caller may have disarmed it meanwhile. */
  if (self->stat_fd < 0)
    return -1;
  return self->n_active > 0 ? MIN(self->next_sample_usec, self->next_gate_usec)
                            : self->next_gate_usec;
}

static bool
perf_get_sample(EppdResidencySource *source, guint cpu, guint *busy_permille, gint64 *when_usec)
{
  return eppd_watched_cpus_get_sample(((PerfSource *)source)->watched, cpu, busy_permille,
                                      when_usec);
}

static gint64
perf_get_period_usec(EppdResidencySource *source)
{
  return ((PerfSource *)source)->sample_usec;
}

static void
perf_free(EppdResidencySource *source)
{
  PerfSource *self = (PerfSource *)source;

  perf_disarm(source);
  g_array_unref(self->cpus);
  g_array_unref(self->watched);
  g_free(self->mperf_event);
  g_free(self);
}

static const EppdResidencySourceClass perf_class = {
    .name = "perf",
    .self_test = perf_self_test,
    .arm = perf_arm,
    .configure = perf_configure,
    .disarm = perf_disarm,
    .dispatch = perf_dispatch,
    .get_sample = perf_get_sample,
    .get_period_usec = perf_get_period_usec,
    .free = perf_free,
};

EppdResidencySource *
eppd_perf_source_new_with_event(const char *mperf_event)
{
  PerfSource *self = g_new0(PerfSource, 1);

  self->base.klass = &perf_class;
  self->mperf_event = g_strdup(mperf_event);
  self->stat_fd = -1;
  self->watched = g_array_new(FALSE, FALSE, sizeof(EppdWatchedCpu));
  self->cpus = g_array_new(FALSE, FALSE, sizeof(PerfCpu));
  return &self->base;
}

EppdResidencySource *
eppd_perf_source_new(void)
{
  return eppd_perf_source_new_with_event("mperf");
}
