/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/boost-set.h"

struct _EppdBoostSet {
  EppdTopology *topology;
  EppdBoostParams params;
  GArray *apps; /* of EppdAppRule */
  EppdBoostState *cpus;
  guint n_cpus;
  guint *boosted; /* the boosted CPUs, in any order */
  guint n_boosted;
  guint *place; /* of a boosted CPU in @boosted */
  guint *busy;  /* for each policy, how many boosted CPUs boost it */
  EppdPolicyEdge *edges;
};

static void
remember_boosted(EppdBoostSet *set, guint cpu)
{
  set->place[cpu] = set->n_boosted;
  set->boosted[set->n_boosted++] = cpu;
}

static void
forget_boosted(EppdBoostSet *set, guint cpu)
{
  guint last = set->boosted[--set->n_boosted];

  set->boosted[set->place[cpu]] = last;
  set->place[last] = set->place[cpu];
}

/* Makes a CPU's edge its policies'. A CPU names each policy once, so that there is at most one edge
 * a policy. */
static EppdBoostChange
spread_edge(EppdBoostSet *set, guint cpu, EppdEdge edge)
{
  guint n_policies;
  const guint *policies = eppd_topology_policies_of(set->topology, cpu, &n_policies);
  guint n_edges = 0;

  if (edge == EPPD_EDGE_NONE)
    return (EppdBoostChange){0};

  if (edge == EPPD_EDGE_BUSY)
    remember_boosted(set, cpu);
  else
    forget_boosted(set, cpu);

  for (guint i = 0; i < n_policies; i++) {
    guint policy = policies[i];
    guint busy_before = set->busy[policy];

    set->busy[policy] = edge == EPPD_EDGE_BUSY ? busy_before + 1 : busy_before - 1;
    if (busy_before == 0 || set->busy[policy] == 0)
      set->edges[n_edges++] = (EppdPolicyEdge){policy, edge};
  }
  return (EppdBoostChange){edge, set->edges, n_edges};
}

static bool
is_busy_app(const EppdBoostSet *set, guint64 cgroup_id, guint busy_permille)
{
  for (guint i = 0; i < set->apps->len; i++) {
    const EppdAppRule *rule = &g_array_index(set->apps, EppdAppRule, i);

    if (rule->cgroup_id == cgroup_id)
      return busy_permille >= rule->threshold_permille;
  }
  return false;
}

EppdBoostSet *
eppd_boost_set_new(EppdTopology *topology, const EppdBoostParams *params)
{
  EppdBoostSet *set = g_new0(EppdBoostSet, 1);
  guint n_policies = eppd_topology_n_policies(topology);

  set->topology = topology;
  set->params = *params;
  set->apps = g_array_new(FALSE, FALSE, sizeof(EppdAppRule));
  set->n_cpus = eppd_topology_n_cpus(topology);
  set->cpus = g_new0(EppdBoostState, set->n_cpus);
  set->boosted = g_new0(guint, set->n_cpus);
  set->place = g_new0(guint, set->n_cpus);
  set->busy = g_new0(guint, n_policies);
  set->edges = g_new0(EppdPolicyEdge, n_policies);
  return set;
}

void
eppd_boost_set_free(EppdBoostSet *set)
{
  eppd_topology_free(set->topology);
  g_array_unref(set->apps);
  g_free(set->cpus);
  g_free(set->boosted);
  g_free(set->place);
  g_free(set->busy);
  g_free(set->edges);
  g_free(set);
}

const EppdTopology *
eppd_boost_set_topology(const EppdBoostSet *set)
{
  return set->topology;
}

void
eppd_boost_set_params(EppdBoostSet *set, const EppdBoostParams *params)
{
  set->params = *params;
}

void
eppd_boost_set_apps(EppdBoostSet *set, const EppdAppRule *rules, guint n_rules)
{
  g_array_set_size(set->apps, 0);
  if (n_rules > 0)
    g_array_append_vals(set->apps, rules, n_rules);
}

EppdBoostChange
eppd_boost_set_sample(EppdBoostSet *set, guint cpu, guint busy_permille, gint64 when_usec)
{
  if (cpu >= set->n_cpus)
    return (EppdBoostChange){0};
  return spread_edge(
      set, cpu, eppd_boost_state_sample(&set->cpus[cpu], &set->params, busy_permille, when_usec));
}

EppdBoostChange
eppd_boost_set_app_sample(
    EppdBoostSet *set, guint cpu, guint64 cgroup_id, guint busy_permille, gint64 when_usec)
{
  if (cpu >= set->n_cpus || !is_busy_app(set, cgroup_id, busy_permille))
    return (EppdBoostChange){0};
  return spread_edge(set, cpu, eppd_boost_state_busy(&set->cpus[cpu], when_usec));
}

bool
eppd_boost_set_next_due(EppdBoostSet *set, gint64 now_usec, guint *cpu)
{
  for (guint i = 0; i < set->n_boosted; i++) {
    if (eppd_boost_state_is_due(&set->cpus[set->boosted[i]], &set->params, now_usec)) {
      *cpu = set->boosted[i];
      return true;
    }
  }
  return false;
}

void
eppd_boost_set_note_busy(EppdBoostSet *set, guint cpu, gint64 when_usec)
{
  if (cpu < set->n_cpus)
    eppd_boost_state_note_busy(&set->cpus[cpu], when_usec);
}

EppdBoostChange
eppd_boost_set_expire_cpu(EppdBoostSet *set, guint cpu, gint64 now_usec)
{
  if (cpu >= set->n_cpus)
    return (EppdBoostChange){0};
  return spread_edge(set, cpu, eppd_boost_state_expire(&set->cpus[cpu], &set->params, now_usec));
}

EppdBoostChange
eppd_boost_set_reset_cpu(EppdBoostSet *set, guint cpu)
{
  if (cpu >= set->n_cpus)
    return (EppdBoostChange){0};
  return spread_edge(set, cpu, eppd_boost_state_reset(&set->cpus[cpu]));
}

gint64
eppd_boost_set_deadline_usec(const EppdBoostSet *set)
{
  gint64 earliest_usec = G_MAXINT64;

  if (set->n_boosted == 0)
    return -1;
  for (guint i = 0; i < set->n_boosted; i++) {
    gint64 deadline_usec =
        eppd_boost_state_deadline_usec(&set->cpus[set->boosted[i]], &set->params);

    earliest_usec = MIN(earliest_usec, deadline_usec);
  }
  return earliest_usec;
}

const EppdBoostState *
eppd_boost_set_cpu(const EppdBoostSet *set, guint cpu)
{
  return cpu < set->n_cpus ? &set->cpus[cpu] : NULL;
}

const guint *
eppd_boost_set_boosted(const EppdBoostSet *set, guint *n_cpus)
{
  *n_cpus = set->n_boosted;
  return set->boosted;
}
