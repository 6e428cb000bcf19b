/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/views.h"

#include "base/printable.h"
#include "policy/epp-explain.h"

#include <gio/gio.h>

static void
add(GVariantBuilder *builder, const char *key, GVariant *value)
{
  g_variant_builder_add(builder, "{sv}", key, value);
}

static void
add_epp(GVariantBuilder *builder, const char *key, const EppdEpp *epp)
{
  char buffer[EPPD_EPP_TEXT_SIZE];

  add(builder, key, g_variant_new_string(eppd_epp_text(epp, buffer)));
}

/* Text of a file is not always UTF-8, and D-Bus takes nothing else. */
static void
add_text(GVariantBuilder *builder, const char *key, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);

  add(builder, key, g_variant_new_string(valid));
}

/* A CPU's latest sample; false while nothing is armed or it has none. */
static bool
sample_of(EppdController *controller, guint cpu, guint *busy_permille, gint64 *age_usec)
{
  const EppdBooster *booster = eppd_boost_control_booster(eppd_controller_boost(controller));

  return booster && eppd_booster_sample(booster, cpu, busy_permille, age_usec);
}

/* The busiest CPU of @policy, and its sample if there is any. */
static bool
busiest_of(EppdController *controller,
           EppdManagedPolicy *policy,
           guint *cpu,
           guint *busy_permille,
           gint64 *age_usec)
{
  const EppdCpuList *cpus = eppd_cpufreq_policy_cpus(eppd_managed_policy_hardware(policy));
  bool found = false;

  *cpu = cpus->n_cpus > 0 ? cpus->cpus[0] : 0;
  for (guint i = 0; i < cpus->n_cpus; i++) {
    guint permille;
    gint64 age;

    if (!sample_of(controller, cpus->cpus[i], &permille, &age) ||
        (found && permille <= *busy_permille))
      continue;
    found = true;
    *cpu = cpus->cpus[i];
    *busy_permille = permille;
    *age_usec = age;
  }
  return found;
}

/* The hold whose application keeps @policy boosted; NULL: none, or it has ended. */
static const EppdBoostHold *
boosting_hold(EppdController *controller, EppdManagedPolicy *policy)
{
  const EppdBooster *booster = eppd_boost_control_booster(eppd_controller_boost(controller));
  const EppdCpuList *cpus = eppd_cpufreq_policy_cpus(eppd_managed_policy_hardware(policy));
  const EppdBoostHolds *holds = eppd_hold_keeper_holds(eppd_controller_holds(controller));

  for (guint i = 0; booster && i < cpus->n_cpus; i++) {
    guint64 app = eppd_booster_app(booster, cpus->cpus[i]);

    if (app != 0)
      return eppd_boost_holds_of_app(holds, app);
  }
  return NULL;
}

static char *
explain(EppdController *controller,
        EppdManagedPolicy *policy,
        guint cpu,
        bool has_sample,
        guint busy_permille,
        const EppdEpp *current)
{
  const EppdBoostControl *boost = eppd_controller_boost(controller);
  EppdCpufreqPolicy *hardware = eppd_managed_policy_hardware(policy);
  const EppdBoostHold *hold = boosting_hold(controller, policy);
  g_autofree char *boosted_for = hold ? eppd_printable(hold->app_id, EPPD_GIVEN_TEXT_MAX) : NULL;
  EppdExplainInput input = {
      .state = eppd_managed_policy_state(policy),
      .current = *current,
      .online = eppd_cpufreq_policy_is_online(hardware),
      .has_epp = eppd_cpufreq_policy_has_epp(hardware),
      .dynamic_epp_on =
          eppd_machine_amd_pstate(eppd_controller_machine(controller))->dynamic_epp_on,
      .governor_performance = eppd_cpufreq_policy_governor_is_performance(hardware),
      .driver = eppd_cpufreq_policy_driver(hardware),
      .profile = eppd_profile_control_profile(eppd_controller_profiles(controller)),
      .source = eppd_profile_control_followed_source(eppd_controller_profiles(controller)),
      .table = eppd_controller_config(controller)->table.kind,
      .boost_status = eppd_boost_control_status(boost),
      .boost_reason = eppd_boost_control_reason(boost),
      .cpu = cpu,
      .boosted_for = boosted_for,
      .cpu_has_sample = has_sample,
      .cpu_busy_permille = busy_permille,
      .now_usec = g_get_monotonic_time(),
  };

  return eppd_explain_policy(&input);
}

