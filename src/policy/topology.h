/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/cpu-list.h"

/* Which policies a busy CPU boosts: its own, and with Siblings=true its SMT siblings' too. */
typedef struct _EppdTopology EppdTopology;

/* @policy_cpus[i]: the CPUs of policy i (affected_cpus). @siblings[i] (may be NULL as a whole, or
 * an empty list): for @policy_cpus[i], all SMT siblings of any of its CPUs, itself included or not.
 * Lists are copied. A CPU named by two policies counts for both; it never crashes. */
EppdTopology *eppd_topology_new(const EppdCpuList *policy_cpus,
                                const EppdCpuList *siblings,
                                guint n_policies);
void eppd_topology_free(EppdTopology *topology);

guint eppd_topology_n_policies(const EppdTopology *topology);
/* One more than the largest CPU number known. */
guint eppd_topology_n_cpus(const EppdTopology *topology);

/* The policies that @cpu boosts; NULL and 0 for an unknown CPU. Owned by @topology. */
const guint *eppd_topology_policies_of(const EppdTopology *topology, guint cpu, guint *n_policies);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdTopology, eppd_topology_free)
