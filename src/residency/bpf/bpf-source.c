/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/bpf/bpf-source.h"

#include "base/error.h"
#include "residency/bpf/bpf-object.h"
#include "residency/spin-test.h"

#include <time.h>

#define NSEC_PER_USEC 1000
#define BATCH_EVENTS  64

/* Where the kernel does not tell. */
#define DEFAULT_TICK_NS (10 * 1000 * 1000)

typedef struct {
  EppdResidencySource base;
  EppdBpfVariant wanted;
  char *mperf_event;
  gint64 tick_ns;

  EppdBpfObject *object; /* kept once it was loaded; NULL: not yet */
  bool mperf;            /* what it samples */
  struct eppd_cpu_line *lines;
  guint n_lines;

  bool armed;
  guint32 epoch; /* of the latest arming, never 0 then */
  GArray *cpus;  /* of guint: those that are watched while armed */
  gint64 armed_ns;
  gint64 period_usec;
} BpfSource;

/* The length of a tick, which is the resolution of the kernel's coarse clock. */
static gint64
ask_tick_ns(void)
{
  struct timespec tick;

  if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0 || tick.tv_sec != 0 || tick.tv_nsec <= 0)
    return DEFAULT_TICK_NS;
  return tick.tv_nsec;
}

/* The window ends on the first tick at or after the sample period less half a tick. An eighth of a
 * tick more is for the ticks' own jitter: where the period is a whole number of ticks and a half
 * (10 ms at HZ=250) it would be chance else which tick it is. */
static void
set_config(BpfSource *self, guint threshold_permille, gint64 sample_usec)
{
  volatile struct eppd_residency_config *config = eppd_bpf_object_config(self->object);
  gint64 sample_ns = sample_usec * NSEC_PER_USEC;
  gint64 min_ns = MAX(sample_ns - self->tick_ns * 5 / 8, 1);
  gint64 n_ticks = (min_ns + self->tick_ns - 1) / self->tick_ns;

  config->min_window_ns = (guint64)min_ns;
  config->max_window_ns = 2 * (guint64)MAX(sample_ns, self->tick_ns);
  config->threshold_permille = threshold_permille;
  self->period_usec = n_ticks * self->tick_ns / NSEC_PER_USEC;
}

static bool
load_variant(BpfSource *self, bool mperf, GError **error)
{
  if (self->object && self->mperf == mperf)
    return true;
  g_clear_pointer(&self->object, eppd_bpf_object_free);
  self->lines = NULL;
  self->n_lines = 0;
  self->object = eppd_bpf_object_load(mperf, error);
  if (!self->object)
    return false;
  self->mperf = mperf;
  self->lines = eppd_bpf_object_lines(self->object, &self->n_lines);
  return true;
}

static struct eppd_cpu_line *
find_line(BpfSource *self, guint cpu)
{
  return cpu < self->n_lines ? &self->lines[cpu] : NULL;
}

static void
mark_cpus(BpfSource *self, guint32 epoch)
{
  for (guint i = 0; i < self->cpus->len; i++) {
    struct eppd_cpu_line *line = find_line(self, g_array_index(self->cpus, guint, i));

    if (!line)
      continue;
    __atomic_store_n(&line->boosted, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&line->epoch, epoch, __ATOMIC_RELEASE);
  }
}

static void
drain(BpfSource *self)
{
  struct eppd_busy_event events[BATCH_EVENTS];

  while (eppd_bpf_object_take_events(self->object, events, BATCH_EVENTS) == BATCH_EVENTS)
    ;
}

/* Everything that arming opened, in whatever state it is. */
static void
release(BpfSource *self)
{
  self->armed = false;
  mark_cpus(self, 0);
  g_array_set_size(self->cpus, 0);
  if (!self->object)
    return;
  eppd_bpf_object_set_apps(self->object, NULL, 0, NULL);
  eppd_bpf_object_detach(self->object);
  eppd_bpf_object_close_counters(self->object);
  drain(self);
}

static gboolean
arm_loaded(BpfSource *self, const EppdResidencyConfig *config, gint64 now_usec, GError **error)
{
  /* A sample as late as an earlier arming's last is not this one's. */
  self->armed_ns = now_usec * NSEC_PER_USEC;
  self->epoch = self->epoch == G_MAXUINT32 ? 1 : self->epoch + 1;
  set_config(self, config->threshold_permille, config->sample_usec);
  g_array_append_vals(self->cpus, config->cpus.cpus, config->cpus.n_cpus);
  mark_cpus(self, self->epoch);

  if ((self->mperf &&
       !eppd_bpf_object_open_counters(self->object, &config->cpus, self->mperf_event, error)) ||
      !eppd_bpf_object_attach(self->object, error) ||
      !eppd_bpf_object_set_apps(self->object, config->apps, config->n_apps, error)) {
    release(self);
    return FALSE;
  }
  self->armed = true;
  return TRUE;
}

