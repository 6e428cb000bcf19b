/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf-machine.h"
#include "residency/bpf/bpf-source.h"
#include "spinner.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

/* The real program in the real kernel, and a thread that keeps a CPU busy. */

#define LIMIT_USEC (60 * G_USEC_PER_SEC)

typedef struct {
  const char *name;
  EppdBpfVariant variant;
  const char *mperf_event;
  guint min_permille; /* of a busy CPU, by this variant */
} Variant;

/* tsc stands for MPERF, which a virtual machine seldom has. */
static const Variant variants[] = {
    {"mperf", EPPD_BPF_MPERF, "tsc", 990},
    {"idle", EPPD_BPF_IDLE, NULL, 900},
};

typedef struct {
  const Variant *variant;
  guint cpu;
  guint n_samples;
  guint max_permille;
  gint64 when_usec;
} Seen;

static bool
can_run(const Variant *variant)
{
  return bpf_machine_can_run(variant->variant == EPPD_BPF_MPERF);
}

static void
note_sample(const EppdResidencySample *sample, gpointer data)
{
  Seen *seen = data;

  g_assert_cmpuint(sample->cpu, ==, seen->cpu);
  g_assert_cmpuint(sample->busy_permille, <=, 1000);
  g_assert_cmpint(sample->when_usec, >, seen->when_usec);
  g_assert_cmpint(sample->when_usec, <=, g_get_monotonic_time());
  seen->n_samples++;
  seen->max_permille = MAX(seen->max_permille, sample->busy_permille);
  seen->when_usec = sample->when_usec;
}

/* Takes what is there now; the number of samples. */
static guint
take_samples(EppdResidencySource *source, Seen *seen)
{
  guint before = seen->n_samples;

  while (eppd_residency_source_dispatch(source, 1, 4, note_sample, seen) != -1)
    ;
  return seen->n_samples - before;
}

static void
wait_for_samples(EppdResidencySource *source, Seen *seen, guint n)
{
  struct pollfd poll_fd = {.fd = eppd_residency_source_get_fd(source), .events = POLLIN};
  guint wanted = seen->n_samples + n;

  while (seen->n_samples < wanted) {
    int ready = poll(&poll_fd, 1, LIMIT_USEC / 1000);

    if (ready < 0 && errno == EINTR)
      continue;
    g_assert_cmpint(ready, ==, 1);
    take_samples(source, seen);
  }
}

/* Waits until the program itself saw @n more samples, sent or not. */
static void
wait_for_windows(EppdResidencySource *source, guint cpu, guint n)
{
  gint64 limit_usec = g_get_monotonic_time() + LIMIT_USEC;
  gint64 last_usec = 0;
  guint busy_permille;

  eppd_residency_source_get_sample(source, cpu, &busy_permille, &last_usec);
  while (n > 0) {
    gint64 when_usec = last_usec;

    eppd_residency_source_get_sample(source, cpu, &busy_permille, &when_usec);
    if (when_usec != last_usec)
      n--;
    last_usec = when_usec;
    g_assert_cmpint(g_get_monotonic_time(), <, limit_usec);
    g_usleep(500);
  }
}

typedef struct {
  EppdResidencySource *source;
  EppdResidencyConfig config;
  guint cpus[1];
  Spinner *spinner;
  Seen seen;
} Fixture;

static void
set_up(Fixture *fixture, gconstpointer data)
{
  const Variant *variant = data;

  fixture->source = eppd_bpf_source_new(variant->variant, variant->mperf_event);
  fixture->cpus[0] = spinner_choose_cpu();
  fixture->config = (EppdResidencyConfig){
      .cpus = {fixture->cpus, 1}, .threshold_permille = 500, .sample_usec = 10000};
  fixture->spinner = spinner_new(fixture->cpus[0]);
  fixture->seen = (Seen){.variant = variant, .cpu = fixture->cpus[0]};
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  spinner_free(fixture->spinner);
  eppd_residency_source_free(fixture->source);
}

static void
arm(Fixture *fixture)
{
  g_autoptr(GError) error = NULL;

  eppd_residency_source_arm(fixture->source, &fixture->config, g_get_monotonic_time(), &error);
  g_assert_no_error(error);
}

/* A window that another's wake-up cut short may be less busy: the most of many is asked for. */
static void
test_busy_cpu_is_seen(Fixture *fixture, gconstpointer data)
{
  const Variant *variant = data;
  gint64 last_busy_usec = 0, when_usec = 0;
  guint busy_permille = 0;

  if (!can_run(variant))
    return;
  arm(fixture);
  wait_for_samples(fixture->source, &fixture->seen, 20);
  g_assert_cmpuint(fixture->seen.max_permille, >=, variant->min_permille);
  g_assert_true(eppd_residency_source_get_last_busy(fixture->source, fixture->cpus[0],
                                                    &last_busy_usec, NULL));
  g_assert_cmpint(last_busy_usec, >=, fixture->seen.when_usec);
  g_assert_true(eppd_residency_source_get_sample(fixture->source, fixture->cpus[0], &busy_permille,
                                                 &when_usec));
  g_assert_cmpint(when_usec, >=, fixture->seen.when_usec);
  g_assert_cmpuint(busy_permille, <=, 1000);
}

