/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/booster.h"
#include "daemon/machine.h"
#include "daemon/priority.h"
#include "residency/bpf/bpf-source.h"

#include <errno.h>
#include <glib-unix.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

/* The user-space part of an edge, from the sample in the BPF program to the finished write: the
 * daemon's own booster on its own main loop, with a source around the real one that notes when a
 * sample came and when all that it led to was done. Whatever load there is is made by others.
 * Prints the microseconds from the sample to its arrival, and to the write, of each busy edge. */

#define NSEC_PER_USEC 1000

typedef struct {
  char *root;
  char *runtime_dir;
  int edges;
  int hold_ms;
  int nice;
  double seconds;
} Options;

typedef struct {
  gint64 when_usec;
  gint64 arrived_ns;
  gint64 done_ns;
} Edge;

/* Around the real source; also holds what is measured. */
typedef struct {
  EppdResidencySource base;
  EppdResidencySource *inner;
  const EppdStatistics *statistics;
  GArray *edges; /* of Edge */
  EppdResidencySampleFunc func;
  gpointer func_data;
} TimedSource;

/* What runs as the controller does. */
typedef struct {
  EppdBooster *booster;
  GSource *timer;
  GMainLoop *loop;
  const GArray *edges;
  guint n_wanted;
} Bench;

static gint64
now_ns(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (gint64)now.tv_sec * G_USEC_PER_SEC * NSEC_PER_USEC + now.tv_nsec;
}

static gboolean
timed_arm(EppdResidencySource *source,
          const EppdResidencyConfig *config,
          gint64 now_usec,
          GError **error)
{
  return eppd_residency_source_arm(((TimedSource *)source)->inner, config, now_usec, error);
}

static void
timed_disarm(EppdResidencySource *source)
{
  eppd_residency_source_disarm(((TimedSource *)source)->inner);
}

static int
timed_get_fd(EppdResidencySource *source)
{
  return eppd_residency_source_get_fd(((TimedSource *)source)->inner);
}

static void
on_sample(const EppdResidencySample *sample, gpointer data)
{
  TimedSource *self = data;
  guint64 writes_before = self->statistics->boost_writes;
  Edge edge = {.when_usec = sample->when_usec, .arrived_ns = now_ns()};

  self->func(sample, self->func_data);
  edge.done_ns = now_ns();
  if (self->statistics->boost_writes != writes_before)
    g_array_append_val(self->edges, edge);
}

static gint64
timed_dispatch(EppdResidencySource *source,
               gint64 now_usec,
               guint max_samples,
               EppdResidencySampleFunc func,
               gpointer data)
{
  TimedSource *self = (TimedSource *)source;

  self->func = func;
  self->func_data = data;
  return eppd_residency_source_dispatch(self->inner, now_usec, max_samples, on_sample, self);
}

static void
timed_set_boosted(EppdResidencySource *source, guint cpu, bool boosted)
{
  eppd_residency_source_set_boosted(((TimedSource *)source)->inner, cpu, boosted);
}

static bool
timed_get_last_busy(EppdResidencySource *source, guint cpu, gint64 *when_usec, guint64 *app)
{
  return eppd_residency_source_get_last_busy(((TimedSource *)source)->inner, cpu, when_usec, app);
}

static void
timed_free(EppdResidencySource *source)
{
  TimedSource *self = (TimedSource *)source;

  eppd_residency_source_free(self->inner);
  g_array_unref(self->edges);
  g_free(self);
}

static EppdResidencySource *
timed_source_new(EppdResidencySource *inner, const EppdStatistics *statistics)
{
  static const EppdResidencySourceClass timed_class = {
      .name = "timed",
      .arm = timed_arm,
      .disarm = timed_disarm,
      .get_fd = timed_get_fd,
      .dispatch = timed_dispatch,
      .set_boosted = timed_set_boosted,
      .get_last_busy = timed_get_last_busy,
      .free = timed_free,
  };
  TimedSource *self = g_new0(TimedSource, 1);

  self->base.klass = &timed_class;
  self->inner = inner;
  self->statistics = statistics;
  self->edges = g_array_new(FALSE, FALSE, sizeof(Edge));
  return &self->base;
}

static void
run_booster(Bench *bench)
{
  EppdBoosterNews news = eppd_booster_dispatch(bench->booster);

  g_source_set_ready_time(bench->timer, news.next_usec);
  if (bench->edges->len >= bench->n_wanted)
    g_main_loop_quit(bench->loop);
}

