/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/boost-set.h"

#define MS 1000

static const EppdBoostParams rfc = {.threshold_permille = 500, .hold_usec = 300 * MS};

/* Policy 0: CPUs 0 and 1; policy 1: CPU 2; policy 2: CPU 3. With siblings, CPUs 2 and 3 are two
 * threads of one core. */
static EppdBoostSet *
make_set(bool siblings)
{
  guint first[] = {0, 1};
  guint second[] = {2};
  guint third[] = {3};
  guint threads[] = {2, 3};
  EppdCpuList cpus[] = {{first, 2}, {second, 1}, {third, 1}};
  EppdCpuList of[] = {{NULL, 0}, {threads, 2}, {threads, 2}};

  return eppd_boost_set_new(eppd_topology_new(cpus, siblings ? of : NULL, 3), &rfc);
}

static void
assert_edges(EppdBoostChange change, EppdEdge cpu_edge, const char *expected)
{
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < change.n_edges; i++) {
    g_string_append_printf(text, "%s%u%c", i ? " " : "", change.edges[i].policy,
                           change.edges[i].edge == EPPD_EDGE_BUSY ? '+' : '-');
    g_assert_cmpint((int)change.edges[i].edge, !=, EPPD_EDGE_NONE);
  }
  g_assert_cmpint((int)change.cpu_edge, ==, (int)cpu_edge);
  g_assert_cmpstr(text->str, ==, expected);
}

static void
assert_boosted(const EppdBoostSet *set, guint expected_n)
{
  guint n_cpus = 0;
  const guint *cpus = eppd_boost_set_boosted(set, &n_cpus);

  g_assert_cmpuint(n_cpus, ==, expected_n);
  for (guint i = 0; i < n_cpus; i++)
    g_assert_true(eppd_boost_set_cpu(set, cpus[i])->boosted);
}

static void
test_a_policy_is_busy_while_any_of_its_cpus_is(void)
{
  g_autoptr(EppdBoostSet) set = make_set(false);

  assert_edges(eppd_boost_set_sample(set, 0, 900, 0), EPPD_EDGE_BUSY, "0+");
  assert_edges(eppd_boost_set_sample(set, 1, 900, 100 * MS), EPPD_EDGE_BUSY, "");
  assert_boosted(set, 2);
  assert_edges(eppd_boost_set_sample(set, 0, 0, 300 * MS), EPPD_EDGE_IDLE, "");
  assert_boosted(set, 1);
  assert_edges(eppd_boost_set_sample(set, 1, 0, 400 * MS), EPPD_EDGE_IDLE, "0-");
  assert_boosted(set, 0);
}

static void
test_siblings_are_boosted_together(void)
{
  g_autoptr(EppdBoostSet) set = make_set(true);

  assert_edges(eppd_boost_set_sample(set, 3, 900, 0), EPPD_EDGE_BUSY, "2+ 1+");
  assert_edges(eppd_boost_set_sample(set, 2, 900, 100 * MS), EPPD_EDGE_BUSY, "");
  assert_edges(eppd_boost_set_reset_cpu(set, 3), EPPD_EDGE_IDLE, "");
  assert_edges(eppd_boost_set_expire_cpu(set, 2, 400 * MS), EPPD_EDGE_IDLE, "1- 2-");
}

static void
test_unknown_cpus_change_nothing(void)
{
  g_autoptr(EppdBoostSet) set = make_set(false);
  static const guint unknown[] = {4, 8192, G_MAXUINT};
  static const EppdAppRule rule = {7, 100};

  eppd_boost_set_apps(set, &rule, 1);
  for (guint i = 0; i < G_N_ELEMENTS(unknown); i++) {
    assert_edges(eppd_boost_set_sample(set, unknown[i], 900, 0), EPPD_EDGE_NONE, "");
    assert_edges(eppd_boost_set_app_sample(set, unknown[i], 7, 900, 0), EPPD_EDGE_NONE, "");
    assert_edges(eppd_boost_set_expire_cpu(set, unknown[i], 0), EPPD_EDGE_NONE, "");
    assert_edges(eppd_boost_set_reset_cpu(set, unknown[i]), EPPD_EDGE_NONE, "");
    eppd_boost_set_note_busy(set, unknown[i], 0);
    g_assert_null(eppd_boost_set_cpu(set, unknown[i]));
  }
  assert_boosted(set, 0);
}