/* What GetPolicies and Explain share: state and sample of @policy. */
static void
add_policy(EppdController *controller,
           EppdManagedPolicy *policy,
           const EppdEpp *current,
           bool has_sample,
           guint busy_permille,
           gint64 age_usec,
           GVariantBuilder *builder)
{
  EppdCpufreqPolicy *hardware = eppd_managed_policy_hardware(policy);
  const EppdPolicyState *state = eppd_managed_policy_state(policy);
  const EppdBoostHold *hold = boosting_hold(controller, policy);

  add_text(builder, "policy", eppd_cpufreq_policy_name(hardware));
  add_epp(builder, "base", &state->base.written);
  add_epp(builder, "current", current);
  add(builder, "boosted", g_variant_new_boolean(state->boosted));
  if (state->boosted && hold)
    add_text(builder, "boosted-for", hold->app_id);
  if (has_sample) {
    add(builder, "busy-permille", g_variant_new_uint32(busy_permille));
    add(builder, "sample-age-usec", g_variant_new_uint64((guint64)age_usec));
  }
}

static GVariant *
view_policy(EppdController *controller, EppdManagedPolicy *policy)
{
  EppdCpufreqPolicy *hardware = eppd_managed_policy_hardware(policy);
  const EppdPolicyState *state = eppd_managed_policy_state(policy);
  EppdEpp current = eppd_cpufreq_policy_read_epp(hardware, NULL);
  g_autofree char *cpus = eppd_cpu_list_format(eppd_cpufreq_policy_cpus(hardware));
  g_autofree char *why = NULL;
  GVariantBuilder builder;
  guint cpu;
  guint busy_permille = 0;
  gint64 age_usec = 0;
  bool has_sample = busiest_of(controller, policy, &cpu, &busy_permille, &age_usec);

  why = explain(controller, policy, cpu, has_sample, busy_permille, &current);
  g_variant_builder_init(&builder, G_VARIANT_TYPE_VARDICT);
  add_policy(controller, policy, &current, has_sample, busy_permille, age_usec, &builder);
  add_text(&builder, "cpus", cpus);
  add(&builder, "online", g_variant_new_boolean(eppd_cpufreq_policy_is_online(hardware)));
  add_text(&builder, "driver", eppd_cpufreq_policy_driver(hardware));
  add_text(&builder, "governor", eppd_cpufreq_policy_governor(hardware));
  add(&builder, "foreign",
      g_variant_new_boolean(!eppd_cpufreq_policy_governor_is_performance(hardware) &&
                            eppd_policy_state_is_foreign(state, &current)));
  add(&builder, "foreign-writes", g_variant_new_uint64(state->foreign_writes));
  add(&builder, "resting",
      g_variant_new_boolean(eppd_policy_state_is_resting(state, g_get_monotonic_time())));
  add(&builder, "restore-pending", g_variant_new_boolean(state->restore_pending));
  add_text(&builder, "why", why);
  return g_variant_builder_end(&builder);
}

GVariant *
eppd_views_policies(EppdController *controller)
{
  GPtrArray *policies = eppd_machine_policies(eppd_controller_machine(controller));
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("aa{sv}"));
  for (guint i = 0; i < policies->len; i++)
    g_variant_builder_add_value(&builder, view_policy(controller, policies->pdata[i]));
  return g_variant_builder_end(&builder);
}

GVariant *
eppd_views_explain(EppdController *controller, guint cpu, GError **error)
{
  EppdMachine *machine = eppd_controller_machine(controller);
  EppdManagedPolicy *policy = eppd_machine_policy_of_cpu(machine, cpu);
  g_autofree char *text = NULL;
  GVariantBuilder builder;
  EppdEpp current;
  guint busy_permille = 0;
  gint64 age_usec = 0;
  bool has_sample;

  if (!policy) {
    g_set_error(error, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS,
                "CPU %u has no cpufreq policy here (there are %u policies)", cpu,
                eppd_machine_policies(machine)->len);
    return NULL;
  }
  current = eppd_cpufreq_policy_read_epp(eppd_managed_policy_hardware(policy), NULL);
  has_sample = sample_of(controller, cpu, &busy_permille, &age_usec);
  text = explain(controller, policy, cpu, has_sample, busy_permille, &current);

  g_variant_builder_init(&builder, G_VARIANT_TYPE_VARDICT);
  add_policy(controller, policy, &current, has_sample, busy_permille, age_usec, &builder);
  add_text(&builder, "text", text);
  return g_variant_builder_end(&builder);
}

