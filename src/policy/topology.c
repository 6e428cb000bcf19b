/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/topology.h"

struct _EppdTopology {
  guint n_policies;
  GPtrArray *policies_of; /* for each CPU a GArray of guint: the policies that it boosts */
};

static void
add_policy(EppdTopology *topology, guint cpu, guint policy)
{
  GArray *policies;

  /* No kernel has such a CPU, and an array that long is not worth having. */
  if (cpu >= EPPD_CPU_MAX)
    return;

  while (topology->policies_of->len <= cpu)
    g_ptr_array_add(topology->policies_of, g_array_new(FALSE, FALSE, sizeof(guint)));

  policies = topology->policies_of->pdata[cpu];
  for (guint i = 0; i < policies->len; i++) {
    if (g_array_index(policies, guint, i) == policy)
      return;
  }
  g_array_append_val(policies, policy);
}

static void
add_list(EppdTopology *topology, const EppdCpuList *cpus, guint policy)
{
  for (guint i = 0; i < cpus->n_cpus; i++)
    add_policy(topology, cpus->cpus[i], policy);
}

static void
free_array(gpointer array)
{
  g_array_unref(array);
}

EppdTopology *
eppd_topology_new(const EppdCpuList *policy_cpus, const EppdCpuList *siblings, guint n_policies)
{
  EppdTopology *topology = g_new0(EppdTopology, 1);

  topology->n_policies = n_policies;
  topology->policies_of = g_ptr_array_new_with_free_func(free_array);
  for (guint policy = 0; policy < n_policies; policy++)
    add_list(topology, &policy_cpus[policy], policy);
  for (guint policy = 0; siblings && policy < n_policies; policy++)
    add_list(topology, &siblings[policy], policy);
  return topology;
}

void
eppd_topology_free(EppdTopology *topology)
{
  g_ptr_array_unref(topology->policies_of);
  g_free(topology);
}

guint
eppd_topology_n_policies(const EppdTopology *topology)
{
  return topology->n_policies;
}

guint
eppd_topology_n_cpus(const EppdTopology *topology)
{
  return topology->policies_of->len;
}

const guint *
eppd_topology_policies_of(const EppdTopology *topology, guint cpu, guint *n_policies)
{
  const GArray *policies;

  *n_policies = 0;
  if (cpu >= topology->policies_of->len)
    return NULL;
  policies = topology->policies_of->pdata[cpu];
  *n_policies = policies->len;
  return policies->len > 0 ? (const guint *)(const void *)policies->data : NULL;
}
