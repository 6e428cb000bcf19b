/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/booster.h"

#include "hardware/cpu-topology.h"

/* Samples taken in one go, so that the bus is served between them. */
#define SAMPLES_A_DISPATCH 64

struct _EppdBooster {
  EppdResidencySource *source;
  GPtrArray *policies; /* EppdManagedPolicy, borrowed */
  EppdStatistics *statistics;
  EppdBoostSet *set;
  EppdBoostParams params;
  EppdResidencyConfig config; /* owns cpus; its apps are these: */
  EppdAppRule apps[EPPD_APP_RULES_MAX];
  bool siblings;
  gint64 retry_usec;     /* when missed boosts are tried again at the earliest */
  EppdBoosterNews *news; /* of the dispatch that runs */
};

static void
note_outcome(EppdBooster *booster, EppdOutcome outcome)
{
  booster->news->refused |= outcome != EPPD_OUTCOME_DONE;
  booster->news->gone |= outcome == EPPD_OUTCOME_GONE;
}

static void
carry_out_edge(EppdBooster *booster, const EppdPolicyEdge *edge, gint64 now_usec)
{
  EppdManagedPolicy *policy = booster->policies->pdata[edge->policy];

  note_outcome(booster, edge->edge == EPPD_EDGE_BUSY
                            ? eppd_managed_policy_busy_edge(policy, now_usec)
                            : eppd_managed_policy_idle_edge(policy, now_usec));
}

static void
carry_out(EppdBooster *booster, guint cpu, const EppdBoostChange *change, gint64 now_usec)
{
  if (change->cpu_edge == EPPD_EDGE_NONE)
    return;

  booster->news->edges = true;
  if (change->cpu_edge == EPPD_EDGE_BUSY) {
    booster->statistics->busy_edges++;
    eppd_residency_source_set_boosted(booster->source, cpu, true);
  } else {
    booster->statistics->idle_edges++;
    eppd_residency_source_set_boosted(booster->source, cpu, false);
  }
  for (guint i = 0; i < change->n_edges; i++)
    carry_out_edge(booster, &change->edges[i], now_usec);
}

static void
on_sample(const EppdResidencySample *sample, gpointer data)
{
  EppdBooster *booster = data;
  EppdBoostChange change;

  booster->statistics->samples++;
  change = sample->app == 0 ? eppd_boost_set_sample(booster->set, sample->cpu,
                                                    sample->busy_permille, sample->when_usec)
                            : eppd_boost_set_app_sample(booster->set, sample->cpu, sample->app,
                                                        sample->busy_permille, sample->when_usec);
  carry_out(booster, sample->cpu, &change, sample->when_usec);
}

/* Takes over what the source saw by itself; whether it is newer than what the set knew shows in the
 * expiry. */
static void
catch_up(EppdBooster *booster, guint cpu)
{
  gint64 busy_usec;

  if (eppd_residency_source_get_last_busy(booster->source, cpu, &busy_usec, NULL))
    eppd_boost_set_note_busy(booster->set, cpu, busy_usec);
}

static void
expire_cpu(EppdBooster *booster, guint cpu, gint64 now_usec)
{
  EppdBoostChange change;

  /* Clear the word first, look again, then write: a busy sample from here on is told as an event,
   * and one from before is seen by this look. */
  eppd_residency_source_set_boosted(booster->source, cpu, false);
  catch_up(booster, cpu);
  change = eppd_boost_set_expire_cpu(booster->set, cpu, now_usec);
  if (change.cpu_edge == EPPD_EDGE_NONE)
    eppd_residency_source_set_boosted(booster->source, cpu, true);
  else
    carry_out(booster, cpu, &change, now_usec);
}

/* One look at all boosted CPUs when the first hold may have passed: CPUs that stay busy then share
 * their next time, so that they cost one wake-up a hold together, not one each. */
static void
catch_up_all(EppdBooster *booster)
{
  guint n_cpus;
  const guint *cpus = eppd_boost_set_boosted(booster->set, &n_cpus);

  for (guint i = 0; i < n_cpus; i++)
    catch_up(booster, cpus[i]);
}

static void
expire(EppdBooster *booster, gint64 now_usec)
{
  guint cpu;

  if (!eppd_boost_set_next_due(booster->set, now_usec, &cpu))
    return;
  catch_up_all(booster);
  while (eppd_boost_set_next_due(booster->set, now_usec, &cpu))
    expire_cpu(booster, cpu, now_usec);
}