GVariant *
eppd_views_statistics(EppdController *controller)
{
  const EppdStatistics *statistics = eppd_controller_statistics(controller);
  const EppdBooster *booster = eppd_boost_control_booster(eppd_controller_boost(controller));
  gint64 uptime_usec = g_get_monotonic_time() - eppd_controller_start_usec(controller);
  struct {
    const char *key;
    guint64 value;
  } rows[] = {
      {"samples", statistics->samples},
      {"busy-edges", statistics->busy_edges},
      {"idle-edges", statistics->idle_edges},
      {"boost-writes", statistics->boost_writes},
      {"base-writes", statistics->base_writes},
      {"write-errors", statistics->write_errors},
      {"foreign-writes", statistics->foreign_writes},
      {"restores-pending", eppd_machine_count_pending(eppd_controller_machine(controller))},
      {"holds-taken", eppd_hold_keeper_taken(eppd_controller_holds(controller))},
      {"arms", statistics->arms},
      {"uptime-usec", (guint64)uptime_usec},
      {"sample-period-usec", booster ? (guint64)eppd_booster_period_usec(booster) : 0},
      {"epp-write-usec", (guint64)eppd_write_cost_fastest_usec(&statistics->write_cost)},
  };
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE_VARDICT);
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    add(&builder, rows[i].key, g_variant_new_uint64(rows[i].value));
  return g_variant_builder_end(&builder);
}

static GVariant *
view_hold(EppdController *controller, const EppdBoostHold *hold, const char *caller)
{
  const EppdConfig *config = eppd_controller_config(controller);
  const char *why = NULL;
  EppdTrigger trigger = eppd_boost_hold_effective_trigger(
      hold, eppd_boost_control_knows_apps(eppd_controller_boost(controller)), &why);
  guint default_percent =
      trigger == EPPD_TRIGGER_APP ? config->app_threshold_percent : config->threshold_percent;
  /* A threshold that was meant for the application's own time means nothing for a whole core. */
  bool is_own = hold->threshold_percent > 0 && trigger == hold->trigger;
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE_VARDICT);
  add(&builder, "cookie",
      g_variant_new_uint32(g_str_equal(hold->owner, caller) ? hold->cookie : 0));
  add_text(&builder, "app-id", hold->app_id);
  add_text(&builder, "reason", hold->reason);
  add_text(&builder, "owner", hold->owner);
  add(&builder, "uid", g_variant_new_uint32(hold->uid));
  add_text(&builder, "trigger", eppd_trigger_text(trigger));
  add_text(&builder, "trigger-asked", eppd_trigger_text(hold->trigger));
  if (why)
    add_text(&builder, "trigger-why", why);
  add(&builder, "threshold-percent",
      g_variant_new_uint32(is_own ? hold->threshold_percent : default_percent));
  add(&builder, "since-usec", g_variant_new_uint64((guint64)hold->since_usec));
  if (hold->pid > 0)
    add(&builder, "pid", g_variant_new_uint32((guint32)hold->pid));
  if (hold->cgroup)
    add_text(&builder, "cgroup", hold->cgroup);
  return g_variant_builder_end(&builder);
}

GVariant *
eppd_views_holds(EppdController *controller, const char *caller)
{
  const GPtrArray *list =
      eppd_boost_holds_list(eppd_hold_keeper_holds(eppd_controller_holds(controller)));
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("aa{sv}"));
  for (guint i = 0; i < list->len; i++)
    g_variant_builder_add_value(&builder, view_hold(controller, list->pdata[i], caller));
  return g_variant_builder_end(&builder);
}

GVariant *
eppd_views_boosted_cpus(EppdController *controller)
{
  g_auto(EppdCpuList) cpus = {0};

  eppd_machine_boosted_cpus(eppd_controller_machine(controller), &cpus);
  return g_variant_new_fixed_array(G_VARIANT_TYPE_UINT32, cpus.cpus, cpus.n_cpus, sizeof(guint32));
}
