/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf-machine.h"
#include "cgroup-load.h"
#include "residency/bpf/bpf-source.h"
#include "spinner.h"

#include <poll.h>

/* The real programs in the real kernel, and real processes in real cgroups. */

#define LIMIT_USEC (60 * G_USEC_PER_SEC)
#define MSEC       1000

/* A frame that is a small share of any window, whatever else runs there. */
#define SMALL_WORK_USEC  1000
#define SMALL_SLEEP_USEC 20000

#define N_GROUPS 3

typedef struct {
  EppdResidencySource *source;
  EppdResidencyConfig config;
  guint cpu;
  EppdAppRule rules[EPPD_APP_RULES_MAX];
  TestCgroup *groups[N_GROUPS];
  guint n_core; /* samples, of the core itself */
  guint n_app[N_GROUPS];
  guint least_permille[N_GROUPS]; /* of theirs */
  guint n_strange;                /* of nobody's */
} Fixture;

static bool
set_up(Fixture *fixture, EppdBpfVariant variant)
{
  *fixture = (Fixture){.cpu = spinner_choose_cpu()};
  for (guint i = 0; i < N_GROUPS; i++)
    fixture->least_permille[i] = 1000;
  if (!bpf_machine_can_run(variant == EPPD_BPF_MPERF))
    return false;
  for (guint i = 0; i < N_GROUPS; i++) {
    /* Each one in the one before it. */
    fixture->groups[i] = test_cgroup_new(i > 0 ? fixture->groups[i - 1] : NULL, "app");
    if (!fixture->groups[i]) {
      skip_lacking("a cgroup v2 hierarchy that takes new cgroups");
      return false;
    }
  }
  fixture->source = eppd_bpf_source_new(variant, variant == EPPD_BPF_MPERF ? "tsc" : NULL);
  fixture->config = (EppdResidencyConfig){
      .cpus = {&fixture->cpu, 1},
      .threshold_permille = EPPD_RESIDENCY_NEVER_BUSY,
      .sample_usec = 10 * MSEC,
      .apps = fixture->rules,
  };
  return true;
}

