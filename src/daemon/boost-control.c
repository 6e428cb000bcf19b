/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/boost-control.h"

#include "base/log.h"
#include "daemon/event-source.h"
#include "hardware/intel-pstate.h"
#include "policy/profile-drivers.h"

/* A policy that vanishes under a write may have been made anew, and the others with it. A driver
 * that answers so again and again is not looked for each time: that would disarm all others. */
#define GONE_REST_USEC (60 * G_USEC_PER_SEC)

/* A dispatch that takes longer, since a driver's write does, is followed by as long a rest: samples
 * come before the bus, which would never be served. */
#define LONG_DISPATCH_USEC (200 * 1000)

struct _EppdBoostControl {
  EppdSysRoot *root;
  EppdMachine *machine;
  EppdKernelSettings *kernel;
  EppdStatistics *statistics;
  EppdHoldKeeper *holds;
  EppdBoostControlListener listener;
  gpointer data;

  EppdResidencyKeeper *residency;
  EppdBooster *booster;     /* NULL: not armed */
  GSource *samples_source;  /* the residency source's descriptor */
  GSource *timer_source;    /* the booster's next time */
  char *arm_problem;        /* why the source could not be armed */
  gint64 gone_usec;         /* when a policy vanished under a write; 0: never */
  gint64 judged_write_usec; /* what an EPP write took when that was decided on last */
  EppdBoostStatus status;
  char *reason;
};

/* ---- the armed boost ---- */

static gint64
write_usec(const EppdBoostControl *control)
{
  return eppd_write_cost_usec(&control->statistics->write_cost);
}

static bool
gone_is_news(EppdBoostControl *control)
{
  gint64 now_usec = g_get_monotonic_time();

  if (control->gone_usec != 0 && now_usec - control->gone_usec < GONE_REST_USEC)
    return false;
  control->gone_usec = now_usec;
  return true;
}

static void
run_booster(EppdBoostControl *control)
{
  gint64 start_usec = g_get_monotonic_time();
  EppdBoosterNews news = eppd_booster_dispatch(control->booster);
  gint64 now_usec = g_get_monotonic_time();

  if (now_usec - start_usec > LONG_DISPATCH_USEC) {
    eppd_event_source_clear(&control->samples_source);
    news.next_usec = now_usec + (now_usec - start_usec);
  }
  g_source_set_ready_time(control->timer_source, news.next_usec);
  if (news.edges)
    control->listener.edges(control->data);
  if (news.refused || news.gone || write_usec(control) != control->judged_write_usec)
    control->listener.news(news.gone && gone_is_news(control), control->data);
}

static gboolean
on_samples(int fd, GIOCondition condition, gpointer data)
{
  run_booster(data);
  return G_SOURCE_CONTINUE;
}

static void
listen_to_samples(EppdBoostControl *control)
{
  int fd = eppd_booster_fd(control->booster);

  if (fd >= 0 && !control->samples_source)
    control->samples_source =
        eppd_event_source_fd(fd, G_IO_IN, EPPD_PRIORITY_EDGES, G_SOURCE_FUNC(on_samples), control);
}

static gboolean
on_timer(gpointer data)
{
  listen_to_samples(data);
  run_booster(data);
  return G_SOURCE_CONTINUE;
}

void
eppd_boost_control_disarm(EppdBoostControl *control)
{
  if (!control->booster)
    return;
  eppd_event_source_clear(&control->samples_source);
  eppd_event_source_clear(&control->timer_source);
  g_clear_pointer(&control->booster, eppd_booster_disarm);
  eppd_machine_disarm(control->machine);
  control->listener.edges(control->data);
  eppd_info("boost", "disarmed");
}

/* For trigger core; 0: nobody has that. */
static guint
threshold_percent(const EppdBoostControl *control, const EppdConfig *config)
{
  const EppdBoostHolds *holds = eppd_hold_keeper_holds(control->holds);
  guint percent = eppd_boost_holds_core_threshold_percent(holds, config->threshold_percent,
                                                          !eppd_boost_control_knows_apps(control));

  if (percent == 0 &&
      (config->mode == EPPD_BOOST_MODE_ALWAYS || eppd_boost_holds_count(holds) == 0))
    return config->threshold_percent;
  return percent;
}

/* The rules of trigger app; their number. */
static guint
app_rules(const EppdBoostControl *control,
          const EppdConfig *config,
          EppdAppRule rules[EPPD_APP_RULES_MAX])
{
  if (!eppd_boost_control_knows_apps(control))
    return 0;
  return eppd_boost_holds_app_rules(eppd_hold_keeper_holds(control->holds),
                                    config->app_threshold_percent, rules);
}

