/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <glib.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

/* A load like a game's: pinned threads, each with frames of busy work and sleep. The frames stand
 * on a grid of absolute time, so that a late one does not shift those after it. */

#define NSEC_PER_MSEC 1000000
#define CPU_MAX       8192

typedef struct {
  int cpu; /* of the first thread; the next ones have the CPUs after it */
  double work_ms;
  double sleep_ms;
  double seconds;
  int threads;
  gboolean verbose;
} Options;

typedef struct {
  guint cpu;
  gint64 start_ns;
  gint64 work_ns;
  gint64 frame_ns;
  guint n_frames; /* atomic */
  guint n_missed; /* atomic: whose work had no time left when the thread came to run */
} Worker;

static gint64
now_ns(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (gint64)now.tv_sec * 1000 * NSEC_PER_MSEC + now.tv_nsec;
}

static struct timespec
timespec_of(gint64 ns)
{
  return (struct timespec){.tv_sec = ns / (1000 * NSEC_PER_MSEC),
                           .tv_nsec = ns % (1000 * NSEC_PER_MSEC)};
}

static void
sleep_until(gint64 ns)
{
  struct timespec when = timespec_of(ns);

  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR)
    ;
}

/* Runs until the process ends. */
static void *
work(void *data)
{
  Worker *worker = data;

  for (gint64 frame_ns = worker->start_ns;; frame_ns += worker->frame_ns) {
    sleep_until(frame_ns);
    if (now_ns() >= frame_ns + worker->work_ns)
      g_atomic_int_inc(&worker->n_missed);
    while (now_ns() < frame_ns + worker->work_ns)
      ;
    g_atomic_int_inc(&worker->n_frames);
  }
  return NULL;
}

static bool
start_thread(Worker *worker)
{
  pthread_attr_t attributes;
  g_autofree cpu_set_t *set = g_malloc0(CPU_ALLOC_SIZE(CPU_MAX));
  pthread_t thread;
  int result;

  CPU_SET_S(worker->cpu, CPU_ALLOC_SIZE(CPU_MAX), set);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setaffinity_np(&attributes, CPU_ALLOC_SIZE(CPU_MAX), set);
  result = pthread_create(&thread, &attributes, work, worker);
  pthread_attr_destroy(&attributes);
  if (result != 0)
    g_printerr("eppd-load: could not run on CPU %u: %s\n", worker->cpu, g_strerror(result));
  return result == 0;
}

static bool
parse_options(int argc, char **argv, Options *options)
{
  const GOptionEntry entries[] = {
      {"cpu", 0, 0, G_OPTION_ARG_INT, &options->cpu, "CPU of the first thread", "N"},
      {"work-ms", 0, 0, G_OPTION_ARG_DOUBLE, &options->work_ms, "Busy time of a frame", "W"},
      {"sleep-ms", 0, 0, G_OPTION_ARG_DOUBLE, &options->sleep_ms, "Sleep of a frame", "S"},
      {"seconds", 0, 0, G_OPTION_ARG_DOUBLE, &options->seconds, "How long", "T"},
      {"threads", 0, 0, G_OPTION_ARG_INT, &options->threads,
       "Threads, each on a CPU of its own from N on", "N"},
      {"verbose", 0, 0, G_OPTION_ARG_NONE, &options->verbose, "Say how it went", NULL},
      {NULL},
  };
  g_autoptr(GOptionContext) context = g_option_context_new("- busy frames on a CPU");
  g_autoptr(GError) error = NULL;

  g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, &argc, &argv, &error)) {
    g_printerr("eppd-load: %s\n", error->message);
    return false;
  }
  /* The comparisons are false for NaN too. */
  if (argc > 1 || options->cpu < 0 || options->threads < 1 ||
      options->threads > CPU_MAX - options->cpu || !(options->work_ms > 0) ||
      !(options->work_ms <= 60000) || !(options->sleep_ms >= 0) || !(options->sleep_ms <= 60000) ||
      !(options->seconds > 0) || !(options->seconds <= 1e6)) {
    g_printerr("eppd-load: wants --cpu N --work-ms W --sleep-ms S --seconds T [--threads N]\n");
    return false;
  }
  return true;
}

/* Waits for the end of the time, or SIGTERM or SIGINT; both are blocked in all threads. */
static void
wait_for_end(const sigset_t *signals, gint64 end_ns)
{
  for (;;) {
    gint64 left_ns = end_ns - now_ns();
    struct timespec left = timespec_of(MAX(left_ns, 0));

    if (left_ns <= 0 || sigtimedwait(signals, NULL, &left) > 0)
      return;
  }
}

int
main(int argc, char **argv)
{
  Options options = {.cpu = -1, .work_ms = -1, .sleep_ms = -1, .seconds = -1, .threads = 1};
  gint64 start_ns = now_ns();
  /* Not freed: the threads use it to the end. */
  Worker *workers;
  sigset_t signals;

  if (!parse_options(argc, argv, &options))
    return 2;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);

  workers = g_new0(Worker, (guint)options.threads);
  for (int i = 0; i < options.threads; i++) {
    workers[i].cpu = (guint)(options.cpu + i);
    workers[i].start_ns = start_ns;
    workers[i].work_ns = (gint64)(options.work_ms * NSEC_PER_MSEC);
    workers[i].frame_ns = (gint64)((options.work_ms + options.sleep_ms) * NSEC_PER_MSEC);
    if (!start_thread(&workers[i]))
      return 1;
  }
  wait_for_end(&signals, start_ns + (gint64)(options.seconds * 1000 * NSEC_PER_MSEC));

  for (int i = 0; options.verbose && i < options.threads; i++)
    g_print("CPU %u: %d frames, %d of them too late\n", workers[i].cpu,
            g_atomic_int_get(&workers[i].n_frames), g_atomic_int_get(&workers[i].n_missed));
  return 0;
}
