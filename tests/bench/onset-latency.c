/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

/* From the onset of load to the finished write, with any daemon: one thread begins to spin on a CPU
 * at a random time and notes when; another, on another CPU and above all other tasks, is told by
 * inotify that the EPP file of that CPU's policy was written. Prints the microseconds of each
 * episode. */

#define NSEC_PER_USEC 1000
#define NSEC_PER_MSEC (1000 * NSEC_PER_USEC)
#define NSEC_PER_SEC  (1000 * NSEC_PER_MSEC)

/* How long a write is waited for. */
#define LIMIT_MS 30000

/* What the CPU has to be idle, besides the random part, after its EPP went back. */
#define IDLE_NS (30 * NSEC_PER_MSEC)
/* Two ticks of the slowest kernel. */
#define RANDOM_NS (20 * NSEC_PER_MSEC)

typedef struct {
  int cpu;
  int watch_cpu;
  int episodes;
  char *file;
  char *boost;
} Options;

/* What the two threads share. */
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t wanted;
  gint64 begin_ns; /* under the lock; 0: no episode is wanted */
  gint64 onset_ns; /* atomic; 0: not spinning */
  gint stop;       /* atomic */
} Episode;

typedef enum {
  SEEN,
  NEVER_IDLE, /* not put back within the limit: something else keeps the CPU busy */
  NEVER_BUSY, /* not boosted within it */
  EARLY,      /* the CPU was boosted before the load began: something else ran there */
} Outcome;

static gint64
now_ns(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (gint64)now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static void
sleep_until(gint64 ns)
{
  struct timespec when = {.tv_sec = ns / NSEC_PER_SEC, .tv_nsec = ns % NSEC_PER_SEC};

  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR)
    ;
}

static gint64
wait_for_episode(Episode *episode)
{
  gint64 begin_ns;

  pthread_mutex_lock(&episode->lock);
  while (episode->begin_ns == 0)
    pthread_cond_wait(&episode->wanted, &episode->lock);
  begin_ns = episode->begin_ns;
  episode->begin_ns = 0;
  pthread_mutex_unlock(&episode->lock);
  return begin_ns;
}

static void *
spin(void *data)
{
  Episode *episode = data;

  for (;;) {
    sleep_until(wait_for_episode(episode));
    __atomic_store_n(&episode->onset_ns, now_ns(), __ATOMIC_SEQ_CST);
    while (!g_atomic_int_get(&episode->stop))
      ;
    __atomic_store_n(&episode->onset_ns, 0, __ATOMIC_SEQ_CST);
  }
  return NULL;
}

static bool
pin(int cpu)
{
  cpu_set_t set;

  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) == 0)
    return true;
  g_printerr("onset-latency: could not run on CPU %d: %s\n", cpu, g_strerror(errno));
  return false;
}

/* The thread inherits the CPU from its creator, which goes to its own afterwards. */
static bool
start_spinner(const Options *options, Episode *episode)
{
  pthread_t thread;

  if (!pin(options->cpu))
    return false;
  if (pthread_create(&thread, NULL, spin, episode) != 0) {
    g_printerr("onset-latency: could not start a thread\n");
    return false;
  }
  return pin(options->watch_cpu);
}

/* Without the right to it the wake-up of the watching thread adds to the figure. */
static void
go_first(void)
{
  struct sched_param param = {.sched_priority = 1};

  if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) != 0)
    g_printerr("onset-latency: no real-time priority: the times include waiting for a CPU\n");
}

/* The first line: an older, longer value may follow it where a plain file stands for sysfs'. */
static bool
holds_boost(const Options *options, int fd)
{
  char text[256];
  ssize_t n = pread(fd, text, sizeof text - 1, 0);

  text[MAX(n, 0)] = '\0';
  text[strcspn(text, "\n")] = '\0';
  return g_str_equal(text, options->boost);
}

/* Waits for the next write of the file; false at @limit_ns. */
static bool
wait_for_write(int inotify_fd, gint64 limit_ns)
{
  char events[4096];
  struct pollfd poll_fd = {.fd = inotify_fd, .events = POLLIN};

  for (;;) {
    gint64 left_ms = (limit_ns - now_ns()) / NSEC_PER_MSEC;

    if (left_ms <= 0)
      return false;
    if (poll(&poll_fd, 1, (int)left_ms) > 0 && read(inotify_fd, events, sizeof events) > 0)
      return true;
  }
}

static bool
wait_for_value(const Options *options, int fd, int inotify_fd, bool boost)
{
  gint64 limit_ns = now_ns() + LIMIT_MS * (gint64)NSEC_PER_MSEC;

  while (holds_boost(options, fd) != boost) {
    if (!wait_for_write(inotify_fd, limit_ns))
      return false;
  }
  return true;
}

static void
begin_episode(Episode *episode)
{
  gint64 gap_ns = IDLE_NS + g_random_int_range(0, RANDOM_NS);

  g_atomic_int_set(&episode->stop, 0);
  pthread_mutex_lock(&episode->lock);
  episode->begin_ns = now_ns() + gap_ns;
  pthread_cond_signal(&episode->wanted);
  pthread_mutex_unlock(&episode->lock);
}