/* The lowest of @rules; 0 where there is none. */
static guint
app_threshold_percent(const EppdAppRule *rules, guint n_rules)
{
  guint lowest_permille = n_rules > 0 ? rules[0].threshold_permille : 0;

  for (guint i = 1; i < n_rules; i++)
    lowest_permille = MIN(lowest_permille, rules[i].threshold_permille);
  return lowest_permille / 10;
}

/* Where it fails, @input then says what stands in the way. */
static bool
arm(EppdBoostControl *control, const EppdConfig *config, EppdBoostInput *input)
{
  g_autoptr(GError) error = NULL;
  EppdAppRule rules[EPPD_APP_RULES_MAX];
  EppdBoosterSettings settings = {
      .threshold_permille =
          input->threshold_percent > 0 ? 10 * input->threshold_percent : EPPD_RESIDENCY_NEVER_BUSY,
      .apps = rules,
      .n_apps = app_rules(control, config, rules),
      .sample_usec = eppd_decide_sample_usec(input),
      .hold_usec = eppd_decide_hold_usec(input),
      .siblings = input->siblings,
  };

  if (control->booster && !eppd_booster_adjust(control->booster, &settings))
    eppd_boost_control_disarm(control);
  if (!eppd_machine_arm(control->machine, &error)) {
    input->journal_problem = control->arm_problem = g_strdup(error->message);
    return false;
  }
  if (control->booster)
    return true;
  control->booster = eppd_booster_arm(
      control->root, eppd_residency_keeper_source(control->residency),
      eppd_machine_policies(control->machine), control->statistics, &settings, &error);
  if (!control->booster) {
    eppd_machine_disarm(control->machine);
    input->residency_ready = false;
    input->residency_problem = control->arm_problem = g_strdup(error->message);
    return false;
  }

  listen_to_samples(control);
  control->timer_source = eppd_event_source_timer(EPPD_PRIORITY_EDGES, on_timer, control);
  g_source_set_ready_time(control->timer_source, 0);
  eppd_info("boost", "armed: %s", eppd_residency_keeper_name(control->residency));
  return true;
}

/* ---- the decision ---- */

bool
eppd_boost_control_is_wanted(const EppdBoostControl *control, const EppdConfig *config)
{
  return config->mode == EPPD_BOOST_MODE_ALWAYS ||
         (config->mode == EPPD_BOOST_MODE_OPT_IN &&
          eppd_boost_holds_count(eppd_hold_keeper_holds(control->holds)) > 0);
}

static bool
hwp_boost_is_on(const EppdBoostControl *control)
{
  const char *driver = eppd_machine_cpu_driver(control->machine);

  return g_strcmp0(driver, EPPD_DRIVER_INTEL_PSTATE) == 0 &&
         eppd_intel_pstate_hwp_boost_is_on(control->root);
}

static void
fill_input(const EppdBoostControl *control,
           const EppdConfig *config,
           const EppdBoostContext *context,
           EppdBoostInput *input)
{
  const EppdAmdPstate *pstate = eppd_machine_amd_pstate(control->machine);
  EppdAppRule rules[EPPD_APP_RULES_MAX];
  guint n_rules = app_rules(control, config, rules);

  *input = (EppdBoostInput){
      .mode = config->mode,
      .backend = config->backend,
      .suppress_in = config->suppress_in,
      .on_battery = config->on_battery,
      .threshold_percent = threshold_percent(control, config),
      .app_threshold_percent = app_threshold_percent(rules, n_rules),
      .sample_usec = config->sample_usec,
      .hold_usec = config->hold_usec,
      .boost_epp = config->boost_epp,
      .siblings = config->siblings,
      .dynamic_epp_take_over = config->dynamic_epp_take_over,
      .n_holds = eppd_boost_holds_count(eppd_hold_keeper_holds(control->holds)),
      .profile = context->profile,
      .source = context->source,
      .wanted_epp = context->wanted_epp,
      .sleeping = context->sleeping,
      .n_policies_with_epp = eppd_machine_count_with_epp(control->machine),
      .blocked_driver = eppd_machine_blocked_driver(control->machine),
      .n_policies_governor_performance = eppd_machine_count_governor_performance(control->machine),
      .n_policies_dynamic = eppd_machine_count_dynamic(control->machine),
      .amd_pstate_passive = pstate->present && !pstate->active,
      .amd_pstate_active = pstate->active,
      .has_cppc_flag = pstate->has_cppc_flag,
      .has_kernel_boost = pstate->has_kernel_boost,
      .hwp_boost_on = hwp_boost_is_on(control),
      .dynamic_epp_on = pstate->dynamic_epp_on,
      .dynamic_epp_overruled = eppd_kernel_settings_dynamic_epp_is_overruled(control->kernel),
      .epp_write_usec = write_usec(control),
      .residency_ready = eppd_residency_keeper_source(control->residency) != NULL,
      .residency_problem = eppd_residency_keeper_reason(control->residency),
  };
}

