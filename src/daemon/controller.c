/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/controller.h"

#include "base/log.h"
#include "daemon/event-source.h"
#include "daemon/kernel-settings.h"
#include "daemon/machine-watch.h"
#include "daemon/power-watch.h"
#include "daemon/restore.h"
#include "daemon/state.h"
#include "hardware/uevents.h"

/* Hotplug comes in storms, an event a CPU: they share a look. */
#define STORM_USEC (20 * 1000)

/* A policy that vanishes under a write may have been made anew, and the others with it. A driver
 * that answers so again and again is not looked for each time: that would disarm all others. */
#define GONE_REST_USEC (60 * G_USEC_PER_SEC)

#define WRITES_TO_JUDGE 3

struct _EppdController {
  /* options */
  EppdSysRoot *root;
  char *config_file;
  char *state_dir;
  char *runtime_dir;
  char *residency_override;
  EppdControllerListener listener;
  gpointer listener_data;

  EppdConfig *config;
  EppdControllerState state;
  EppdStatistics statistics;
  gint64 start_usec;
  EppdJournal *journal;
  EppdMachine *machine;
  EppdKernelSettings *kernel;
  EppdHoldKeeper *holds;
  EppdUevents *uevents;
  EppdPowerWatch *power;

  EppdResidencyKeeper *residency;
  EppdBooster *booster; /* NULL: not armed */
  char *arm_problem;    /* why the source could not be armed */
  EppdMachineWatch *watch;
  bool rescan_due;          /* policies may have come, gone or changed their driver */
  bool mode_changed;        /* …and those that look the same may have been made anew */
  gint64 gone_usec;         /* when a policy vanished under a write; 0: never */
  gint64 judged_write_usec; /* what an EPP write took when that was decided on last */
  bool applied_dynamic_epp; /* whether dynamic EPP was on when the profile was applied last */

  GSource *samples_source; /* the residency source's descriptor */
  GSource *timer_source;   /* the booster's next time */
  GSource *look_source;
};

static void
tell_edges(EppdController *controller)
{
  if (controller->listener.edges)
    controller->listener.edges(controller->listener_data);
}

/* Not from within a dispatch of the booster, which a fresh look may free. */
static void
look_again_soon(EppdController *controller)
{
  g_source_set_ready_time(controller->look_source, 0);
}

/* Once for a storm of hotplug. */
static void
look_again_later(EppdController *controller)
{
  if (g_source_get_ready_time(controller->look_source) < 0)
    g_source_set_ready_time(controller->look_source, g_get_monotonic_time() + STORM_USEC);
}

/* ---- the armed boost ---- */

/* What an EPP write takes; 0: not known. A single slow write says little: it may have been
 * preempted. */
static gint64
write_usec(EppdController *controller)
{
  const EppdStatistics *statistics = &controller->statistics;

  return statistics->epp_writes_timed >= WRITES_TO_JUDGE ? statistics->epp_write_usec : 0;
}

static void
note_gone(EppdController *controller)
{
  gint64 now_usec = g_get_monotonic_time();

  if (controller->gone_usec != 0 && now_usec - controller->gone_usec < GONE_REST_USEC)
    return;
  controller->gone_usec = now_usec;
  controller->mode_changed = true;
}

static void
run_booster(EppdController *controller)
{
  EppdBoosterNews news = eppd_booster_dispatch(controller->booster);

  g_source_set_ready_time(controller->timer_source, news.next_usec);
  if (news.edges)
    tell_edges(controller);
  if (news.gone)
    note_gone(controller);
  if (news.refused || write_usec(controller) != controller->judged_write_usec)
    look_again_soon(controller);
}