/* A busy CPU whose policy did not take the boost (the write failed, the governor was performance,
 * it rested): its edge is past, and without another try a core that never idles would never be
 * boosted. Once a hold time. */
static void
retry_missed(EppdBooster *booster, gint64 now_usec)
{
  guint n_cpus;
  const guint *cpus = eppd_boost_set_boosted(booster->set, &n_cpus);

  /* What failed in this dispatch waits for the next. */
  if (booster->news->edges)
    return;
  if (now_usec < booster->retry_usec && booster->retry_usec <= now_usec + booster->params.hold_usec)
    return;
  booster->retry_usec = now_usec + booster->params.hold_usec;
  for (guint i = 0; i < n_cpus; i++) {
    guint n_policies;
    const guint *policies =
        eppd_topology_policies_of(eppd_boost_set_topology(booster->set), cpus[i], &n_policies);

    for (guint p = 0; p < n_policies; p++) {
      EppdManagedPolicy *policy = booster->policies->pdata[policies[p]];

      if (!eppd_managed_policy_state(policy)->boosted)
        note_outcome(booster, eppd_managed_policy_busy_edge(policy, now_usec));
    }
  }
}

static gint64
earlier(gint64 a_usec, gint64 b_usec)
{
  if (a_usec < 0 || b_usec < 0)
    return MAX(a_usec, b_usec);
  return MIN(a_usec, b_usec);
}

EppdBoosterNews
eppd_booster_dispatch(EppdBooster *booster)
{
  EppdBoosterNews news = {0};
  gint64 start_usec = g_get_monotonic_time();
  gint64 now_usec =
      eppd_residency_source_advance(booster->source, eppd_boost_set_deadline_usec(booster->set));

  booster->news = &news;
  news.next_usec = eppd_residency_source_dispatch(booster->source, now_usec, SAMPLES_A_DISPATCH,
                                                  on_sample, booster);
  now_usec = eppd_residency_source_get_time_usec(booster->source);
  expire(booster, now_usec);
  retry_missed(booster, now_usec);
  booster->news = NULL;

  news.next_usec = earlier(news.next_usec, eppd_boost_set_deadline_usec(booster->set));
  if (news.next_usec >= 0 && eppd_residency_source_is_virtual(booster->source)) {
    /* Virtual time passes by being called. */
    news.next_usec = 0;
  } else if (news.next_usec >= 0) {
    /* As long for the others as this took: a period shorter than its own work would leave them
     * none. */
    gint64 end_usec = g_get_monotonic_time();

    news.next_usec = MAX(news.next_usec, end_usec + (end_usec - start_usec));
  }
  return news;
}

/* Which applications are told apart, and the thresholds. */
static void
set_rules(EppdBooster *booster, const EppdBoosterSettings *settings)
{
  booster->params.threshold_permille = settings->threshold_permille;
  booster->config.threshold_permille = settings->threshold_permille;
  for (guint i = 0; i < settings->n_apps; i++)
    booster->apps[i] = settings->apps[i];
  booster->config.apps = booster->apps;
  booster->config.n_apps = settings->n_apps;
}

static bool
rules_are(const EppdBooster *booster, const EppdBoosterSettings *settings)
{
  if (settings->threshold_permille != booster->params.threshold_permille ||
      settings->n_apps != booster->config.n_apps)
    return false;
  for (guint i = 0; i < settings->n_apps; i++) {
    if (settings->apps[i].cgroup_id != booster->apps[i].cgroup_id ||
        settings->apps[i].threshold_permille != booster->apps[i].threshold_permille)
      return false;
  }
  return true;
}

static void
add_siblings(EppdSysRoot *root, const EppdCpuList *own, EppdCpuList *siblings)
{
  for (guint c = 0; c < own->n_cpus; c++) {
    g_auto(EppdCpuList) threads = {0};

    eppd_cpu_topology_siblings(root, own->cpus[c], &threads);
    for (guint t = 0; t < threads.n_cpus; t++)
      eppd_cpu_list_add(siblings, threads.cpus[t]);
  }
}

/* Which policies a busy CPU boosts. A policy that can't be boosted keeps its place, so that indices
 * agree, and has no CPU. */
