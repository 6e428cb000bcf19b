/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/topology.h"

/* @policy_cpus and @siblings: a list a policy, separated by ';'. */
static EppdTopology *
make_topology(const char *policy_cpus, const char *siblings)
{
  g_auto(GStrv) cpu_texts = g_strsplit(policy_cpus, ";", -1);
  g_auto(GStrv) sibling_texts = siblings ? g_strsplit(siblings, ";", -1) : NULL;
  guint n = g_strv_length(cpu_texts);
  g_autofree EppdCpuList *cpus = g_new0(EppdCpuList, n);
  g_autofree EppdCpuList *threads = siblings ? g_new0(EppdCpuList, n) : NULL;
  EppdTopology *topology;

  for (guint i = 0; i < n; i++) {
    g_assert_true(eppd_cpu_list_parse(cpu_texts[i], &cpus[i]));
    if (threads)
      g_assert_true(eppd_cpu_list_parse(sibling_texts[i], &threads[i]));
  }
  topology = eppd_topology_new(cpus, threads, n);
  for (guint i = 0; i < n; i++) {
    eppd_cpu_list_clear(&cpus[i]);
    if (threads)
      eppd_cpu_list_clear(&threads[i]);
  }
  return topology;
}

/* "cpu:policy,policy cpu:policy…" of all CPUs that boost any. */
static char *
describe(const EppdTopology *topology)
{
  GString *text = g_string_new(NULL);

  for (guint cpu = 0; cpu < eppd_topology_n_cpus(topology); cpu++) {
    guint n_policies = 99;
    const guint *policies = eppd_topology_policies_of(topology, cpu, &n_policies);

    for (guint i = 0; i < n_policies; i++) {
      if (i == 0)
        g_string_append_printf(text, "%s%u:", text->len ? " " : "", cpu);
      g_string_append_printf(text, "%s%u", i ? "," : "", policies[i]);
    }
  }
  return g_string_free(text, FALSE);
}

static void
test_which_policies_a_cpu_boosts(void)
{
  static const struct {
    const char *what;
    const char *policy_cpus;
    const char *siblings;
    const char *boosts;
    guint n_cpus;
  } cases[] = {
      {"a policy a CPU", "0;1;2", NULL, "0:0 1:1 2:2", 3},
      {"shared policies", "0 1;2-3", NULL, "0:0 1:0 2:1 3:1", 4},
      {"siblings", "0;1;2;3", "0,2;1,3;0,2;1,3", "0:0,2 1:1,3 2:2,0 3:3,1", 4},
      {"siblings without themselves", "0;1", "1;0", "0:0,1 1:1,0", 2},
      {"siblings within one policy", "0 1", "0-1", "0:0 1:0", 2},
      {"some without siblings", "0;1", ";", "0:0 1:1", 2},
      {"holes in the numbers", "3;7", NULL, "3:0 7:1", 8},
      {"a policy without a CPU keeps its index", "0;;2", NULL, "0:0 2:2", 3},
      {"a CPU named by two policies", "0;0 1", NULL, "0:0,1 1:1", 2},
      {"an asymmetric sibling list", "0;1", "0,1;", "0:0 1:1,0", 2},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(EppdTopology) topology = make_topology(cases[i].policy_cpus, cases[i].siblings);
    g_autofree char *boosts = describe(topology);

    g_test_message("%s", cases[i].what);
    g_assert_cmpstr(boosts, ==, cases[i].boosts);
    g_assert_cmpuint(eppd_topology_n_cpus(topology), ==, cases[i].n_cpus);
  }
}

static void
test_unknown_cpus_boost_nothing(void)
{
  static const guint unknown[] = {0, 2, 4, 8191, 8192, G_MAXUINT};
  g_autoptr(EppdTopology) topology = make_topology("1;3", NULL);

  g_assert_cmpuint(eppd_topology_n_policies(topology), ==, 2);
  for (guint i = 0; i < G_N_ELEMENTS(unknown); i++) {
    guint n_policies = 99;

    g_assert_null(eppd_topology_policies_of(topology, unknown[i], &n_policies));
    g_assert_cmpuint(n_policies, ==, 0);
  }
}

static void
test_no_policy_at_all(void)
{
  g_autoptr(EppdTopology) topology = eppd_topology_new(NULL, NULL, 0);
  guint n_policies = 99;

  g_assert_cmpuint(eppd_topology_n_policies(topology), ==, 0);
  g_assert_cmpuint(eppd_topology_n_cpus(topology), ==, 0);
  g_assert_null(eppd_topology_policies_of(topology, 0, &n_policies));
  g_assert_cmpuint(n_policies, ==, 0);
}

static void
test_absurd_cpu_numbers_are_left_out(void)
{
  guint numbers[] = {1, EPPD_CPU_MAX, G_MAXUINT};
  EppdCpuList list = {.cpus = numbers, .n_cpus = G_N_ELEMENTS(numbers)};
  g_autoptr(EppdTopology) topology = eppd_topology_new(&list, NULL, 1);

  g_assert_cmpuint(eppd_topology_n_cpus(topology), ==, 2);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/topology/which-policies-a-cpu-boosts", test_which_policies_a_cpu_boosts);
  g_test_add_func("/topology/unknown-cpus-boost-nothing", test_unknown_cpus_boost_nothing);
  g_test_add_func("/topology/no-policy-at-all", test_no_policy_at_all);
  g_test_add_func("/topology/absurd-cpu-numbers-are-left-out",
                  test_absurd_cpu_numbers_are_left_out);
  return g_test_run();
}