static void
decide_again(const EppdBoostInput *input, EppdBoostStatus *status, char **reason)
{
  g_free(*reason);
  *status = eppd_decide_boost(input, reason);
}

/* Does what @status says; where that fails it decides again, knowing more. */
static void
enact(EppdBoostControl *control,
      const EppdConfig *config,
      EppdBoostInput *input,
      EppdBoostStatus *status,
      char **reason)
{
  if (*status == EPPD_BOOST_KERNEL && !eppd_kernel_settings_want_boost(control->kernel, true)) {
    input->kernel_boost_problem =
        eppd_kernel_settings_boost_is_overruled(control->kernel, true)
            ? "another program switched it off, and eppd does not fight that"
            : "it could not be switched on";
    decide_again(input, status, reason);
  }
  if (*status == EPPD_BOOST_ARMED && !arm(control, config, input))
    decide_again(input, status, reason);
  if (*status != EPPD_BOOST_ARMED)
    eppd_boost_control_disarm(control);

  if (*status == EPPD_BOOST_ARMED && !eppd_kernel_settings_want_boost(control->kernel, false)) {
    input->kernel_boost_besides =
        eppd_kernel_settings_boost_is_overruled(control->kernel, false)
            ? "another program switched it on, and eppd does not fight that"
            : "it could not be switched off";
    decide_again(input, status, reason);
  } else if (*status != EPPD_BOOST_ARMED && *status != EPPD_BOOST_KERNEL &&
             !input->kernel_boost_problem) {
    /* With a problem it is wanted all the same, and what another program did about it must not be
     * forgotten. */
    eppd_kernel_settings_release_boost(control->kernel);
  }
}

void
eppd_boost_control_evaluate(EppdBoostControl *control,
                            const EppdConfig *config,
                            const EppdBoostContext *context)
{
  EppdBoostInput input;
  EppdBoostStatus status;
  char *reason = NULL;

  g_clear_pointer(&control->arm_problem, g_free);
  fill_input(control, config, context, &input);
  control->judged_write_usec = input.epp_write_usec;
  status = eppd_decide_boost(&input, &reason);
  enact(control, config, &input, &status, &reason);

  if (status != control->status || g_strcmp0(reason, control->reason) != 0)
    eppd_info("boost", "%s: %s", eppd_boost_status_text(status), reason);
  control->status = status;
  g_free(control->reason);
  control->reason = reason;
}

/* ---- the residency source ---- */

static void
on_residency_changed(gpointer data)
{
  EppdBoostControl *control = data;

  control->listener.news(false, control->data);
}

void
eppd_boost_control_search_residency(EppdBoostControl *control,
                                    const EppdConfig *config,
                                    const char *source)
{
  eppd_boost_control_disarm(control);
  if (config->mode == EPPD_BOOST_MODE_OFF)
    eppd_residency_keeper_drop(control->residency, "not looked for: [Boost] Mode is off");
  else
    eppd_residency_keeper_search(control->residency, source ? source : config->residency_source);
}

/* ---- what is known ---- */

EppdBoostStatus
eppd_boost_control_status(const EppdBoostControl *control)
{
  return control->status;
}

const char *
eppd_boost_control_reason(const EppdBoostControl *control)
{
  return control->reason;
}

bool
eppd_boost_control_has_failed(const EppdBoostControl *control)
{
  return control->arm_problem != NULL;
}

const EppdBooster *
eppd_boost_control_booster(const EppdBoostControl *control)
{
  return control->booster;
}

const EppdResidencyKeeper *
eppd_boost_control_residency(const EppdBoostControl *control)
{
  return control->residency;
}

bool
eppd_boost_control_knows_apps(const EppdBoostControl *control)
{
  EppdResidencySource *source = eppd_residency_keeper_source(control->residency);

  return source && eppd_residency_source_knows_apps(source);
}

/* ---- life ---- */

EppdBoostControl *
eppd_boost_control_new(EppdSysRoot *root,
                       EppdMachine *machine,
                       EppdKernelSettings *kernel,
                       EppdStatistics *statistics,
                       EppdHoldKeeper *holds,
                       const EppdBoostControlListener *listener,
                       gpointer data)
{
  EppdBoostControl *control = g_new0(EppdBoostControl, 1);

  control->root = root;
  control->machine = machine;
  control->kernel = kernel;
  control->statistics = statistics;
  control->holds = holds;
  control->listener = *listener;
  control->data = data;
  control->residency = eppd_residency_keeper_new(on_residency_changed, control);
  return control;
}

void
eppd_boost_control_free(EppdBoostControl *control)
{
  eppd_boost_control_disarm(control);
  eppd_residency_keeper_free(control->residency);
  g_free(control->arm_problem);
  g_free(control->reason);
  g_free(control);
}