static EppdTopology *
make_topology(EppdBooster *booster, EppdSysRoot *root, bool with_siblings)
{
  guint n = booster->policies->len;
  EppdCpuList *cpus = g_new0(EppdCpuList, n);
  EppdCpuList *siblings = g_new0(EppdCpuList, n);
  EppdTopology *topology;

  for (guint i = 0; i < n; i++) {
    EppdCpufreqPolicy *hardware = eppd_managed_policy_hardware(booster->policies->pdata[i]);

    if (!eppd_cpufreq_policy_has_epp(hardware) || !eppd_cpufreq_policy_is_online(hardware))
      continue;
    eppd_cpu_list_copy(eppd_cpufreq_policy_cpus(hardware), &cpus[i]);
    for (guint c = 0; c < cpus[i].n_cpus; c++)
      eppd_cpu_list_add(&booster->config.cpus, cpus[i].cpus[c]);
    if (with_siblings)
      add_siblings(root, &cpus[i], &siblings[i]);
  }
  topology = eppd_topology_new(cpus, siblings, n);
  for (guint i = 0; i < n; i++) {
    eppd_cpu_list_clear(&cpus[i]);
    eppd_cpu_list_clear(&siblings[i]);
  }
  g_free(cpus);
  g_free(siblings);
  return topology;
}

static void
free_booster(EppdBooster *booster)
{
  eppd_boost_set_free(booster->set);
  eppd_cpu_list_clear(&booster->config.cpus);
  g_free(booster);
}

EppdBooster *
eppd_booster_arm(EppdSysRoot *root,
                 EppdResidencySource *source,
                 GPtrArray *policies,
                 EppdStatistics *statistics,
                 const EppdBoosterSettings *settings,
                 GError **error)
{
  EppdBooster *booster = g_new0(EppdBooster, 1);

  booster->source = source;
  booster->policies = policies;
  booster->statistics = statistics;
  set_rules(booster, settings);
  booster->params.hold_usec = settings->hold_usec;
  booster->config.sample_usec = settings->sample_usec;
  booster->siblings = settings->siblings;
  booster->set =
      eppd_boost_set_new(make_topology(booster, root, settings->siblings), &booster->params);
  eppd_boost_set_apps(booster->set, booster->apps, booster->config.n_apps);

  if (!eppd_residency_source_arm(source, &booster->config,
                                 eppd_residency_source_get_time_usec(source), error)) {
    free_booster(booster);
    return NULL;
  }
  statistics->arms++;
  return booster;
}

void
eppd_booster_disarm(EppdBooster *booster)
{
  EppdBoosterNews news = {0};
  gint64 now_usec = eppd_residency_source_get_time_usec(booster->source);
  guint n_cpus = eppd_topology_n_cpus(eppd_boost_set_topology(booster->set));

  eppd_residency_source_disarm(booster->source);
  booster->news = &news;
  for (guint cpu = 0; cpu < n_cpus; cpu++) {
    EppdBoostChange change = eppd_boost_set_reset_cpu(booster->set, cpu);

    carry_out(booster, cpu, &change, now_usec);
  }
  free_booster(booster);
}

int
eppd_booster_fd(const EppdBooster *booster)
{
  return eppd_residency_source_get_fd(booster->source);
}

bool
eppd_booster_adjust(EppdBooster *booster, const EppdBoosterSettings *settings)
{
  if (settings->sample_usec != booster->config.sample_usec ||
      settings->hold_usec != booster->params.hold_usec || settings->siblings != booster->siblings)
    return false;
  if (rules_are(booster, settings))
    return true;
  set_rules(booster, settings);
  eppd_boost_set_params(booster->set, &booster->params);
  eppd_boost_set_apps(booster->set, booster->apps, booster->config.n_apps);
  return eppd_residency_source_configure(booster->source, &booster->config, NULL);
}

bool
eppd_booster_sample(const EppdBooster *booster, guint cpu, guint *busy_permille, gint64 *age_usec)
{
  const EppdBoostState *state = eppd_boost_set_cpu(booster->set, cpu);
  gint64 now_usec = eppd_residency_source_get_time_usec(booster->source);
  gint64 when_usec;

  if (!eppd_residency_source_get_sample(booster->source, cpu, busy_permille, &when_usec)) {
    if (!state || !state->has_sample)
      return false;
    *busy_permille = state->busy_permille;
    when_usec = state->sample_usec;
  }
  *age_usec = MAX(now_usec - when_usec, 0);
  return true;
}

guint64
eppd_booster_app(const EppdBooster *booster, guint cpu)
{
  const EppdBoostState *state = eppd_boost_set_cpu(booster->set, cpu);
  guint64 app = 0;
  gint64 when_usec;

  if (!state || !state->boosted ||
      !eppd_residency_source_get_last_busy(booster->source, cpu, &when_usec, &app))
    return 0;
  return app;
}

gint64
eppd_booster_period_usec(const EppdBooster *booster)
{
  return eppd_residency_source_get_period_usec(booster->source);
}
