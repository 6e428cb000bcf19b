/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/app-rule.h"
#include "policy/boost-state.h"
#include "policy/topology.h"

/* All CPUs' boost states and how they add up to policies: a policy is busy while any CPU that
 * boosts it is. */
typedef struct _EppdBoostSet EppdBoostSet;

typedef struct {
  guint policy; /* index in the topology */
  EppdEdge edge;
} EppdPolicyEdge;

/* What one call brought about; edges are valid until the next call. At most one edge a policy a
 * call. */
typedef struct {
  EppdEdge cpu_edge; /* of the CPU that the call was about */
  const EppdPolicyEdge *edges;
  guint n_edges;
} EppdBoostChange;

/* Takes @topology. */
EppdBoostSet *eppd_boost_set_new(EppdTopology *topology, const EppdBoostParams *params);
void eppd_boost_set_free(EppdBoostSet *set);

const EppdTopology *eppd_boost_set_topology(const EppdBoostSet *set);

/* New thresholds or hold time; takes effect with the next sample or expiry. */
void eppd_boost_set_params(EppdBoostSet *set, const EppdBoostParams *params);

/* The rules of the trigger app; copied. None to begin with. */
void eppd_boost_set_apps(EppdBoostSet *set, const EppdAppRule *rules, guint n_rules);

/* A sample of a CPU; an unknown CPU changes nothing. See eppd_boost_state_sample(). */
EppdBoostChange eppd_boost_set_sample(EppdBoostSet *set,
                                      guint cpu,
                                      guint busy_permille,
                                      gint64 when_usec);

/* The share of an application's tasks of a CPU's time. Below its rule's threshold, or where there
 * is no rule (any more), it changes nothing: only time and the core's own samples end a boost. */
EppdBoostChange eppd_boost_set_app_sample(
    EppdBoostSet *set, guint cpu, guint64 cgroup_id, guint busy_permille, gint64 when_usec);

/* The next boosted CPU whose hold has passed at @now_usec (or restarts then, the clock having gone
 * back); false when there is none. Cost: the number of boosted CPUs. The caller asks the source for
 * newer news of @cpu (note_busy), then calls expire_cpu. */
bool eppd_boost_set_next_due(EppdBoostSet *set, gint64 now_usec, guint *cpu);
void eppd_boost_set_note_busy(EppdBoostSet *set, guint cpu, gint64 when_usec);
EppdBoostChange eppd_boost_set_expire_cpu(EppdBoostSet *set, guint cpu, gint64 now_usec);

/* The CPU went offline, or the boost is disarmed for it: idle at once. */
EppdBoostChange eppd_boost_set_reset_cpu(EppdBoostSet *set, guint cpu);

/* The earliest deadline of all boosted CPUs; -1 when none is boosted. */
gint64 eppd_boost_set_deadline_usec(const EppdBoostSet *set);

/* NULL for an unknown CPU. */
const EppdBoostState *eppd_boost_set_cpu(const EppdBoostSet *set, guint cpu);
/* The boosted CPUs, unsorted; owned by @set, valid until the next call. */
const guint *eppd_boost_set_boosted(const EppdBoostSet *set, guint *n_cpus);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdBoostSet, eppd_boost_set_free)