static void
test_the_deadline_is_the_earliest(void)
{
  g_autoptr(EppdBoostSet) set = make_set(false);

  g_assert_cmpint(eppd_boost_set_deadline_usec(set), ==, -1);
  eppd_boost_set_sample(set, 3, 900, 50 * MS);
  eppd_boost_set_sample(set, 0, 900, 20 * MS);
  g_assert_cmpint(eppd_boost_set_deadline_usec(set), ==, 320 * MS);
  eppd_boost_set_note_busy(set, 0, 100 * MS);
  g_assert_cmpint(eppd_boost_set_deadline_usec(set), ==, 350 * MS);
}

static void
test_due_cpus_come_one_by_one(void)
{
  g_autoptr(EppdBoostSet) set = make_set(false);
  guint cpu = 99;

  eppd_boost_set_sample(set, 0, 900, 0);
  eppd_boost_set_sample(set, 2, 900, 0);
  eppd_boost_set_sample(set, 3, 900, 200 * MS);

  g_assert_false(eppd_boost_set_next_due(set, 299 * MS, &cpu));
  g_assert_cmpuint(cpu, ==, 99);

  g_assert_true(eppd_boost_set_next_due(set, 300 * MS, &cpu));
  g_assert_cmpuint(cpu, ==, 0);
  /* The source saw it busy since: nothing happens, and it is not due any more. */
  eppd_boost_set_note_busy(set, 0, 290 * MS);
  assert_edges(eppd_boost_set_expire_cpu(set, 0, 300 * MS), EPPD_EDGE_NONE, "");

  g_assert_true(eppd_boost_set_next_due(set, 300 * MS, &cpu));
  g_assert_cmpuint(cpu, ==, 2);
  assert_edges(eppd_boost_set_expire_cpu(set, 2, 300 * MS), EPPD_EDGE_IDLE, "1-");
  g_assert_false(eppd_boost_set_next_due(set, 300 * MS, &cpu));
  assert_boosted(set, 2);
}

static void
test_a_clock_that_went_back_makes_each_due_once(void)
{
  g_autoptr(EppdBoostSet) set = make_set(false);
  guint cpu = 0;
  guint n_due = 0;

  eppd_boost_set_sample(set, 0, 900, 9000 * MS);
  eppd_boost_set_sample(set, 2, 900, 9000 * MS);
  while (eppd_boost_set_next_due(set, 1000 * MS, &cpu)) {
    assert_edges(eppd_boost_set_expire_cpu(set, cpu, 1000 * MS), EPPD_EDGE_NONE, "");
    g_assert_cmpuint(++n_due, <=, 2);
  }
  g_assert_cmpuint(n_due, ==, 2);
  g_assert_cmpint(eppd_boost_set_deadline_usec(set), ==, 1300 * MS);
}

static void
test_new_parameters_keep_the_boosted(void)
{
  const EppdBoostParams other = {.threshold_permille = 950, .hold_usec = 100 * MS};
  g_autoptr(EppdBoostSet) set = make_set(false);

  eppd_boost_set_sample(set, 0, 900, 0);
  eppd_boost_set_params(set, &other);
  assert_boosted(set, 1);
  g_assert_cmpint(eppd_boost_set_deadline_usec(set), ==, 100 * MS);
  assert_edges(eppd_boost_set_sample(set, 2, 900, 10 * MS), EPPD_EDGE_NONE, "");
  assert_edges(eppd_boost_set_expire_cpu(set, 0, 100 * MS), EPPD_EDGE_IDLE, "0-");
}

