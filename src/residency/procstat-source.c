/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/procstat-source.h"

#include "base/error.h"
#include "base/log.h"
#include "residency/cpu-times.h"
#include "residency/spin-test.h"
#include "residency/watched-cpu.h"

#include <unistd.h>

/* Ten of /proc/stat's units. */
#define WINDOW_USEC 100000

typedef struct {
  EppdResidencySource base;
  int stat_fd;     /* -1: not armed */
  GArray *watched; /* of EppdWatchedCpu */
  gint64 read_usec;
  gint64 next_usec;
  guint cursor; /* the next CPU to hand out; all of them: done */
  bool failing; /* said once */
} ProcstatSource;

static gboolean
procstat_self_test(EppdResidencySource *source, char **detail, GError **error)
{
  if (!eppd_spin_test(source, 1, NULL, error))
    return FALSE;
  *detail = g_strdup_printf("/proc/stat every %d ms", WINDOW_USEC / 1000);
  return TRUE;
}

static void
procstat_disarm(EppdResidencySource *source)
{
  ProcstatSource *self = (ProcstatSource *)source;

  if (self->stat_fd >= 0)
    close(self->stat_fd);
  self->stat_fd = -1;
  g_array_set_size(self->watched, 0);
  self->cursor = 0;
}

static gboolean
procstat_arm(EppdResidencySource *source,
             const EppdResidencyConfig *config,
             gint64 now_usec,
             GError **error)
{
  ProcstatSource *self = (ProcstatSource *)source;
  int fd = eppd_cpu_times_open(error);

  if (fd < 0)
    return FALSE;
  procstat_disarm(source);
  self->stat_fd = fd;
  g_array_unref(self->watched);
  self->watched = eppd_watched_cpus_new(&config->cpus);
  self->cursor = self->watched->len;
  self->next_usec = now_usec;
  self->failing = false;
  return TRUE;
}

/* Every sample is handed out, whatever the threshold, and the window is the source's own. */
static gboolean
procstat_configure(EppdResidencySource *source, const EppdResidencyConfig *config, GError **error)
{
  return TRUE;
}

static void
add_times(const EppdCpuTimes *times, gpointer data)
{
  ProcstatSource *self = data;
  EppdWatchedCpu *watched;
  guint index;

  if (!eppd_watched_cpus_find(self->watched, times->cpu, &index))
    return;
  watched = &g_array_index(self->watched, EppdWatchedCpu, index);
  if (watched->window.has_baseline && times->busy_ticks == watched->window.mperf &&
      times->total_ticks > watched->window.tsc) {
    /* The window takes a counter that stands still for no sample; the busy time of an idle CPU
     * rightly does. */
    eppd_residency_window_reset(&watched->window);
    eppd_watched_cpu_set_sample(watched, 0, self->read_usec);
  }
  eppd_watched_cpu_add(watched, times->busy_ticks, times->total_ticks, self->read_usec,
                       2 * WINDOW_USEC);
}

static void
read_times(ProcstatSource *self, gint64 now_usec)
{
  g_autoptr(GError) error = NULL;

  self->read_usec = now_usec;
  self->next_usec = now_usec + WINDOW_USEC;
  if (eppd_cpu_times_read(self->stat_fd, add_times, self, &error)) {
    self->failing = false;
  } else if (!self->failing) {
    self->failing = true;
    eppd_warning("procstat", "%s: ignoring this window", error->message);
  }
  self->cursor = 0;
}

static gint64
procstat_dispatch(EppdResidencySource *source,
                  gint64 now_usec,
                  guint max_samples,
                  EppdResidencySampleFunc func,
                  gpointer data)
{
  ProcstatSource *self = (ProcstatSource *)source;

  if (self->stat_fd < 0)
    return -1;
  if (self->cursor >= self->watched->len && now_usec >= self->next_usec)
    read_times(self, now_usec);

  while (self->cursor < self->watched->len) {
    EppdWatchedCpu watched = g_array_index(self->watched, EppdWatchedCpu, self->cursor);

    if (watched.has_sample && watched.sample_usec == self->read_usec) {
      if (max_samples == 0)
        return now_usec;
      max_samples--;
      self->cursor++;
      eppd_watched_cpu_hand_out(&watched, func, data);
    } else {
      self->cursor++;
    }
  }
  /* The caller may have disarmed it meanwhile. */
  return self->stat_fd < 0 ? -1 : self->next_usec;
}

static bool
procstat_get_sample(EppdResidencySource *source, guint cpu, guint *busy_permille, gint64 *when_usec)
{
  return eppd_watched_cpus_get_sample(((ProcstatSource *)source)->watched, cpu, busy_permille,
                                      when_usec);
}

static gint64
procstat_get_period_usec(EppdResidencySource *source)
{
  return WINDOW_USEC;
}

static void
procstat_free(EppdResidencySource *source)
{
  ProcstatSource *self = (ProcstatSource *)source;

  procstat_disarm(source);
  g_array_unref(self->watched);
  g_free(self);
}

static const EppdResidencySourceClass procstat_class = {
    .name = "procstat",
    .self_test = procstat_self_test,
    .arm = procstat_arm,
    .configure = procstat_configure,
    .disarm = procstat_disarm,
    .dispatch = procstat_dispatch,
    .get_sample = procstat_get_sample,
    .get_period_usec = procstat_get_period_usec,
    .free = procstat_free,
};

EppdResidencySource *
eppd_procstat_source_new(void)
{
  ProcstatSource *self = g_new0(ProcstatSource, 1);

  self->base.klass = &procstat_class;
  self->stat_fd = -1;
  self->watched = g_array_new(FALSE, FALSE, sizeof(EppdWatchedCpu));
  return &self->base;
}