static void
test_boosted_cpu_is_silent(Fixture *fixture, gconstpointer data)
{
  EppdResidencySource *source = fixture->source;
  guint cpu = fixture->cpus[0];
  gint64 before_usec = 0, after_usec = 0;

  if (!can_run(data))
    return;
  arm(fixture);
  wait_for_samples(source, &fixture->seen, 1);

  eppd_residency_source_set_boosted(source, cpu, true);
  /* The window that was under way may still be sent; two ends later none is. */
  wait_for_windows(source, cpu, 2);
  take_samples(source, &fixture->seen);
  g_assert_true(eppd_residency_source_get_last_busy(source, cpu, &before_usec, NULL));
  wait_for_windows(source, cpu, 10);
  g_assert_cmpuint(take_samples(source, &fixture->seen), ==, 0);
  g_assert_true(eppd_residency_source_get_last_busy(source, cpu, &after_usec, NULL));
  g_assert_cmpint(after_usec, >, before_usec);

  eppd_residency_source_set_boosted(source, cpu, false);
  wait_for_samples(source, &fixture->seen, 2);
}

static void
test_disarmed_is_silent(Fixture *fixture, gconstpointer data)
{
  EppdResidencySource *source = fixture->source;
  guint cpu = fixture->cpus[0];
  gint64 usec = 0;
  guint permille, n_fds = 0;

  if (!can_run(data))
    return;
  for (guint round = 0; round < 3; round++) {
    struct pollfd poll_fd = {.events = POLLIN};

    arm(fixture);
    g_assert_cmpuint(bpf_machine_count_links(), >, 0);
    poll_fd.fd = eppd_residency_source_get_fd(source);
    wait_for_samples(source, &fixture->seen, 2);

    eppd_residency_source_disarm(source);
    g_assert_cmpint(eppd_residency_source_get_fd(source), ==, -1);
    g_assert_cmpuint(bpf_machine_count_links(), ==, 0);
    g_assert_cmpuint(bpf_machine_count_fds("perf_event"), ==, 0);
    /* The program stays loaded after the first time, and nothing is added to it. */
    if (round == 0)
      n_fds = bpf_machine_count_fds(NULL);
    g_assert_cmpuint(bpf_machine_count_fds(NULL), ==, n_fds);

    /* A CPU that spins through many windows' time writes nothing any more. */
    g_assert_cmpint(poll(&poll_fd, 1, 200), ==, 0);
    g_assert_true(eppd_residency_source_get_sample(source, cpu, &permille, &usec));
    g_assert_cmpint(usec, <, g_get_monotonic_time() - 100000);
  }
}

static void
test_rearming_forgets(Fixture *fixture, gconstpointer data)
{
  EppdResidencySource *source = fixture->source;
  guint cpu = fixture->cpus[0];
  guint permille;
  gint64 usec = 0;

  if (!can_run(data))
    return;
  arm(fixture);
  wait_for_samples(source, &fixture->seen, 1);
  eppd_residency_source_set_boosted(source, cpu, true);
  eppd_residency_source_disarm(source);

  /* No tick of the spinning CPU can have ended a window within so long a period. */
  fixture->config.sample_usec = 30 * G_USEC_PER_SEC;
  arm(fixture);
  g_assert_false(eppd_residency_source_get_last_busy(source, cpu, &usec, NULL));
  g_assert_false(eppd_residency_source_get_sample(source, cpu, &permille, &usec));
  g_assert_cmpint(usec, ==, 0);
  g_assert_cmpuint(take_samples(source, &fixture->seen), ==, 0);

  /* It was boosted before; now it is not, until that is said again. */
  fixture->config.sample_usec = 10000;
  g_assert_true(eppd_residency_source_configure(source, &fixture->config, NULL));
  wait_for_samples(source, &fixture->seen, 2);
}

static void
test_configure_while_armed(Fixture *fixture, gconstpointer data)
{
  EppdResidencySource *source = fixture->source;
  guint cpu = fixture->cpus[0];

  if (!can_run(data))
    return;
  arm(fixture);
  wait_for_samples(source, &fixture->seen, 1);

  fixture->config.threshold_permille = 1001;
  g_assert_true(eppd_residency_source_configure(source, &fixture->config, NULL));
  wait_for_windows(source, cpu, 2);
  take_samples(source, &fixture->seen);
  wait_for_windows(source, cpu, 5);
  g_assert_cmpuint(take_samples(source, &fixture->seen), ==, 0);

  fixture->config.threshold_permille = 1;
  fixture->config.sample_usec = 50000;
  g_assert_true(eppd_residency_source_configure(source, &fixture->config, NULL));
  g_assert_cmpint(eppd_residency_source_get_period_usec(source), >=, 40000);
  g_assert_cmpint(eppd_residency_source_get_period_usec(source), <=, 60000);
  wait_for_samples(source, &fixture->seen, 2);
  {
    /* Windows are as long as is said now. */
    gint64 first_usec = fixture->seen.when_usec;

    wait_for_samples(source, &fixture->seen, 1);
    g_assert_cmpint(fixture->seen.when_usec - first_usec, >=, 40000);
  }
}