static void
test_applications_have_thresholds_of_their_own(void)
{
  static const EppdAppRule rules[] = {{7, 100}, {8, 300}};
  static const struct {
    const char *what;
    guint64 cgroup_id;
    guint busy_permille;
    bool busy;
  } cases[] = {
      {"below", 7, 99, false},
      {"at the threshold", 7, 100, true},
      {"the other, below", 8, 299, false},
      {"the other, at it", 8, 300, true},
      {"nobody's", 9, 1000, false},
      {"the core's own number", 0, 1000, false},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(EppdBoostSet) set = make_set(false);

    g_test_message("%s", cases[i].what);
    eppd_boost_set_apps(set, rules, G_N_ELEMENTS(rules));
    assert_edges(
        eppd_boost_set_app_sample(set, 2, cases[i].cgroup_id, cases[i].busy_permille, 10 * MS),
        cases[i].busy ? EPPD_EDGE_BUSY : EPPD_EDGE_NONE, cases[i].busy ? "1+" : "");
    assert_boosted(set, cases[i].busy ? 1 : 0);
  }
}

static void
test_core_and_applications_are_each_enough(void)
{
  static const EppdAppRule rules[] = {{7, 100}};
  g_autoptr(EppdBoostSet) set = make_set(false);

  eppd_boost_set_apps(set, rules, G_N_ELEMENTS(rules));
  assert_edges(eppd_boost_set_sample(set, 2, 500, 0), EPPD_EDGE_BUSY, "1+");
  /* Prolonged by the other. */
  assert_edges(eppd_boost_set_app_sample(set, 2, 7, 100, 200 * MS), EPPD_EDGE_NONE, "");
  g_assert_cmpint(eppd_boost_set_deadline_usec(set), ==, 500 * MS);
  /* Less than its threshold is no news. */
  assert_edges(eppd_boost_set_app_sample(set, 2, 7, 0, 600 * MS), EPPD_EDGE_NONE, "");
  assert_edges(eppd_boost_set_expire_cpu(set, 2, 600 * MS), EPPD_EDGE_IDLE, "1-");

  /* A rule that has gone boosts no more; what it boosted ends by time. */
  assert_edges(eppd_boost_set_app_sample(set, 3, 7, 900, 700 * MS), EPPD_EDGE_BUSY, "2+");
  eppd_boost_set_apps(set, NULL, 0);
  assert_edges(eppd_boost_set_app_sample(set, 2, 7, 900, 710 * MS), EPPD_EDGE_NONE, "");
  assert_edges(eppd_boost_set_expire_cpu(set, 3, 1000 * MS), EPPD_EDGE_IDLE, "2-");
}

static void
test_a_set_without_policies(void)
{
  g_autoptr(EppdBoostSet) set = eppd_boost_set_new(eppd_topology_new(NULL, NULL, 0), &rfc);
  guint cpu = 0;

  assert_edges(eppd_boost_set_sample(set, 0, 900, 0), EPPD_EDGE_NONE, "");
  g_assert_false(eppd_boost_set_next_due(set, G_MAXINT64, &cpu));
  g_assert_cmpint(eppd_boost_set_deadline_usec(set), ==, -1);
  g_assert_cmpuint(eppd_topology_n_policies(eppd_boost_set_topology(set)), ==, 0);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func("/boost-set/" name, function)
  ADD("a-policy-is-busy-while-any-of-its-cpus-is", test_a_policy_is_busy_while_any_of_its_cpus_is);
  ADD("siblings-are-boosted-together", test_siblings_are_boosted_together);
  ADD("unknown-cpus-change-nothing", test_unknown_cpus_change_nothing);
  ADD("the-deadline-is-the-earliest", test_the_deadline_is_the_earliest);
  ADD("due-cpus-come-one-by-one", test_due_cpus_come_one_by_one);
  ADD("a-clock-that-went-back-makes-each-due-once",
      test_a_clock_that_went_back_makes_each_due_once);
  ADD("new-parameters-keep-the-boosted", test_new_parameters_keep_the_boosted);
  ADD("applications-have-thresholds-of-their-own", test_applications_have_thresholds_of_their_own);
  ADD("core-and-applications-are-each-enough", test_core_and_applications_are_each_enough);
  ADD("a-set-without-policies", test_a_set_without_policies);
  return g_test_run();
}
