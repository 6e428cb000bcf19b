/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Our edges and those of the kernel's RFC, on the same random traces. GLib prints the seed;
 * --seed=… repeats a run. */

#include "policy/boost-state.h"
#include "policy/residency-window.h"
#include "rfc-model.h"

#define MS             1000
#define TSC_A_USEC     3000
#define N_TRACES       600
#define TRACE_USEC     (10 * G_USEC_PER_SEC)
#define LONGEST_WINDOW (2 * RFC_SAMPLE_USEC)

typedef struct {
  gint64 when_usec;
  EppdEdge edge;
} Edge;

/* ---- A CPU: ticks and context switches while it runs, silence while it sleeps ---- */

typedef struct {
  gint64 now_usec;
  guint64 mperf;
  guint64 tsc;
  gint64 phase_until_usec;
  int duty_percent; /* of the phase; 0: sleeps until its end */
  guint64 wake_up_cycles;
} Cpu;

static void
start_cpu(Cpu *cpu, guint64 wake_up_cycles)
{
  /* Counters anywhere, so that some wrap. */
  *cpu = (Cpu){
      .now_usec = g_test_rand_int_range(0, 1000 * MS),
      .wake_up_cycles = wake_up_cycles,
  };
  cpu->tsc = g_test_rand_bit() ? G_MAXUINT64 - (guint64)g_test_rand_int_range(0, G_MAXINT32) : 17;
  cpu->mperf = g_test_rand_bit() ? G_MAXUINT64 - (guint64)g_test_rand_int_range(0, G_MAXINT32) : 5;
}

static void
run_cpu(Cpu *cpu, gint64 usec, int duty_percent)
{
  guint64 cycles = (guint64)usec * TSC_A_USEC;

  cpu->now_usec += usec;
  cpu->tsc += cycles;
  cpu->mperf += cycles * (guint64)duty_percent / 100;
}

static void
start_phase(Cpu *cpu)
{
  int dice = g_test_rand_int_range(0, 10);

  if (dice < 4)
    cpu->duty_percent = g_test_rand_int_range(60, 101);
  else if (dice < 7)
    cpu->duty_percent = g_test_rand_int_range(1, 55);
  else
    cpu->duty_percent = 0;
  cpu->phase_until_usec = cpu->now_usec + g_test_rand_int_range(1 * MS, 800 * MS);
}

/* Goes on to the CPU's next event. The event that starts a sleep is the switch to idle, the one
 * that ends it the switch from idle. */
static void
next_event(Cpu *cpu)
{
  gint64 left_usec = cpu->phase_until_usec - cpu->now_usec;

  if (left_usec <= 0) {
    start_phase(cpu);
    left_usec = cpu->phase_until_usec - cpu->now_usec;
  }
  if (cpu->duty_percent == 0) {
    run_cpu(cpu, left_usec, 0);
    cpu->mperf += cpu->wake_up_cycles;
  } else {
    run_cpu(cpu, MIN(left_usec, g_test_rand_int_range(1, 4 * MS)), cpu->duty_percent);
  }
}

/* ---- What the RFC does, and what that makes us expect of ours ---- */

static void
add_edge(GArray *edges, gint64 when_usec, EppdEdge edge)
{
  Edge entry = {when_usec, edge};

  g_array_append_val(edges, entry);
}

/* Ours are the RFC's, but that the clock ends a hold: where the RFC falls at a later sample, and
 * where it goes on because a busy sample comes only after the hold. */
static void
expect(GArray *edges, RfcEvent event, gint64 last_busy_usec, gint64 now_usec, bool by_clock)
{
  gint64 release_usec = last_busy_usec + RFC_HOLD_USEC;

  switch (event) {
  case RFC_NOTHING:
    return;
  case RFC_RISE:
    add_edge(edges, now_usec, EPPD_EDGE_BUSY);
    return;
  case RFC_FALL:
    g_assert_cmpint(release_usec, <=, now_usec);
    add_edge(edges, by_clock ? release_usec : now_usec, EPPD_EDGE_IDLE);
    return;
  case RFC_BRIDGE:
    if (!by_clock)
      return;
    add_edge(edges, release_usec, EPPD_EDGE_IDLE);
    add_edge(edges, now_usec, EPPD_EDGE_BUSY);
    return;
  }
}

/* ---- Ours ---- */

typedef struct {
  EppdResidencyWindow window;
  EppdBoostState state;
  EppdBoostParams params;
} Ours;

static void
take(GArray *edges, EppdEdge edge, gint64 when_usec)
{
  if (edge != EPPD_EDGE_NONE)
    add_edge(edges, when_usec, edge);
}

