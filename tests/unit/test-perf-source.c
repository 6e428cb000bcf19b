/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "residency/msr-event.h"
#include "residency/perf-source.h"
#include "skip.h"
#include "spinner.h"

#include <string.h>
#include <unistd.h>

#define LIMIT_USEC (60 * G_USEC_PER_SEC)

/* tsc stands for MPERF, which a virtual machine seldom has. False, and the test skipped, where
 * there is not even that. */
static bool
have_tsc(void)
{
  g_autoptr(GError) error = NULL;
  EppdMsrEvent event;
  int fd;

  if (eppd_msr_event_find("tsc", &event, &error)) {
    fd = eppd_msr_event_open(&event, spinner_choose_cpu(), -1, &error);
    if (fd >= 0) {
      close(fd);
      return true;
    }
  }
  skip_lacking_root(error->message);
  return false;
}

static guint
count_fds(void)
{
  g_autoptr(GDir) directory = g_dir_open("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (g_dir_read_name(directory))
    n++;
  return n;
}

typedef struct {
  guint cpu;
  guint n_samples;
  guint max_permille; /* of all: a hypervisor may take the CPU between the reads of two counters */
  gint64 when_usec;
} Seen;

static void
note_sample(const EppdResidencySample *sample, gpointer data)
{
  Seen *seen = data;

  g_assert_cmpuint(sample->cpu, ==, seen->cpu);
  g_assert_cmpuint(sample->busy_permille, <=, 1000);
  g_assert_cmpint(sample->when_usec, >, seen->when_usec);
  seen->n_samples++;
  seen->max_permille = MAX(seen->max_permille, sample->busy_permille);
  seen->when_usec = sample->when_usec;
}

/* Dispatches as a main loop does, until @n samples were seen. */
static void
wait_for_samples(EppdResidencySource *source, Seen *seen, guint n)
{
  gint64 limit_usec = g_get_monotonic_time() + LIMIT_USEC;

  while (seen->n_samples < n) {
    gint64 now_usec = g_get_monotonic_time();
    gint64 next_usec = eppd_residency_source_dispatch(source, now_usec, 8, note_sample, seen);

    g_assert_cmpint(now_usec, <, limit_usec);
    g_assert_cmpint(next_usec, !=, -1);
    g_usleep((gulong)MAX(next_usec - g_get_monotonic_time(), 0));
  }
  g_assert_cmpuint(seen->max_permille, >=, 990);
}

static void
test_busy_cpu(void)
{
  g_autoptr(EppdResidencySource) source = eppd_perf_source_new_with_event("tsc");
  guint cpu = spinner_choose_cpu();
  guint cpus[] = {cpu, EPPD_CPU_MAX - 1}; /* the second is not there */
  g_autoptr(Spinner) spinner = NULL;
  EppdResidencyConfig config = {.cpus = {cpus, 2}, .threshold_permille = 500, .sample_usec = 5000};
  g_autoptr(GError) error = NULL;
  Seen seen = {.cpu = cpu};
  guint n_fds, busy_permille;
  gint64 when_usec;

  if (!have_tsc())
    return;
  spinner = spinner_new(cpu);
  n_fds = count_fds();
  for (guint round = 0; round < 2; round++) {
    eppd_residency_source_arm(source, &config, g_get_monotonic_time(), &error);
    g_assert_no_error(error);
    /* /proc/stat, and two counters of the one CPU. */
    g_assert_cmpuint(count_fds(), ==, n_fds + 3);
    g_assert_cmpint(eppd_residency_source_get_period_usec(source), ==, 5000);
    seen.n_samples = 0;
    wait_for_samples(source, &seen, 3);
    g_assert_true(eppd_residency_source_get_sample(source, cpu, &busy_permille, &when_usec));
    g_assert_cmpint(when_usec, ==, seen.when_usec);

    eppd_residency_source_disarm(source);
    g_assert_cmpuint(count_fds(), ==, n_fds);
    g_assert_cmpint(eppd_residency_source_dispatch(source, 0, 8, note_sample, &seen), ==, -1);
  }
}

static void
test_no_cpu_at_all(void)
{
  g_autoptr(EppdResidencySource) source = eppd_perf_source_new_with_event("tsc");
  guint cpu = EPPD_CPU_MAX - 1;
  EppdResidencyConfig config = {.cpus = {&cpu, 1}, .threshold_permille = 500, .sample_usec = 5000};
  g_autoptr(GError) error = NULL;
  guint n_fds;

  if (!have_tsc())
    return;
  n_fds = count_fds();
  g_assert_false(eppd_residency_source_arm(source, &config, 0, &error));
  g_assert_nonnull(error);
  g_assert_cmpuint(count_fds(), ==, n_fds);
}

static void
test_self_test(void)
{
  g_autoptr(EppdResidencySource) source = eppd_perf_source_new_with_event("tsc");
  g_autofree char *detail = NULL;
  g_autoptr(GError) error = NULL;

  if (!have_tsc())
    return;
  eppd_residency_source_self_test(source, &detail, &error);
  g_assert_no_error(error);
  g_assert_nonnull(strstr(detail, "MPERF"));
}

/* An event that no machine has is what MPERF is to a virtual one. */
static void
test_no_mperf(void)
{
  static const char *const names[] = {"nonesuch", "../type", ""};

  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(EppdResidencySource) source = eppd_perf_source_new_with_event(names[i]);
    g_autoptr(GError) error = NULL;
    char *detail = NULL;

    g_assert_false(eppd_residency_source_self_test(source, &detail, &error));
    g_assert_true(g_str_has_prefix(error->message, "no MPERF here ("));
    g_assert_null(detail);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/perf-source/a busy CPU is seen and nothing is left open", test_busy_cpu);
  g_test_add_func("/perf-source/no CPU that can be opened is an error", test_no_cpu_at_all);
  g_test_add_func("/perf-source/self-test", test_self_test);
  g_test_add_func("/perf-source/a missing event is the reason", test_no_mperf);
  return g_test_run();
}