static gboolean
arm_variant(
    BpfSource *self, bool mperf, const EppdResidencyConfig *config, gint64 now_usec, GError **error)
{
  return load_variant(self, mperf, error) && arm_loaded(self, config, now_usec, error);
}

static gboolean
bpf_arm(EppdResidencySource *source,
        const EppdResidencyConfig *config,
        gint64 now_usec,
        GError **error)
{
  BpfSource *self = (BpfSource *)source;

  release(self);
  switch (self->wanted) {
  case EPPD_BPF_MPERF:
    return arm_variant(self, true, config, now_usec, error);
  case EPPD_BPF_IDLE:
    return arm_variant(self, false, config, now_usec, error);
  case EPPD_BPF_AUTO:
    break;
  }
  /* What the self-test found stays; without one, the counters where they open. */
  if (self->object)
    return arm_loaded(self, config, now_usec, error);
  return arm_variant(self, true, config, now_usec, NULL) ||
         arm_variant(self, false, config, now_usec, error);
}

static gboolean
bpf_configure(EppdResidencySource *source, const EppdResidencyConfig *config, GError **error)
{
  BpfSource *self = (BpfSource *)source;

  if (!self->armed)
    return TRUE;
  set_config(self, config->threshold_permille, config->sample_usec);
  return eppd_bpf_object_set_apps(self->object, config->apps, config->n_apps, error);
}

static void
bpf_disarm(EppdResidencySource *source)
{
  release((BpfSource *)source);
}

static int
bpf_get_fd(EppdResidencySource *source)
{
  BpfSource *self = (BpfSource *)source;

  return self->armed ? eppd_bpf_object_get_fd(self->object) : -1;
}

static gint64
bpf_dispatch(EppdResidencySource *source,
             gint64 now_usec,
             guint max_samples,
             EppdResidencySampleFunc func,
             gpointer data)
{
  BpfSource *self = (BpfSource *)source;
  struct eppd_busy_event events[BATCH_EVENTS];
  guint max = MIN(max_samples, BATCH_EVENTS);
  guint32 epoch = self->epoch;
  guint n;

  if (!self->armed)
    return -1;
  n = eppd_bpf_object_take_events(self->object, events, max);
  for (guint i = 0; i < n; i++) {
    /* What an earlier arming left; and the caller may disarm it meanwhile. */
    if (!self->armed || self->epoch != epoch)
      return -1;
    if (events[i].epoch == epoch) {
      const EppdResidencySample sample = {
          .cpu = events[i].cpu,
          .busy_permille = events[i].busy_permille,
          .when_usec = (gint64)(events[i].when_ns / NSEC_PER_USEC),
          .app = events[i].app,
      };

      func(&sample, data);
    }
  }
  return self->armed && n == max ? now_usec : -1;
}

static bool
bpf_knows_apps(const EppdResidencySource *source)
{
  const BpfSource *self = (const BpfSource *)source;

  return self->object && !eppd_bpf_object_apps_problem(self->object);
}

static void
bpf_set_boosted(EppdResidencySource *source, guint cpu, bool boosted)
{
  struct eppd_cpu_line *line = find_line((BpfSource *)source, cpu);

  if (!line)
    return;
  __atomic_store_n(&line->boosted, boosted ? 1 : 0, __ATOMIC_SEQ_CST);
  /* What is read of the line after this is at least as new; the program has the other half. */
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static bool
bpf_get_last_busy(EppdResidencySource *source, guint cpu, gint64 *when_usec, guint64 *app)
{
  BpfSource *self = (BpfSource *)source;
  struct eppd_cpu_line *line = find_line(self, cpu);
  gint64 when_ns;

  if (!line)
    return false;
  when_ns = (gint64)__atomic_load_n(&line->last_busy_ns, __ATOMIC_ACQUIRE);
  if (when_ns == 0 || when_ns < self->armed_ns)
    return false;
  *when_usec = when_ns / NSEC_PER_USEC;
  if (app)
    *app = __atomic_load_n(&line->last_busy_app, __ATOMIC_RELAXED);
  return true;
}

static bool
bpf_get_sample(EppdResidencySource *source, guint cpu, guint *busy_permille, gint64 *when_usec)
{
  BpfSource *self = (BpfSource *)source;
  struct eppd_cpu_line *line = find_line(self, cpu);
  gint64 when_ns;

  if (!line)
    return false;
  when_ns = (gint64)__atomic_load_n(&line->sample_ns, __ATOMIC_ACQUIRE);
  if (when_ns == 0 || when_ns < self->armed_ns)
    return false;
  *busy_permille = __atomic_load_n(&line->busy_permille, __ATOMIC_RELAXED);
  *when_usec = when_ns / NSEC_PER_USEC;
  return true;
}

static gint64
bpf_get_period_usec(EppdResidencySource *source)
{
  return ((BpfSource *)source)->period_usec;
}

/* Why a variant that could be armed gave no samples. */
static void
explain_silence(BpfSource *self, const EppdSpinResult *result, GError **error)
{
  struct eppd_cpu_line *line = find_line(self, result->cpu);

  if (!line)
    return;
  g_clear_error(error);
  if (line->seen_epoch != self->epoch)
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_UNSUPPORTED,
                "the timer tick of busy CPU %u is not seen (local_timer_entry is silent%s)",
                result->cpu, self->mperf ? ", or the counters can't be read there" : "");
  else
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_UNSUPPORTED, "%s",
                self->mperf ? "MPERF stands still" : "ticks without a window between them");
}

