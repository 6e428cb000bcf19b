/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/procstat-source.h"
#include "skip.h"
#include "spinner.h"

#define LIMIT_USEC (60 * G_USEC_PER_SEC)

typedef struct {
  guint cpu;
  guint n_samples;
  guint max_permille;
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

static void
test_busy_cpu(void)
{
  g_autoptr(EppdResidencySource) source = eppd_procstat_source_new();
  guint cpu = spinner_choose_cpu();
  Spinner *spinner = spinner_new(cpu);
  EppdResidencyConfig config = {.cpus = {&cpu, 1}, .threshold_permille = 500, .sample_usec = 10000};
  gint64 start_usec = g_get_monotonic_time();
  Seen seen = {.cpu = cpu};
  guint busy_permille = 0;
  gint64 when_usec = 0;
  gint64 now_usec = start_usec;

  g_assert_true(eppd_residency_source_arm(source, &config, now_usec, NULL));
  g_assert_cmpint(eppd_residency_source_get_fd(source), ==, -1);
  while (seen.max_permille < 900) {
    gint64 next_usec = eppd_residency_source_dispatch(source, now_usec, 8, note_sample, &seen);

    g_assert_cmpint(next_usec, ==, now_usec + eppd_residency_source_get_period_usec(source));
    g_assert_cmpint(now_usec, <, start_usec + LIMIT_USEC);
    g_usleep((gulong)MAX(next_usec - g_get_monotonic_time(), 0));
    now_usec = g_get_monotonic_time();
  }
  g_assert_true(eppd_residency_source_get_sample(source, cpu, &busy_permille, &when_usec));
  g_assert_cmpint(when_usec, ==, seen.when_usec);
  g_assert_cmpuint(busy_permille, ==, seen.max_permille);

  eppd_residency_source_disarm(source);
  g_assert_cmpint(eppd_residency_source_dispatch(source, now_usec, 8, note_sample, &seen), ==, -1);
  g_assert_false(eppd_residency_source_get_sample(source, cpu, &busy_permille, &when_usec));
  spinner_free(spinner);
}

static void
count_sample(const EppdResidencySample *sample, gpointer data)
{
  (*(guint *)data)++;
}

/* All that there is comes, however little is taken in one call; times are given, none passes. */
static void
test_bounded_dispatch(void)
{
  g_autoptr(EppdResidencySource) source = eppd_procstat_source_new();
  guint cpus[] = {0, spinner_choose_cpu(), EPPD_CPU_MAX - 1};
  Spinner *spinner;
  EppdResidencyConfig config = {.cpus = {cpus, 3}, .threshold_permille = 500, .sample_usec = 10000};
  gint64 now_usec = 1000000;
  guint n = 0;

  if (cpus[1] == 0) {
    skip_lacking("a second CPU");
    return;
  }
  spinner = spinner_new(cpus[1]);
  g_assert_true(eppd_residency_source_arm(source, &config, now_usec, NULL));
  g_assert_cmpint(eppd_residency_source_dispatch(source, now_usec, 1, count_sample, &n), ==,
                  now_usec + 100000);
  g_assert_cmpuint(n, ==, 0);
  /* Until the units of 10 ms have moved for both CPUs. */
  while (n < 2) {
    gint64 next_usec;

    n = 0;
    now_usec += 100000;
    g_usleep(50000);
    do {
      guint before = n;

      next_usec = eppd_residency_source_dispatch(source, now_usec, 1, count_sample, &n);
      g_assert_cmpuint(n, <=, before + 1);
    } while (next_usec == now_usec);
  }
  g_assert_cmpuint(n, ==, 2);
  spinner_free(spinner);
}

static void
test_self_test(void)
{
  g_autoptr(EppdResidencySource) source = eppd_procstat_source_new();
  g_autofree char *detail = NULL;
  g_autoptr(GError) error = NULL;

  g_assert_true(eppd_residency_source_self_test(source, &detail, &error));
  g_assert_no_error(error);
  g_assert_cmpstr(detail, ==, "/proc/stat every 100 ms");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/procstat-source/a busy CPU is seen", test_busy_cpu);
  g_test_add_func("/procstat-source/dispatch is bounded", test_bounded_dispatch);
  g_test_add_func("/procstat-source/self-test", test_self_test);
  return g_test_run();
}
