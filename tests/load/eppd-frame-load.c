/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpu-list.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

/* A game whose frame passes through six threads, one after the other, none of which is busy for
 * long: 15 to 30 % of the time, each on a CPU of its own. Where it has fewer CPUs than threads,
 * they share them, and it is each CPU that is as little busy. The stages stand on a grid of
 * absolute time, and a late one does less work: no CPU is ever busier. */

#define N_THREADS        6
#define DUTY_MIN_PERCENT 15
#define DUTY_MAX_PERCENT 30
#define FRAME_NSEC       (G_GINT64_CONSTANT(1000000000) / 60)

typedef struct {
  guint cpu;
  gint64 start_nsec; /* of its stage in the first frame */
  gint64 work_nsec;
} Stage;

static gint64
now_nsec(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (gint64)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct timespec
timespec_of(gint64 nsec)
{
  return (struct timespec){.tv_sec = nsec / 1000000000, .tv_nsec = nsec % 1000000000};
}

/* Runs until the process ends. */
static void *
work(void *data)
{
  const Stage *stage = data;

  for (gint64 start_nsec = stage->start_nsec;; start_nsec += FRAME_NSEC) {
    struct timespec start = timespec_of(start_nsec);

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &start, NULL) == EINTR)
      ;
    while (now_nsec() < start_nsec + stage->work_nsec)
      ;
  }
  return NULL;
}

static bool
start_thread(Stage *stage)
{
  gsize set_bytes = CPU_ALLOC_SIZE(EPPD_CPU_MAX);
  g_autofree cpu_set_t *set = g_malloc0(set_bytes);
  pthread_attr_t attributes;
  pthread_t thread;
  int result;

  CPU_SET_S(stage->cpu, set_bytes, set);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setaffinity_np(&attributes, set_bytes, set);
  result = pthread_create(&thread, &attributes, work, stage);
  pthread_attr_destroy(&attributes);
  if (result != 0)
    g_printerr("eppd-frame-load: could not run on CPU %u: %s\n", stage->cpu, g_strerror(result));
  return result == 0;
}

static bool
parse_options(int argc, char **argv, EppdCpuList *cpus, double *seconds)
{
  g_autofree char *list = NULL;
  const GOptionEntry entries[] = {
      {"cpus", 0, 0, G_OPTION_ARG_STRING, &list, "The CPUs that its threads run on in turn",
       "LIST"},
      {"seconds", 0, 0, G_OPTION_ARG_DOUBLE, seconds, "How long", "T"},
      {NULL},
  };
  g_autoptr(GOptionContext) context =
      g_option_context_new("- frames that pass through six threads");
  g_autoptr(GError) error = NULL;

  g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, &argc, &argv, &error)) {
    g_printerr("eppd-frame-load: %s\n", error->message);
    return false;
  }
  /* The comparisons are false for NaN too. */
  if (argc > 1 || !list || !eppd_cpu_list_parse(list, cpus) || cpus->n_cpus == 0 ||
      !(*seconds > 0) || !(*seconds <= 1e6)) {
    g_printerr("eppd-frame-load: wants --cpus LIST --seconds T\n");
    return false;
  }
  return true;
}

static bool
start_stages(Stage stages[N_THREADS], const EppdCpuList *cpus, gint64 start_nsec)
{
  guint n_cpus = MIN(cpus->n_cpus, N_THREADS);

  for (guint i = 0; i < N_THREADS; i++) {
    gint64 duty_percent =
        DUTY_MIN_PERCENT + (DUTY_MAX_PERCENT - DUTY_MIN_PERCENT) * i / (N_THREADS - 1);

    stages[i] = (Stage){
        .cpu = cpus->cpus[i % n_cpus],
        .start_nsec = start_nsec + i * FRAME_NSEC / N_THREADS,
        .work_nsec = FRAME_NSEC * duty_percent / 100 * n_cpus / N_THREADS,
    };
    if (!start_thread(&stages[i]))
      return false;
  }
  return true;
}

/* Waits for the end of the time, or SIGTERM or SIGINT; both are blocked in all threads. */
static void
wait_for_end(const sigset_t *signals, gint64 end_nsec)
{
  for (;;) {
    gint64 left_nsec = end_nsec - now_nsec();
    struct timespec left = timespec_of(MAX(left_nsec, 0));

    if (left_nsec <= 0 || sigtimedwait(signals, NULL, &left) > 0)
      return;
  }
}

int
main(int argc, char **argv)
{
  /* The threads use it to the end. */
  static Stage stages[N_THREADS];
  g_auto(EppdCpuList) cpus = {0};
  double seconds = -1;
  gint64 start_nsec = now_nsec();
  sigset_t signals;

  if (!parse_options(argc, argv, &cpus, &seconds))
    return 2;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  if (!start_stages(stages, &cpus, start_nsec))
    return EXIT_FAILURE;
  wait_for_end(&signals, start_nsec + (gint64)(seconds * 1e9));
  return EXIT_SUCCESS;
}
