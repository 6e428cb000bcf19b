/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/managed-policy.h"
#include "policy/boost-set.h"
#include "residency/residency-source.h"

/* The armed boost: samples of a residency source in, EPP writes out. It owns no timer: the
 * controller polls its descriptor and calls it when it says so. */
typedef struct _EppdBooster EppdBooster;

typedef struct {
  guint threshold_permille; /* of the core; EPPD_RESIDENCY_NEVER_BUSY: nobody has that trigger */
  const EppdAppRule *apps;  /* borrowed for the call */
  guint n_apps;
  gint64 sample_usec;
  gint64 hold_usec;
  bool siblings;
} EppdBoosterSettings;

/* @source and @policies (EppdManagedPolicy, in the order of their numbers) are borrowed and outlive
 * it. Watches the CPUs of the online policies that have an EPP file, and boosts no others. */
EppdBooster *eppd_booster_arm(EppdSysRoot *root,
                              EppdResidencySource *source,
                              GPtrArray *policies,
                              EppdStatistics *statistics,
                              const EppdBoosterSettings *settings,
                              GError **error);

/* Detaches the source, restores every boosted policy, and frees @booster. */
void eppd_booster_disarm(EppdBooster *booster);

/* Readable when samples wait; -1 if the source has none. */
int eppd_booster_fd(const EppdBooster *booster);

typedef struct {
  gint64 next_usec; /* monotonic; when to be called again at the latest; -1: only when readable */
  bool edges;       /* the set of boosted CPUs changed */
  bool refused;     /* the kernel refused a write: look at the machine again */
  bool gone;        /* a policy vanished under a write: look for all policies again */
} EppdBoosterNews;

/* A bounded amount of work: takes samples, lets holds expire. */
EppdBoosterNews eppd_booster_dispatch(EppdBooster *booster);

/* Takes new thresholds and applications without disarming; false if @settings differ in more than
 * that, or if it did not work. */
bool eppd_booster_adjust(EppdBooster *booster, const EppdBoosterSettings *settings);

/* The latest sample of @cpu: the source's where it keeps one, else the last that came here.
 * @age_usec: how old. */
bool eppd_booster_sample(const EppdBooster *booster,
                         guint cpu,
                         guint *busy_permille,
                         gint64 *age_usec);

/* Which application made @cpu busy last, by its cgroup_id; 0: none (the core was busy, whoever ran
 * there), or the CPU is not boosted. */
guint64 eppd_booster_app(const EppdBooster *booster, guint cpu);

gint64 eppd_booster_period_usec(const EppdBooster *booster);