static gboolean
test_variant(BpfSource *self, EppdBpfVariant variant, GError **error)
{
  EppdBpfVariant wanted = self->wanted;
  g_autoptr(GError) local_error = NULL;
  EppdSpinResult result = {0};
  gboolean ok;

  self->wanted = variant;
  ok = eppd_spin_test(&self->base, 3, &result, &local_error);
  self->wanted = wanted;
  if (ok)
    return TRUE;
  if (result.armed && result.n_samples == 0)
    explain_silence(self, &result, &local_error);
  g_propagate_error(error, g_steal_pointer(&local_error));
  return FALSE;
}

static char *
describe(const BpfSource *self, const GError *mperf_error)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_auto(EppdCpuList) tickless = {0};

  if (self->mperf)
    g_string_append(text, "MPERF on the tick");
  else
    g_string_append(text, "idle time on the tick and cpu_idle");
  if (mperf_error)
    g_string_append_printf(text, " (no MPERF here: %s)", mperf_error->message);
  g_string_append_printf(text, ", every %.3g ms", (double)self->period_usec / 1000);

  if (eppd_bpf_object_apps_problem(self->object))
    g_string_append_printf(text, "; can't tell applications apart: %s",
                           eppd_bpf_object_apps_problem(self->object));

  eppd_spin_test_tickless_cpus(&tickless);
  if (tickless.n_cpus > 0) {
    g_autofree char *list = eppd_cpu_list_format(&tickless);

    g_string_append_printf(text, "; blind on CPUs %s, which have no tick (nohz_full)", list);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static gboolean
bpf_self_test(EppdResidencySource *source, char **detail, GError **error)
{
  BpfSource *self = (BpfSource *)source;
  g_autoptr(GError) mperf_error = NULL;

  if (self->wanted == EPPD_BPF_AUTO) {
    if (!test_variant(self, EPPD_BPF_MPERF, &mperf_error) &&
        !test_variant(self, EPPD_BPF_IDLE, error))
      return FALSE;
  } else if (!test_variant(self, self->wanted, error)) {
    return FALSE;
  }
  *detail = describe(self, mperf_error);
  return TRUE;
}

static void
bpf_free(EppdResidencySource *source)
{
  BpfSource *self = (BpfSource *)source;

  release(self);
  eppd_bpf_object_free(self->object);
  g_array_unref(self->cpus);
  g_free(self->mperf_event);
  g_free(self);
}

static const EppdResidencySourceClass bpf_class = {
    .name = "bpf",
    .self_test = bpf_self_test,
    .arm = bpf_arm,
    .configure = bpf_configure,
    .disarm = bpf_disarm,
    .get_fd = bpf_get_fd,
    .dispatch = bpf_dispatch,
    .knows_apps = bpf_knows_apps,
    .set_boosted = bpf_set_boosted,
    .get_last_busy = bpf_get_last_busy,
    .get_sample = bpf_get_sample,
    .get_period_usec = bpf_get_period_usec,
    .free = bpf_free,
};

EppdResidencySource *
eppd_bpf_source_new(EppdBpfVariant variant, const char *mperf_event)
{
  BpfSource *self = g_new0(BpfSource, 1);

  self->base.klass = &bpf_class;
  self->wanted = variant;
  self->mperf_event = g_strdup(mperf_event ? mperf_event : "mperf");
  self->tick_ns = ask_tick_ns();
  self->cpus = g_array_new(FALSE, FALSE, sizeof(guint));
  return &self->base;
}