static gint64
wait_for_onset(Episode *episode)
{
  gint64 onset_ns;

  while ((onset_ns = __atomic_load_n(&episode->onset_ns, __ATOMIC_SEQ_CST)) == 0)
    sleep_until(now_ns() + NSEC_PER_MSEC);
  return onset_ns;
}

/* Until the spinner has seen it, so that the next episode can't hide it. */
static void
end_episode(Episode *episode)
{
  g_atomic_int_set(&episode->stop, 1);
  while (__atomic_load_n(&episode->onset_ns, __ATOMIC_SEQ_CST) != 0)
    sleep_until(now_ns() + NSEC_PER_MSEC);
}

/* @taken_ns: from the onset to the news of the write. */
static Outcome
run_episode(const Options *options, Episode *episode, int fd, int inotify_fd, gint64 *taken_ns)
{
  gint64 seen_ns, onset_ns;
  bool seen;

  if (!wait_for_value(options, fd, inotify_fd, false))
    return NEVER_IDLE;
  begin_episode(episode);
  seen = wait_for_value(options, fd, inotify_fd, true);
  seen_ns = now_ns();
  onset_ns = wait_for_onset(episode);
  end_episode(episode);
  if (!seen)
    return NEVER_BUSY;
  *taken_ns = seen_ns - onset_ns;
  return *taken_ns > 0 ? SEEN : EARLY;
}

static bool
run(const Options *options, int fd, int inotify_fd)
{
  /* The thread uses it to the end. */
  static Episode episode = {.lock = PTHREAD_MUTEX_INITIALIZER, .wanted = PTHREAD_COND_INITIALIZER};
  int n_seen = 0;
  int n_early = 0;

  if (!start_spinner(options, &episode))
    return false;
  go_first();
  while (n_seen < options->episodes) {
    gint64 taken_ns = 0;

    switch (run_episode(options, &episode, fd, inotify_fd, &taken_ns)) {
    case SEEN:
      g_print("%.1f\n", (double)taken_ns / NSEC_PER_USEC);
      n_seen++;
      break;
    case EARLY:
      n_early++;
      break;
    case NEVER_IDLE:
      g_printerr("onset-latency: CPU %d is boosted without our load\n", options->cpu);
      return false;
    case NEVER_BUSY:
      g_printerr("onset-latency: CPU %d is not boosted under load\n", options->cpu);
      return false;
    }
    if (n_early > 10 * options->episodes) {
      g_printerr("onset-latency: CPU %d is busy without our load\n", options->cpu);
      return false;
    }
  }
  g_print("early %d\n", n_early);
  return true;
}

static void
clear_options(Options *options)
{
  g_free(options->file);
  g_free(options->boost);
}

static bool
parse_options(int argc, char **argv, Options *options)
{
  const GOptionEntry entries[] = {
      {"cpu", 0, 0, G_OPTION_ARG_INT, &options->cpu, "The CPU that is loaded", "N"},
      {"watch-cpu", 0, 0, G_OPTION_ARG_INT, &options->watch_cpu, "The CPU to watch from", "N"},
      {"episodes", 0, 0, G_OPTION_ARG_INT, &options->episodes, "How often", "N"},
      {"file", 0, 0, G_OPTION_ARG_FILENAME, &options->file, "The EPP file of the loaded CPU",
       "FILE"},
      {"boost", 0, 0, G_OPTION_ARG_STRING, &options->boost, "What a boost writes there", "EPP"},
      {NULL},
  };
  g_autoptr(GOptionContext) context = g_option_context_new("- time from load to the EPP write");
  g_autoptr(GError) error = NULL;

  g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, &argc, &argv, &error)) {
    g_printerr("onset-latency: %s\n", error->message);
    return false;
  }
  if (argc > 1 || options->cpu < 0 || options->cpu >= CPU_SETSIZE || options->watch_cpu < 0 ||
      options->watch_cpu >= CPU_SETSIZE || options->episodes < 1 || !options->file ||
      !options->boost) {
    g_printerr("onset-latency: wants --cpu N --watch-cpu N --episodes N --file FILE --boost EPP\n");
    return false;
  }
  return true;
}

static bool
watch_and_run(const Options *options)
{
  int fd = open(options->file, O_RDONLY | O_CLOEXEC);
  int inotify_fd = inotify_init1(IN_CLOEXEC);

  if (fd < 0 || inotify_fd < 0 || inotify_add_watch(inotify_fd, options->file, IN_MODIFY) < 0) {
    g_printerr("onset-latency: could not watch %s: %s\n", options->file, g_strerror(errno));
    return false;
  }
  return run(options, fd, inotify_fd);
}

int
main(int argc, char **argv)
{
  Options options = {.cpu = -1, .watch_cpu = -1, .episodes = -1};
  bool valid = parse_options(argc, argv, &options);
  bool ok = valid && watch_and_run(&options);

  clear_options(&options);
  return !valid ? 2 : ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