static void
test_self_test(Fixture *fixture, gconstpointer data)
{
  const Variant *variant = data;
  g_autofree char *detail = NULL;
  g_autoptr(GError) error = NULL;

  if (!can_run(variant))
    return;
  eppd_residency_source_self_test(fixture->source, &detail, &error);
  g_assert_no_error(error);
  g_test_message("%s", detail);
  g_assert_true(g_str_has_prefix(detail, variant->variant == EPPD_BPF_MPERF
                                             ? "MPERF on the tick, every "
                                             : "idle time on the tick and cpu_idle, every "));
  g_assert_cmpuint(bpf_machine_count_fds("perf_event"), ==, 0);
  arm(fixture);
  wait_for_samples(fixture->source, &fixture->seen, 1);
}

static void
test_absent_cpus(Fixture *fixture, gconstpointer data)
{
  guint cpus[] = {fixture->cpus[0], EPPD_CPU_MAX - 1};

  if (!can_run(data))
    return;
  fixture->config.cpus = (EppdCpuList){cpus, 2};
  arm(fixture);
  wait_for_samples(fixture->source, &fixture->seen, 1);
  eppd_residency_source_set_boosted(fixture->source, EPPD_CPU_MAX - 1, true);
  g_assert_false(
      eppd_residency_source_get_last_busy(fixture->source, EPPD_CPU_MAX - 1, NULL, NULL));
}

static void
disarm_on_sample(const EppdResidencySample *sample, gpointer data)
{
  Fixture *fixture = data;

  fixture->seen.n_samples++;
  eppd_residency_source_disarm(fixture->source);
}

static void
test_disarm_within_dispatch(Fixture *fixture, gconstpointer data)
{
  struct pollfd poll_fd = {.events = POLLIN};

  if (!can_run(data))
    return;
  arm(fixture);
  poll_fd.fd = eppd_residency_source_get_fd(fixture->source);
  wait_for_windows(fixture->source, fixture->cpus[0], 3);
  while (fixture->seen.n_samples == 0) {
    g_assert_cmpint(poll(&poll_fd, 1, LIMIT_USEC / 1000), ==, 1);
    g_assert_cmpint(
        eppd_residency_source_dispatch(fixture->source, 1, 32, disarm_on_sample, fixture), ==, -1);
  }
  g_assert_cmpuint(fixture->seen.n_samples, ==, 1);
}

/* A machine without MPERF, for which a missing event stands. */
static void
test_auto_without_mperf(void)
{
  g_autoptr(EppdResidencySource) source = eppd_bpf_source_new(EPPD_BPF_AUTO, "nonesuch");
  g_autoptr(EppdResidencySource) strict = eppd_bpf_source_new(EPPD_BPF_MPERF, "nonesuch");
  g_autofree char *detail = NULL;
  g_autoptr(GError) error = NULL;

  if (!can_run(&variants[1]))
    return;
  eppd_residency_source_self_test(source, &detail, &error);
  g_assert_no_error(error);
  g_assert_true(g_str_has_prefix(detail, "idle time on the tick and cpu_idle (no MPERF here"));

  g_assert_false(eppd_residency_source_self_test(strict, &detail, &error));
  g_assert_nonnull(strstr(error->message, "nonesuch"));
}

/* Armed without a self-test, auto finds its way as well. */
static void
test_auto_arms(void)
{
  Fixture fixture;

  if (!can_run(&variants[1]))
    return;
  set_up(&fixture, &variants[1]);
  eppd_residency_source_free(fixture.source);
  fixture.source = eppd_bpf_source_new(EPPD_BPF_AUTO, "nonesuch");
  arm(&fixture);
  wait_for_samples(fixture.source, &fixture.seen, 1);
  tear_down(&fixture, NULL);
}

static void
add_test(const char *name, void (*func)(Fixture *fixture, gconstpointer data))
{
  for (guint i = 0; i < G_N_ELEMENTS(variants); i++) {
    g_autofree char *path = g_strdup_printf("/bpf-source/%s/%s", variants[i].name, name);

    g_test_add(path, Fixture, &variants[i], set_up, func, tear_down);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  add_test("a busy CPU is seen", test_busy_cpu_is_seen);
  add_test("a boosted CPU is silent and its busy time moves", test_boosted_cpu_is_silent);
  add_test("disarmed it is silent and holds nothing", test_disarmed_is_silent);
  add_test("armed again it has forgotten", test_rearming_forgets);
  add_test("it is configured while armed", test_configure_while_armed);
  add_test("self-test", test_self_test);
  add_test("absent CPUs are left out", test_absent_cpus);
  add_test("it may be disarmed by its callback", test_disarm_within_dispatch);
  g_test_add_func("/bpf-source/auto/says why it is idle time", test_auto_without_mperf);
  g_test_add_func("/bpf-source/auto/arms without a self-test", test_auto_arms);
  return g_test_run();
}
