/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording of any content, replayed in virtual and in real time. */
#include "fuzz.h"

#include "residency/trace-source.h"
#include "scratch.h"

/* More than an input has lines. */
#define ROUNDS_MAX 100000

typedef struct {
  gint64 last_usec;
  guint n_samples;
} Replay;

static void
on_sample(const EppdResidencySample *sample, gpointer data)
{
  Replay *replay = data;

  g_assert_true(sample->cpu < 4 || sample->cpu == EPPD_CPU_MAX - 1);
  g_assert_cmpuint(sample->busy_permille, <=, 1000);
  g_assert_cmpint(sample->when_usec, >=, replay->last_usec);
  replay->last_usec = sample->when_usec;
  replay->n_samples++;
}

static void
check_samples(EppdResidencySource *source)
{
  guint permille = 0;
  gint64 usec = 0;

  for (guint cpu = 0; cpu < 5; cpu++) {
    if (eppd_residency_source_get_sample(source, cpu, &permille, &usec))
      g_assert_cmpuint(permille, <=, 1000);
  }
}

static guint
replay_virtual(EppdResidencySource *source, guint max_samples)
{
  Replay replay = {.last_usec = G_MININT64};
  gint64 next_usec = 0;
  guint rounds = 0;

  while (next_usec >= 0) {
    gint64 before_usec = eppd_residency_source_get_time_usec(source);
    gint64 now_usec = eppd_residency_source_advance(source, -1);

    g_assert_cmpint(now_usec, >=, before_usec);
    next_usec = eppd_residency_source_dispatch(source, now_usec, max_samples, on_sample, &replay);
    g_assert_cmpuint(++rounds, <, ROUNDS_MAX);
  }
  return replay.n_samples;
}

static void
replay_real(EppdResidencySource *source, gint64 start_usec)
{
  Replay replay = {.last_usec = G_MININT64};
  gint64 now_usec = start_usec;
  guint rounds = 0;

  for (; now_usec >= 0; rounds++) {
    gint64 next_usec = eppd_residency_source_dispatch(source, now_usec, 3, on_sample, &replay);

    g_assert_cmpuint(rounds, <, ROUNDS_MAX);
    now_usec = next_usec < 0 ? -1 : MAX(now_usec, next_usec);
  }
}

static void
replay(const char *path, bool is_virtual, const EppdResidencyConfig *config)
{
  g_autoptr(EppdResidencySource) source = eppd_trace_source_new(path, is_virtual);
  g_autoptr(GError) error = NULL;
  gint64 start_usec = 1000 * 1000;

  eppd_residency_source_arm(source, config, start_usec, &error);
  g_assert_no_error(error);
  if (is_virtual) {
    guint n_samples = replay_virtual(source, 7);

    check_samples(source);
    /* Armed again, it says the same, in whatever portions. */
    eppd_residency_source_disarm(source);
    eppd_residency_source_arm(source, config, start_usec, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(replay_virtual(source, 1), ==, n_samples);
  } else {
    replay_real(source, start_usec);
  }
  check_samples(source);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *path = scratch_path(fuzz_scratch(), "trace");
  guint cpus[] = {0, 1, 2, 3, EPPD_CPU_MAX - 1};
  EppdResidencyConfig config = {
      .cpus = {.cpus = cpus, .n_cpus = G_N_ELEMENTS(cpus)},
      .threshold_permille = 500,
      .sample_usec = 10 * 1000,
  };

  scratch_write_bytes(fuzz_scratch(), "trace", (const char *)data, size);
  replay(path, true, &config);
  config.sample_usec = 1000;
  replay(path, false, &config);
  return 0;
}