static void
run_timer(Ours *ours, GArray *edges, gint64 until_usec)
{
  gint64 deadline_usec;

  while ((deadline_usec = eppd_boost_state_deadline_usec(&ours->state, &ours->params)) >= 0 &&
         deadline_usec <= until_usec)
    take(edges, eppd_boost_state_expire(&ours->state, &ours->params, deadline_usec), deadline_usec);
}

static void
read_counters(Ours *ours, const Cpu *cpu, gint64 max_window_usec, GArray *edges)
{
  guint busy_permille = 0;

  if (ours->window.has_baseline && cpu->now_usec - ours->window.when_usec < RFC_SAMPLE_USEC)
    return;
  if (eppd_residency_window_add(&ours->window, cpu->mperf, cpu->tsc, cpu->now_usec, max_window_usec,
                                &busy_permille) != EPPD_WINDOW_SAMPLE)
    return;
  take(edges, eppd_boost_state_sample(&ours->state, &ours->params, busy_permille, cpu->now_usec),
       cpu->now_usec);
}

/* ---- Both ---- */

typedef struct {
  gint64 max_window_usec;
  bool by_clock;
  guint64 wake_up_cycles; /* 0: MPERF is the same before and after a sleep, which is no sample */
} Variant;

typedef struct {
  guint rises;
  guint falls;
  guint bridges;
  guint early_releases;
} Tally;

static void
count(Tally *tally, RfcEvent event, gint64 last_busy_usec, gint64 now_usec)
{
  tally->rises += event == RFC_RISE;
  tally->falls += event == RFC_FALL;
  tally->bridges += event == RFC_BRIDGE;
  tally->early_releases += event == RFC_FALL && last_busy_usec + RFC_HOLD_USEC < now_usec;
}

static void
compare(const GArray *ours, const GArray *expected)
{
  for (guint i = 0; i < MIN(ours->len, expected->len); i++) {
    const Edge *a = &g_array_index(ours, Edge, i);
    const Edge *b = &g_array_index(expected, Edge, i);

    g_assert_cmpint((int)a->edge, ==, (int)b->edge);
    g_assert_cmpint(a->when_usec, ==, b->when_usec);
  }
  g_assert_cmpuint(ours->len, ==, expected->len);
}

static void
run_trace(const Variant *variant, Tally *tally)
{
  g_autoptr(GArray) expected = g_array_new(FALSE, FALSE, sizeof(Edge));
  g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(Edge));
  Ours ours = {.params = {.threshold_permille = 500, .hold_usec = RFC_HOLD_USEC}};
  RfcModel model = {0};
  Cpu cpu;
  gint64 end_usec;

  start_cpu(&cpu, variant->wake_up_cycles);
  end_usec = cpu.now_usec + TRACE_USEC;
  while (cpu.now_usec < end_usec || model.active) {
    gint64 last_busy_usec = model.last_busy_usec;
    RfcEvent event;

    /* In the end the CPU only wakes now and then, until both have released it. */
    if (cpu.now_usec < end_usec)
      next_event(&cpu);
    else
      run_cpu(&cpu, 50 * MS, 2);

    event = rfc_model_update(&model, cpu.mperf, cpu.tsc, cpu.now_usec);
    expect(expected, event, last_busy_usec, cpu.now_usec, variant->by_clock);
    count(tally, event, last_busy_usec, cpu.now_usec);

    if (variant->by_clock)
      run_timer(&ours, edges, cpu.now_usec);
    read_counters(&ours, &cpu, variant->max_window_usec, edges);
  }
  compare(edges, expected);
}

static void
test_edges(gconstpointer data)
{
  Tally tally = {0};

  for (guint i = 0; i < N_TRACES; i++)
    run_trace(data, &tally);

  g_test_message("%u rises, %u falls, %u of them released earlier, %u bridges", tally.rises,
                 tally.falls, tally.early_releases, tally.bridges);
  /* The traces hold what the test is about. */
  g_assert_cmpuint(tally.rises, >, N_TRACES);
  g_assert_cmpuint(tally.falls, ==, tally.rises);
  g_assert_cmpuint(tally.early_releases, >, N_TRACES);
  g_assert_cmpuint(tally.bridges, >, 0);
}

int
main(int argc, char **argv)
{
  static const Variant samples_alone = {G_MAXINT64, false, 0};
  static const Variant with_the_clock = {G_MAXINT64, true, 0};
  static const Variant without_long_windows = {LONGEST_WINDOW, true, 5000};

  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/rfc-equivalence/the-same-edges-by-samples-alone", &samples_alone,
                       test_edges);
  g_test_add_data_func("/rfc-equivalence/the-clock-releases-at-the-end-of-the-hold",
                       &with_the_clock, test_edges);
  g_test_add_data_func("/rfc-equivalence/a-window-of-sleep-is-no-busy-sample-anyway",
                       &without_long_windows, test_edges);
  return g_test_run();
}