static gboolean
on_samples(int fd, GIOCondition condition, gpointer data)
{
  run_booster(data);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_timer(gpointer data)
{
  run_booster(data);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_limit(gpointer data)
{
  g_main_loop_quit(data);
  return G_SOURCE_REMOVE;
}

static gboolean
dispatch_timer(GSource *source, GSourceFunc func, gpointer data)
{
  g_source_set_ready_time(source, -1);
  return func(data);
}

static guint
attach(GSource *source, GSourceFunc func, gpointer data)
{
  g_source_set_priority(source, G_PRIORITY_HIGH);
  g_source_set_callback(source, func, data, NULL);
  return g_source_attach(source, NULL);
}

/* Until enough edges were seen, or the time is over. */
static void
run_loop(Bench *bench, double seconds)
{
  static GSourceFuncs timer_funcs = {.dispatch = dispatch_timer};
  g_autoptr(GMainLoop) loop = g_main_loop_new(NULL, FALSE);
  g_autoptr(GSource) samples = g_unix_fd_source_new(eppd_booster_fd(bench->booster), G_IO_IN);
  g_autoptr(GSource) timer = g_source_new(&timer_funcs, sizeof(GSource));
  g_autoptr(GSource) limit = g_timeout_source_new((guint)(seconds * 1000));

  bench->loop = loop;
  bench->timer = timer;
  attach(samples, G_SOURCE_FUNC(on_samples), bench);
  attach(timer, on_timer, bench);
  attach(limit, on_limit, loop);
  g_source_set_ready_time(timer, 0);
  g_main_loop_run(loop);
  g_source_destroy(samples);
  g_source_destroy(timer);
  g_source_destroy(limit);
}

static void
print_edges(const GArray *edges)
{
  for (guint i = 0; i < edges->len; i++) {
    const Edge *edge = &g_array_index(edges, Edge, i);
    double when_usec = (double)edge->when_usec;

    g_print("%.1f %.1f\n", (double)edge->arrived_ns / NSEC_PER_USEC - when_usec,
            (double)edge->done_ns / NSEC_PER_USEC - when_usec);
  }
}

static gboolean
measure(EppdSysRoot *root,
        EppdMachine *machine,
        EppdStatistics *statistics,
        const Options *options,
        GError **error)
{
  EppdResidencySource *inner = eppd_bpf_source_new(EPPD_BPF_AUTO, NULL);
  g_autoptr(EppdResidencySource) source = timed_source_new(inner, statistics);
  const GArray *edges = ((TimedSource *)source)->edges;
  g_autofree char *detail = NULL;
  EppdBoosterSettings settings = {.threshold_permille = 500,
                                  .sample_usec = 10 * 1000,
                                  .hold_usec = (gint64)options->hold_ms * 1000};
  Bench bench = {.edges = edges, .n_wanted = (guint)options->edges};

  if (!eppd_residency_source_self_test(inner, &detail, error))
    return FALSE;
  bench.booster =
      eppd_booster_arm(root, source, eppd_machine_policies(machine), statistics, &settings, error);
  if (!bench.booster)
    return FALSE;
  run_loop(&bench, options->seconds);
  eppd_booster_disarm(bench.booster);
  print_edges(edges);
  g_print("source %s\n", detail);
  return TRUE;
}

static gboolean
run(const Options *options, GError **error)
{
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(options->root);
  g_autoptr(EppdJournal) journal = eppd_journal_load(root, options->runtime_dir);
  EppdStatistics statistics = {0};
  EppdEpp boost = eppd_epp_named(EPPD_EPP_PERFORMANCE);
  EppdPolicyWish wish = {.epp = eppd_epp_named(EPPD_EPP_BALANCE_PERFORMANCE)};
  g_autoptr(EppdMachine) machine = eppd_machine_new(root, journal, &statistics, &boost, NULL);

  return eppd_machine_apply(machine, &wish, true, error) &&
         measure(root, machine, &statistics, options, error);
}

static void
clear_options(Options *options)
{
  g_free(options->root);
  g_free(options->runtime_dir);
}

static bool
parse_options(int argc, char **argv, Options *options)
{
  const GOptionEntry entries[] = {
      {"root", 0, 0, G_OPTION_ARG_FILENAME, &options->root, "The tree that is controlled", "DIR"},
      {"runtime-dir", 0, 0, G_OPTION_ARG_FILENAME, &options->runtime_dir,
       "Where the restore journal goes", "DIR"},
      {"edges", 0, 0, G_OPTION_ARG_INT, &options->edges, "How many busy edges", "N"},
      {"seconds", 0, 0, G_OPTION_ARG_DOUBLE, &options->seconds, "At most this long", "T"},
      {"hold-ms", 0, 0, G_OPTION_ARG_INT, &options->hold_ms, "HoldMs", "N"},
      {"nice", 0, 0, G_OPTION_ARG_INT, &options->nice, "Priority (default: the unit's)", "N"},
      {NULL},
  };
  g_autoptr(GOptionContext) context = g_option_context_new("- time from sample to EPP write");
  g_autoptr(GError) error = NULL;

  g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, &argc, &argv, &error)) {
    g_printerr("edge-latency: %s\n", error->message);
    return false;
  }
  if (argc > 1 || !options->root || !options->runtime_dir || options->edges < 1 ||
      options->hold_ms < 0 || options->hold_ms > 60000 || !(options->seconds > 0) ||
      !(options->seconds <= 1e6)) {
    g_printerr("edge-latency: wants --root DIR --runtime-dir DIR --edges N --seconds T "
               "[--hold-ms N] [--nice N]\n");
    return false;
  }
  return true;
}

int
main(int argc, char **argv)
{
  Options options = {.edges = -1, .hold_ms = 300, .nice = -10, .seconds = -1};
  g_autoptr(GError) error = NULL;
  bool ok;

  if (!parse_options(argc, argv, &options)) {
    clear_options(&options);
    return 2;
  }
  if (setpriority(PRIO_PROCESS, 0, options.nice) != 0)
    g_printerr("edge-latency: priority %d refused: %s\n", options.nice, g_strerror(errno));
  /* As the daemon does, in a session of its own as a service has. */
  setsid();
  eppd_priority_extend_to_group();
  ok = run(&options, &error);
  if (!ok)
    g_printerr("edge-latency: %s\n", error->message);
  clear_options(&options);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