static void
clear_up(Fixture *fixture)
{
  eppd_residency_source_free(fixture->source);
  for (guint i = N_GROUPS; i-- > 0;)
    g_clear_pointer(&fixture->groups[i], test_cgroup_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fixture, clear_up)

static void
add_rule(Fixture *fixture, guint64 cgroup_id, guint threshold_permille)
{
  fixture->rules[fixture->config.n_apps++] = (EppdAppRule){cgroup_id, threshold_permille};
}

static void
add_group_rule(Fixture *fixture, guint group, guint threshold_permille)
{
  add_rule(fixture, test_cgroup_id(fixture->groups[group]), threshold_permille);
}

static void
arm(Fixture *fixture)
{
  g_autoptr(GError) error = NULL;

  eppd_residency_source_arm(fixture->source, &fixture->config, g_get_monotonic_time(), &error);
  g_assert_no_error(error);
  g_assert_true(eppd_residency_source_knows_apps(fixture->source));
}

static void
configure(Fixture *fixture)
{
  g_autoptr(GError) error = NULL;

  eppd_residency_source_configure(fixture->source, &fixture->config, &error);
  g_assert_no_error(error);
}

static void
note_sample(const EppdResidencySample *sample, gpointer data)
{
  Fixture *fixture = data;

  g_assert_cmpuint(sample->cpu, ==, fixture->cpu);
  g_assert_cmpuint(sample->busy_permille, <=, 1000);
  g_assert_cmpint(sample->when_usec, <=, g_get_monotonic_time());
  if (sample->app == 0) {
    fixture->n_core++;
    return;
  }
  for (guint i = 0; i < N_GROUPS; i++) {
    if (sample->app == test_cgroup_id(fixture->groups[i])) {
      fixture->n_app[i]++;
      fixture->least_permille[i] = MIN(fixture->least_permille[i], sample->busy_permille);
      return;
    }
  }
  fixture->n_strange++;
}

static void
take_samples(Fixture *fixture)
{
  while (eppd_residency_source_dispatch(fixture->source, 1, 4, note_sample, fixture) != -1)
    ;
}

static void
wait_for_samples(Fixture *fixture, const guint *counter, guint n)
{
  struct pollfd poll_fd = {.fd = eppd_residency_source_get_fd(fixture->source), .events = POLLIN};
  guint wanted = *counter + n;

  while (*counter < wanted) {
    int ready = poll(&poll_fd, 1, LIMIT_USEC / 1000);

    if (ready < 0 && errno == EINTR)
      continue;
    g_assert_cmpint(ready, ==, 1);
    take_samples(fixture);
  }
}

/* Until the core's own windows have ended @n times, sent or not. */
static void
wait_for_windows(Fixture *fixture, guint n)
{
  gint64 limit_usec = g_get_monotonic_time() + LIMIT_USEC;
  gint64 last_usec = 0;
  guint busy_permille;

  while (n > 0) {
    gint64 when_usec = last_usec;

    eppd_residency_source_get_sample(fixture->source, fixture->cpu, &busy_permille, &when_usec);
    if (when_usec != last_usec)
      n--;
    last_usec = when_usec;
    g_assert_cmpint(g_get_monotonic_time(), <, limit_usec);
    g_usleep(500);
  }
  take_samples(fixture);
}

/* Waits for a busy sample after @before_usec, sent or not; when it was, and whose. */
static gint64
wait_for_busy(Fixture *fixture, gint64 before_usec, guint64 *app)
{
  gint64 limit_usec = g_get_monotonic_time() + LIMIT_USEC;
  gint64 when_usec = before_usec;

  while (when_usec <= before_usec) {
    g_assert_cmpint(g_get_monotonic_time(), <, limit_usec);
    g_usleep(500);
    eppd_residency_source_get_last_busy(fixture->source, fixture->cpu, &when_usec, app);
  }
  return when_usec;
}

static void
check_busy_app(EppdBpfVariant variant)
{
  g_auto(Fixture) fixture = {0};
  g_autoptr(CgroupLoad) load = NULL;
  gint64 when_usec = 0;
  guint64 app = 0;

  if (!set_up(&fixture, variant))
    return;
  add_group_rule(&fixture, 0, 100);
  arm(&fixture);
  load = cgroup_load_new(fixture.groups[0], fixture.cpu, 10 * MSEC, 0);
  wait_for_samples(&fixture, &fixture.n_app[0], 10);
  g_assert_cmpuint(fixture.least_permille[0], >=, 100);
  g_assert_cmpuint(fixture.n_core + fixture.n_strange, ==, 0);
  g_assert_true(eppd_residency_source_get_last_busy(fixture.source, fixture.cpu, &when_usec, &app));
  g_assert_cmpuint(app, ==, test_cgroup_id(fixture.groups[0]));
  g_assert_cmpint(when_usec, <=, g_get_monotonic_time());
}

static void
test_with_counters(void)
{
  check_busy_app(EPPD_BPF_MPERF);
}

static void
test_with_idle_time(void)
{
  check_busy_app(EPPD_BPF_IDLE);
}

static void
test_other_programs_are_not_told(void)
{
  g_auto(Fixture) fixture = {0};
  g_autoptr(CgroupLoad) other = NULL;
  g_autoptr(CgroupLoad) above = NULL;

  if (!set_up(&fixture, EPPD_BPF_IDLE))
    return;
  /* One that is nobody's, and one in the cgroup around the application's. */
  add_group_rule(&fixture, 1, 1);
  arm(&fixture);
  other = cgroup_load_new(NULL, fixture.cpu, 10 * MSEC, 0);
  above = cgroup_load_new(fixture.groups[0], fixture.cpu, 10 * MSEC, 0);
  wait_for_windows(&fixture, 50);
  g_assert_cmpuint(fixture.n_core + fixture.n_app[0] + fixture.n_app[1] + fixture.n_strange, ==, 0);
}

static void
test_tasks_in_cgroups_below_count(void)
{
  g_auto(Fixture) fixture = {0};
  g_autoptr(CgroupLoad) load = NULL;

  if (!set_up(&fixture, EPPD_BPF_IDLE))
    return;
  add_group_rule(&fixture, 0, 500);
  arm(&fixture);
  load = cgroup_load_new(fixture.groups[2], fixture.cpu, 10 * MSEC, 0);
  wait_for_samples(&fixture, &fixture.n_app[0], 3);
}

/* The share is over the outer application's threshold, and not over the inner's: but for a window
 * in which a hypervisor took the CPU away, and which says so. */
static void
test_each_has_its_threshold(void)
{
  g_auto(Fixture) fixture = {0};
  g_autoptr(CgroupLoad) load = NULL;

  if (!set_up(&fixture, EPPD_BPF_IDLE))
    return;
  add_group_rule(&fixture, 1, 500);
  add_group_rule(&fixture, 0, 10);
  arm(&fixture);
  load = cgroup_load_new(fixture.groups[2], fixture.cpu, SMALL_WORK_USEC, SMALL_SLEEP_USEC);
  wait_for_samples(&fixture, &fixture.n_app[0], 20);
  g_assert_cmpuint(fixture.least_permille[0], <, 500);
  g_assert_cmpuint(fixture.least_permille[0], >=, 10);
  g_assert_cmpuint(fixture.least_permille[1], >=, 500);
  g_assert_cmpuint(fixture.n_strange, ==, 0);
}

/* It is never switched out, perhaps, but the tick sees where it is. */
static void
test_a_task_that_is_moved_while_it_runs(void)
{
  g_auto(Fixture) fixture = {0};
  g_autoptr(CgroupLoad) load = NULL;

  if (!set_up(&fixture, EPPD_BPF_IDLE))
    return;
  add_group_rule(&fixture, 0, 500);
  arm(&fixture);
  load = cgroup_load_new(NULL, fixture.cpu, 10 * MSEC, 0);
  wait_for_windows(&fixture, 3);
  g_assert_cmpuint(fixture.n_app[0], ==, 0);
  test_cgroup_take(fixture.groups[1], load->pid);
  wait_for_samples(&fixture, &fixture.n_app[0], 3);
}

static void
test_core_and_application_at_once(void)
{
  g_auto(Fixture) fixture = {0};
  g_autoptr(CgroupLoad) load = NULL;

  if (!set_up(&fixture, EPPD_BPF_IDLE))
    return;
  fixture.config.threshold_permille = 500;
  add_group_rule(&fixture, 0, 100);
  arm(&fixture);
  load = cgroup_load_new(fixture.groups[0], fixture.cpu, 10 * MSEC, 0);
  wait_for_samples(&fixture, &fixture.n_app[0], 3);
  wait_for_samples(&fixture, &fixture.n_core, 3);
}

static void
test_a_boosted_cpu_is_silent(void)
{
  g_auto(Fixture) fixture = {0};
  g_autoptr(CgroupLoad) load = NULL;
  gint64 before_usec = 0;
  guint64 app = 0;
  guint n;

  if (!set_up(&fixture, EPPD_BPF_IDLE))
    return;
  add_group_rule(&fixture, 0, 100);
  arm(&fixture);
  load = cgroup_load_new(fixture.groups[0], fixture.cpu, 10 * MSEC, 0);
  wait_for_samples(&fixture, &fixture.n_app[0], 1);

  eppd_residency_source_set_boosted(fixture.source, fixture.cpu, true);
  /* A window that ends now may still be sent. */
  wait_for_windows(&fixture, 3);
  n = fixture.n_app[0];
  g_assert_true(
      eppd_residency_source_get_last_busy(fixture.source, fixture.cpu, &before_usec, NULL));
  for (guint i = 0; i < 5; i++) {
    before_usec = wait_for_busy(&fixture, before_usec, &app);
    g_assert_cmpuint(app, ==, test_cgroup_id(fixture.groups[0]));
  }
  take_samples(&fixture);
  g_assert_cmpuint(fixture.n_app[0], ==, n);

  eppd_residency_source_set_boosted(fixture.source, fixture.cpu, false);
  wait_for_samples(&fixture, &fixture.n_app[0], 2);
}

static void
test_attached_only_while_there_is_a_rule(void)
{
  g_auto(Fixture) fixture = {0};
  g_autoptr(CgroupLoad) load = NULL;
  guint n_links;

  if (!set_up(&fixture, EPPD_BPF_IDLE))
    return;
  fixture.config.threshold_permille = 500;
  arm(&fixture);
  n_links = bpf_machine_count_links();
  g_assert_cmpuint(n_links, >, 0);
  load = cgroup_load_new(fixture.groups[0], fixture.cpu, 10 * MSEC, 0);
  wait_for_samples(&fixture, &fixture.n_core, 2);
  g_assert_cmpuint(fixture.n_app[0], ==, 0);

  for (guint round = 0; round < 3; round++) {
    guint n;

    add_group_rule(&fixture, 0, 100);
    configure(&fixture);
    g_assert_cmpuint(bpf_machine_count_links(), ==, n_links + 2);
    wait_for_samples(&fixture, &fixture.n_app[0], 2);

    fixture.config.n_apps = 0;
    configure(&fixture);
    g_assert_cmpuint(bpf_machine_count_links(), ==, n_links);
    /* Those that were under way. */
    wait_for_windows(&fixture, 2);
    n = fixture.n_app[0];
    wait_for_samples(&fixture, &fixture.n_core, 3);
    g_assert_cmpuint(fixture.n_app[0], ==, n);
  }

  add_group_rule(&fixture, 0, 100);
  configure(&fixture);
  eppd_residency_source_disarm(fixture.source);
  g_assert_cmpuint(bpf_machine_count_links(), ==, 0);
}

static void
test_other_rules_while_armed(void)
{
  g_auto(Fixture) fixture = {0};
  g_autoptr(CgroupLoad) load = NULL;
  guint n;

  if (!set_up(&fixture, EPPD_BPF_IDLE))
    return;
  add_group_rule(&fixture, 0, 10);
  arm(&fixture);
  load = cgroup_load_new(fixture.groups[1], fixture.cpu, SMALL_WORK_USEC, SMALL_SLEEP_USEC);
  wait_for_samples(&fixture, &fixture.n_app[0], 2);

  /* The same place, another cgroup. What a window's end had under way may still come. */
  fixture.config.n_apps = 0;
  add_group_rule(&fixture, 1, 10);
  configure(&fixture);
  wait_for_samples(&fixture, &fixture.n_app[1], 1);
  n = fixture.n_app[0];
  wait_for_samples(&fixture, &fixture.n_app[1], 5);
  g_assert_cmpuint(fixture.n_app[0], ==, n);
  g_assert_cmpuint(fixture.least_permille[1], <, 500);

  /* Another threshold for it, and a second cgroup. */
  fixture.rules[0].threshold_permille = 500;
  add_group_rule(&fixture, 0, 10);
  configure(&fixture);
  wait_for_samples(&fixture, &fixture.n_app[0], 1);
  fixture.least_permille[1] = 1000;
  wait_for_samples(&fixture, &fixture.n_app[0], 10);
  g_assert_cmpuint(fixture.least_permille[1], >=, 500);
}

/* As many as there can be; the last is the one that runs. */
static void
test_as_many_as_there_can_be(void)
{
  g_auto(Fixture) fixture = {0};
  g_autoptr(CgroupLoad) load = NULL;

  if (!set_up(&fixture, EPPD_BPF_IDLE))
    return;
  while (fixture.config.n_apps < EPPD_APP_RULES_MAX - 1)
    add_rule(&fixture, G_MAXUINT64 - fixture.config.n_apps, 1);
  add_group_rule(&fixture, 1, 500);
  arm(&fixture);
  load = cgroup_load_new(fixture.groups[2], fixture.cpu, 10 * MSEC, 0);
  wait_for_samples(&fixture, &fixture.n_app[1], 3);
  g_assert_cmpuint(fixture.n_strange, ==, 0);
}

/* A share is that of the whole time from one start to the next, though no tick comes while the CPU
 * sleeps: 1 ms of 21 is less than 60 ‰ on a CPU with nothing else to do, and no more than a burst
 * or two of a window where ticks do end it. */
static void
test_a_small_share_is_small(void)
{
  g_auto(Fixture) fixture = {0};
  g_autoptr(CgroupLoad) load = NULL;

  if (!set_up(&fixture, EPPD_BPF_IDLE))
    return;
  add_group_rule(&fixture, 0, 1);
  arm(&fixture);
  load = cgroup_load_new(fixture.groups[0], fixture.cpu, SMALL_WORK_USEC, SMALL_SLEEP_USEC);
  wait_for_samples(&fixture, &fixture.n_app[0], 50);
  g_assert_cmpuint(fixture.least_permille[0], <=, 60);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func("/app-watch/" name, function)
  ADD("a busy application, with counters", test_with_counters);
  ADD("a busy application, with idle time", test_with_idle_time);
  ADD("other programs are not told", test_other_programs_are_not_told);
  ADD("tasks in cgroups below count", test_tasks_in_cgroups_below_count);
  ADD("each has its threshold", test_each_has_its_threshold);
  ADD("a task that is moved while it runs", test_a_task_that_is_moved_while_it_runs);
  ADD("core and application at once", test_core_and_application_at_once);
  ADD("a boosted CPU is silent", test_a_boosted_cpu_is_silent);
  ADD("attached only while there is a rule", test_attached_only_while_there_is_a_rule);
  ADD("other rules while armed", test_other_rules_while_armed);
  ADD("as many as there can be", test_as_many_as_there_can_be);
  ADD("a small share is small", test_a_small_share_is_small);
  return g_test_run();
}