static gboolean
on_timer(gpointer data)
{
  run_booster(data);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_samples(int fd, GIOCondition condition, gpointer data)
{
  run_booster(data);
  return G_SOURCE_CONTINUE;
}

static void
disarm(EppdController *controller)
{
  if (!controller->booster)
    return;
  eppd_event_source_clear(&controller->samples_source);
  eppd_event_source_clear(&controller->timer_source);
  g_clear_pointer(&controller->booster, eppd_booster_disarm);
  tell_edges(controller);
  eppd_info("boost", "disarmed");
}

static guint
threshold_permille(EppdController *controller)
{
  return 10 * eppd_boost_holds_core_threshold_percent(
                  eppd_hold_keeper_holds(controller->holds), controller->config->threshold_percent,
                  !eppd_controller_source_knows_apps(controller));
}

static bool
arm(EppdController *controller, const EppdBoostInput *input)
{
  g_autoptr(GError) error = NULL;
  EppdBoosterSettings settings = {
      .threshold_permille = threshold_permille(controller),
      .sample_usec = eppd_decide_sample_usec(input),
      .hold_usec = eppd_decide_hold_usec(input),
      .siblings = controller->config->siblings,
  };
  int fd;

  if (controller->booster && eppd_booster_adjust(controller->booster, &settings))
    return true;
  disarm(controller);
  controller->booster = eppd_booster_arm(
      controller->root, eppd_residency_keeper_source(controller->residency),
      eppd_machine_policies(controller->machine), &controller->statistics, &settings, &error);
  if (!controller->booster) {
    controller->arm_problem = g_strdup(error->message);
    return false;
  }

  fd = eppd_booster_fd(controller->booster);
  if (fd >= 0)
    controller->samples_source = eppd_event_source_fd(fd, G_IO_IN, EPPD_PRIORITY_EDGES,
                                                      G_SOURCE_FUNC(on_samples), controller);
  controller->timer_source = eppd_event_source_timer(EPPD_PRIORITY_EDGES, on_timer, controller);
  g_source_set_ready_time(controller->timer_source, 0);
  eppd_info("boost", "armed: %s", eppd_residency_keeper_name(controller->residency));
  return true;
}

/* ---- what others do to the machine ---- */

static EppdPolicyWish
wish_now(EppdController *controller)
{
  const EppdConfig *config = controller->config;
  const EppdAmdPstate *pstate = eppd_machine_amd_pstate(controller->machine);
  EppdPolicyWish wish = {
      .profile = controller->state.profile,
      .scope = {.governor = config->governor,
                .core_boost = config->core_boost,
                .floor = config->frequency_floor},
      .epp = eppd_epp_table_lookup(&config->table, controller->state.profile,
                                   controller->state.source),
  };

  if (pstate->dynamic_epp_on) {
    wish.take_over = config->dynamic_epp_take_over &&
                     eppd_kernel_settings_take_over_dynamic_epp(controller->kernel, pstate);
    wish.only_remember = !wish.take_over;
  }
  return wish;
}

static void
apply_profile(EppdController *controller, bool force)
{
  EppdPolicyWish wish = wish_now(controller);

  controller->applied_dynamic_epp = eppd_machine_amd_pstate(controller->machine)->dynamic_epp_on;
  /* Each failure was logged with its policy; there is no caller to tell. */
  eppd_machine_apply(controller->machine, &wish, force, NULL);
}

static void
rescan(EppdController *controller)
{
  bool all_new = controller->mode_changed;

  controller->rescan_due = false;
  controller->mode_changed = false;
  disarm(controller);
  if (eppd_machine_rescan(controller->machine, all_new))
    apply_profile(controller, false);
  eppd_machine_watch_reset(controller->watch);
}

/* A fresh look at the machine, and what follows from it at once. */
static void
look(EppdController *controller)
{
  if (eppd_machine_refresh(controller->machine))
    controller->mode_changed = true;
  if (controller->rescan_due || controller->mode_changed)
    rescan(controller);
  /* The kernel has begun to manage EPP, or has left it to us. */
  if (eppd_machine_amd_pstate(controller->machine)->dynamic_epp_on !=
      controller->applied_dynamic_epp)
    apply_profile(controller, false);
  eppd_machine_retry_pending(controller->machine, g_get_monotonic_time());
}

static void
on_machine_changed(bool mode_changed, gpointer data)
{
  EppdController *controller = data;

  controller->mode_changed |= mode_changed;
  look_again_soon(controller);
}

static void
on_power_changed(gpointer data)
{
  EppdController *controller = data;

  look(controller);
  controller->state.source = eppd_power_watch_source(controller->power);
  apply_profile(controller, false);
  look_again_soon(controller);
}

static void
on_uevent(const char *subsystem, gpointer data)
{
  EppdController *controller = data;

  if (g_str_equal(subsystem, "power_supply")) {
    eppd_power_watch_look(controller->power, controller->config->power_source_debounce_usec);
    return;
  }
  controller->rescan_due = true;
  look_again_later(controller);
}

/* ---- the decision ---- */

static bool
is_wanted(EppdController *controller)
{
  return controller->config->mode == EPPD_BOOST_MODE_ALWAYS ||
         (controller->config->mode == EPPD_BOOST_MODE_OPT_IN &&
          eppd_boost_holds_count(eppd_hold_keeper_holds(controller->holds)) > 0);
}

static bool
all_holds_core(EppdController *controller)
{
  const GPtrArray *list = eppd_boost_holds_list(eppd_hold_keeper_holds(controller->holds));

  for (guint i = 0; i < list->len; i++) {
    if (eppd_boost_hold_effective_trigger(list->pdata[i],
                                          eppd_controller_source_knows_apps(controller),
                                          NULL) != EPPD_TRIGGER_CORE)
      return false;
  }
  return true;
}

static void
fill_input(EppdController *controller, EppdBoostInput *input)
{
  const EppdConfig *config = controller->config;
  const EppdAmdPstate *pstate = eppd_machine_amd_pstate(controller->machine);

  *input = (EppdBoostInput){
      .mode = config->mode,
      .backend = config->backend,
      .suppress_in = config->suppress_in,
      .on_battery = config->on_battery,
      .threshold_percent = threshold_permille(controller) / 10,
      .sample_usec = config->sample_usec,
      .hold_usec = config->hold_usec,
      .boost_epp = config->boost_epp,
      .wanted_epp = eppd_epp_table_lookup(&config->table, controller->state.profile,
                                          controller->state.source),
      .siblings = config->siblings,
      .dynamic_epp_take_over = config->dynamic_epp_take_over,
      .n_holds = eppd_boost_holds_count(eppd_hold_keeper_holds(controller->holds)),
      .all_holds_core = all_holds_core(controller),
      .profile = controller->state.profile,
      .source = controller->state.source,
      .n_policies_with_epp = eppd_machine_count_with_epp(controller->machine),
      .n_policies_governor_performance =
          eppd_machine_count_governor_performance(controller->machine),
      .amd_pstate_active = pstate->active,
      .has_cppc_flag = pstate->has_cppc_flag,
      .has_kernel_boost = pstate->has_kernel_boost,
      .dynamic_epp_on = pstate->dynamic_epp_on,
      .epp_write_usec = write_usec(controller),
      .residency_ready = eppd_residency_keeper_source(controller->residency) != NULL,
      .residency_problem = eppd_residency_keeper_reason(controller->residency),
  };
}

/* Does what @status says; where that fails it decides again, knowing more. */
static void
enact(EppdController *controller, EppdBoostInput *input, EppdBoostStatus *status, char **reason)
{
  const EppdAmdPstate *pstate = eppd_machine_amd_pstate(controller->machine);

  if (*status == EPPD_BOOST_KERNEL &&
      !eppd_kernel_settings_want_boost(controller->kernel, pstate, true)) {
    input->has_kernel_boost = false;
    g_free(*reason);
    *status = eppd_decide_boost(input, reason);
  }
  if (*status == EPPD_BOOST_ARMED && !arm(controller, input)) {
    input->residency_ready = false;
    input->residency_problem = controller->arm_problem;
    g_free(*reason);
    *status = eppd_decide_boost(input, reason);
  }
  if (*status != EPPD_BOOST_ARMED)
    disarm(controller);

  if (*status == EPPD_BOOST_ARMED)
    eppd_kernel_settings_want_boost(controller->kernel, pstate, false);
  else if (*status != EPPD_BOOST_KERNEL)
    eppd_kernel_settings_release_boost(controller->kernel);
}

/* Brings what is armed in line with what is known, and tells. */
static void
evaluate(EppdController *controller)
{
  EppdBoostInput input;
  EppdBoostStatus status;
  char *reason = NULL;
  bool wanted = is_wanted(controller);

  g_clear_pointer(&controller->arm_problem, g_free);
  fill_input(controller, &input);
  controller->judged_write_usec = input.epp_write_usec;
  status = eppd_decide_boost(&input, &reason);
  enact(controller, &input, &status, &reason);

  if (status != controller->state.boost_status ||
      g_strcmp0(reason, controller->state.boost_reason) != 0)
    eppd_info("boost", "%s: %s", eppd_boost_status_text(status), reason);
  controller->state.boost_status = status;
  g_free(controller->state.boost_reason);
  controller->state.boost_reason = reason;

  eppd_machine_watch_update(controller->watch, wanted, controller->arm_problem != NULL);
  if (controller->listener.changed)
    controller->listener.changed(controller->listener_data);
}

static gboolean
on_look_again(gpointer data)
{
  EppdController *controller = data;

  look(controller);
  evaluate(controller);
  return G_SOURCE_CONTINUE;
}

static void
on_holds_changed(gpointer data)
{
  EppdController *controller = data;

  /* While nobody wanted the boost, nobody watched the machine. */
  if (is_wanted(controller))
    look(controller);
  evaluate(controller);
}

/* ---- the residency source ---- */

static void
on_residency_changed(gpointer data)
{
  evaluate(data);
}

static void
search_residency(EppdController *controller)
{
  disarm(controller);
  if (controller->config->mode == EPPD_BOOST_MODE_OFF)
    eppd_residency_keeper_drop(controller->residency, "not looked for: [Boost] Mode is off");
  else
    eppd_residency_keeper_search(controller->residency, controller->residency_override
                                                            ? controller->residency_override
                                                            : controller->config->residency_source);
}

/* ---- configuration ---- */

static EppdConfig *
load_config(EppdController *controller)
{
  g_autoptr(GPtrArray) complaints = g_ptr_array_new_with_free_func(g_free);
  EppdConfig *config = eppd_config_load(controller->config_file, complaints);

  for (guint i = 0; i < complaints->len; i++)
    eppd_warning("config", "%s", (const char *)complaints->pdata[i]);
  g_ptr_array_add(complaints, NULL);
  g_strfreev(controller->state.config_problems);
  controller->state.config_problems = (GStrv)g_ptr_array_steal(complaints, NULL);
  return config;
}

static void
choose_profile(EppdController *controller)
{
  controller->state.profile = controller->config->default_profile;
  eppd_state_load_profile(controller->state_dir, &controller->state.profile);
}

void
eppd_controller_reload(EppdController *controller)
{
  g_autoptr(EppdConfig) old = controller->config;

  disarm(controller);
  controller->config = load_config(controller);
  choose_profile(controller);
  if (!controller->config->dynamic_epp_take_over)
    eppd_kernel_settings_release_dynamic_epp(controller->kernel);
  eppd_power_watch_restart(controller->power);
  controller->state.source = eppd_power_watch_source(controller->power);
  rescan(controller);
  eppd_machine_set_boost_epp(controller->machine, &controller->config->boost_epp);
  apply_profile(controller, false);
  if (!g_str_equal(old->residency_source, controller->config->residency_source) ||
      (old->mode == EPPD_BOOST_MODE_OFF) != (controller->config->mode == EPPD_BOOST_MODE_OFF))
    search_residency(controller);
  eppd_notice("config", "read again");
  evaluate(controller);
}

/* ---- life ---- */

static void
free_controller(EppdController *controller)
{
  eppd_event_source_clear(&controller->look_source);
  g_clear_pointer(&controller->watch, eppd_machine_watch_free);
  g_clear_pointer(&controller->uevents, eppd_uevents_free);
  g_clear_pointer(&controller->power, eppd_power_watch_free);
  g_clear_pointer(&controller->residency, eppd_residency_keeper_free);
  g_clear_pointer(&controller->holds, eppd_hold_keeper_free);
  g_clear_pointer(&controller->kernel, eppd_kernel_settings_free);
  g_clear_pointer(&controller->machine, eppd_machine_free);
  g_clear_pointer(&controller->journal, eppd_journal_free);
  g_clear_pointer(&controller->config, eppd_config_free);
  eppd_sys_root_unref(controller->root);
  g_free(controller->config_file);
  g_free(controller->state_dir);
  g_free(controller->runtime_dir);
  g_free(controller->residency_override);
  g_free(controller->arm_problem);
  g_free(controller->state.boost_reason);
  g_strfreev(controller->state.config_problems);
  g_free(controller);
}

/* The one line that a quiet daemon says of itself. */
static void
say_what_is_there(EppdController *controller)
{
  GPtrArray *policies = eppd_machine_policies(controller->machine);
  guint n_with_epp = eppd_machine_count_with_epp(controller->machine);

  if (n_with_epp == 0)
    eppd_notice(
        "eppd",
        "no CPU has an energy_performance_preference file (%u cpufreq policies): nothing to "
        "control until the driver is amd-pstate or intel_pstate in active mode",
        policies->len);
  else
    eppd_notice("eppd", "controls the EPP of %u policies (%s): profile %s on %s", n_with_epp,
                eppd_cpufreq_policy_driver(eppd_managed_policy_hardware(policies->pdata[0])),
                eppd_profile_text(controller->state.profile),
                eppd_power_source_text(controller->state.source));
}

EppdController *
eppd_controller_start(const EppdControllerOptions *options,
                      EppdClients *clients,
                      const EppdControllerListener *listener,
                      gpointer data,
                      GError **error)
{
  EppdController *controller = g_new0(EppdController, 1);

  controller->root = eppd_sys_root_ref(options->root);
  controller->config_file = g_strdup(options->config_file);
  controller->state_dir = g_strdup(options->state_dir);
  controller->runtime_dir = g_strdup(options->runtime_dir);
  controller->residency_override = g_strdup(options->residency_source);
  controller->listener = *listener;
  controller->listener_data = data;
  controller->start_usec = g_get_monotonic_time();
  controller->config = load_config(controller);

  /* What can't be restored now stays in the journal, and is written with the profile. */
  eppd_restore_result_free(eppd_restore(controller->root, controller->runtime_dir));
  controller->journal = eppd_journal_new(controller->root, controller->runtime_dir, error);
  if (!controller->journal) {
    free_controller(controller);
    return NULL;
  }
  controller->machine = eppd_machine_new(controller->root, controller->journal,
                                         &controller->statistics, &controller->config->boost_epp);
  controller->watch = eppd_machine_watch_new(controller->machine, on_machine_changed, controller);
  controller->kernel = eppd_kernel_settings_new(controller->root, controller->journal);
  controller->residency = eppd_residency_keeper_new(on_residency_changed, controller);
  controller->holds = eppd_hold_keeper_new(clients, on_holds_changed, controller);

  choose_profile(controller);
  controller->power = eppd_power_watch_new(controller->root, on_power_changed, controller);
  controller->state.source = eppd_power_watch_source(controller->power);
  apply_profile(controller, false);

  controller->look_source =
      eppd_event_source_timer(EPPD_PRIORITY_MACHINE, on_look_again, controller);
  say_what_is_there(controller);
  controller->uevents = eppd_uevents_new(on_uevent, controller);
  search_residency(controller);
  evaluate(controller);
  return controller;
}

void
eppd_controller_stop(EppdController *controller)
{
  g_autoptr(GError) error = NULL;

  controller->listener = (EppdControllerListener){0};
  disarm(controller);
  eppd_machine_retry_pending(controller->machine, g_get_monotonic_time());
  eppd_kernel_settings_release_boost(controller->kernel);
  eppd_kernel_settings_release_dynamic_epp(controller->kernel);
  if (!eppd_journal_clear(controller->journal, &error))
    eppd_warning("journal", "%s", error->message);
  free_controller(controller);
}

const EppdControllerState *
eppd_controller_state(const EppdController *controller)
{
  return &controller->state;
}

const EppdConfig *
eppd_controller_config(const EppdController *controller)
{
  return controller->config;
}

const EppdStatistics *
eppd_controller_statistics(const EppdController *controller)
{
  return &controller->statistics;
}

gint64
eppd_controller_start_usec(const EppdController *controller)
{
  return controller->start_usec;
}

const EppdResidencyKeeper *
eppd_controller_residency(const EppdController *controller)
{
  return controller->residency;
}

EppdHoldKeeper *
eppd_controller_holds(EppdController *controller)
{
  return controller->holds;
}

EppdMachine *
eppd_controller_machine(EppdController *controller)
{
  return controller->machine;
}

const EppdBooster *
eppd_controller_booster(const EppdController *controller)
{
  return controller->booster;
}

bool
eppd_controller_source_knows_apps(const EppdController *controller)
{
  /* No source tells applications apart: trigger app falls back to core, and each hold says so. */
  return false;
}
