/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/controller.h"

#include "base/log.h"
#include "daemon/event-source.h"
#include "daemon/machine-watch.h"
#include "daemon/power-watch.h"
#include "daemon/restore.h"
#include "daemon/sleep-watch.h"
#include "hardware/uevents.h"

#include <string.h>

/* Hotplug comes in storms, an event a CPU: they share a look, once it is quiet. One that takes
 * long, since there are many CPUs, is followed by as many times as long without: a storm, which
 * takes the longer the more CPUs there are, does not cost the more looks for that. */
#define QUIET_USEC     (20 * 1000)
#define STORM_MAX_USEC (1 * G_USEC_PER_SEC)
#define RESTS_A_LOOK   9
#define REST_MAX_USEC  (1 * G_USEC_PER_SEC)

/* Beside our own state directory. */
#define IMPORTED_STATE "../power-profiles-daemon/state.ini"

struct _EppdController {
  /* options */
  EppdSysRoot *root;
  char *config_file;
  char *runtime_dir;
  char *residency_override;
  EppdControllerListener listener;
  gpointer listener_data;

  EppdConfig *config;
  GStrv config_problems;
  EppdStatistics statistics;
  gint64 start_usec;
  EppdJournal *journal;
  EppdMachine *machine;
  EppdMachineWatch *watch;
  EppdKernelSettings *kernel;
  EppdTuner *tuner;
  EppdProfileKeeper *profiles;
  EppdHoldKeeper *holds;
  EppdBoostControl *boost;
  EppdUevents *uevents;
  EppdPowerWatch *power;
  EppdSleepWatch *sleep; /* NULL: logind is not asked */

  bool sleeping;
  bool rescan_due;    /* policies may have come, gone or changed their driver */
  gint64 storm_usec;  /* …since when that is known */
  gint64 rescan_usec; /* …and are not looked for before this */
  gint64 rested_usec; /* when the rest after the longest look is over */
  bool mode_changed;  /* …and those that look the same may have been made anew */
  GSource *look_source;
};

/* Not from within a dispatch of the booster, which a fresh look may free. */
static void
look_again_soon(EppdController *controller)
{
  g_source_set_ready_time(controller->look_source, 0);
}

/* For a rescan that waits; what is to be looked at earlier stays so. */
static void
look_again_later(EppdController *controller)
{
  if (g_source_get_ready_time(controller->look_source) != 0)
    g_source_set_ready_time(controller->look_source, controller->rescan_usec);
}

/* Once for a storm of hotplug. */
static void
rescan_later(EppdController *controller)
{
  gint64 now_usec = g_get_monotonic_time();

  if (!controller->rescan_due)
    controller->storm_usec = now_usec;
  controller->rescan_due = true;
  controller->rescan_usec = MAX(MIN(now_usec + QUIET_USEC, controller->storm_usec + STORM_MAX_USEC),
                                controller->rested_usec);
  look_again_later(controller);
}

static void
rest_after_look(EppdController *controller, gint64 start_usec)
{
  gint64 end_usec = g_get_monotonic_time();
  gint64 rest_usec = MIN(RESTS_A_LOOK * (end_usec - start_usec), REST_MAX_USEC);

  controller->rested_usec = MAX(controller->rested_usec, end_usec + rest_usec);
}

/* ---- what is decided, and told ---- */

/* Brings what is armed in line with what is known, and tells. */
static void
evaluate(EppdController *controller)
{
  const EppdConfig *config = controller->config;
  EppdProfile profile = eppd_controller_profile(controller);
  EppdBoostContext context = {
      .profile = profile,
      .source = eppd_power_watch_source(controller->power),
      .wanted_epp = eppd_epp_table_lookup(&config->table, profile,
                                          eppd_controller_profile_source(controller)),
      .sleeping = controller->sleeping,
  };

  eppd_boost_control_evaluate(controller->boost, config, &context);
  eppd_machine_watch_update(controller->watch, eppd_boost_control_has_failed(controller->boost) ||
                                                   eppd_machine_needs_rescan(controller->machine));
  if (controller->listener.changed)
    controller->listener.changed(controller->listener_data);
}

static void
on_edges(gpointer data)
{
  EppdController *controller = data;

  if (controller->listener.edges)
    controller->listener.edges(controller->listener_data);
}

/* ---- the profile on the machine ---- */

static EppdTunerInput
tuner_input(EppdController *controller, EppdProfile profile)
{
  return (EppdTunerInput){
      .profile = profile,
      .source = eppd_controller_profile_source(controller),
      .battery_percent = eppd_power_watch_battery_percent(controller->power),
  };
}

/* The profile in effect again, as far as it goes: power source, configuration, resume. */
static void
apply_again(EppdController *controller)
{
  EppdTunerInput input = tuner_input(controller, eppd_controller_profile(controller));

  eppd_tuner_apply(controller->tuner, controller->config, &input, false, NULL);
}

static void
apply_cpu_again(EppdController *controller, bool only_new)
{
  EppdTunerInput input = tuner_input(controller, eppd_controller_profile(controller));

  if (only_new)
    eppd_tuner_apply_to_new_cpus(controller->tuner, controller->config, &input);
  else
    eppd_tuner_apply_cpu(controller->tuner, controller->config, &input);
}

/* Looks for policies. The caller applies a profile to new ones. */
static bool
rescan(EppdController *controller)
{
  bool all_new = controller->mode_changed;
  bool found_new;

  controller->rescan_due = false;
  controller->mode_changed = false;
  eppd_boost_control_disarm(controller->boost);
  found_new = eppd_machine_rescan(controller->machine, all_new);
  /* A new watch is followed by a look: not for one that comes to nothing, again and again. */
  if (!eppd_machine_needs_rescan(controller->machine))
    eppd_machine_watch_reset(controller->watch);
  return found_new;
}

/* The global switch of dynamic EPP, where it is on and ours to take. */
static void
take_over_dynamic_epp(EppdController *controller)
{
  if (!controller->config->dynamic_epp_take_over ||
      !eppd_machine_amd_pstate(controller->machine)->dynamic_epp_on)
    return;
  /* It makes all policies anew: what is boosted is put back before. */
  eppd_boost_control_disarm(controller->boost);
  controller->mode_changed |= eppd_kernel_settings_take_over_dynamic_epp(controller->kernel);
}

static bool
is_rescan_due(const EppdController *controller)
{
  return controller->rescan_due && g_get_monotonic_time() >= controller->rescan_usec;
}

/* Where a rescan is due; true if there are new policies. */
static bool
rescan_if_due(EppdController *controller)
{
  take_over_dynamic_epp(controller);
  controller->rescan_due |= eppd_machine_needs_rescan(controller->machine);
  return (is_rescan_due(controller) || controller->mode_changed) && rescan(controller);
}

/* A fresh look at the machine's policies; true if there are new ones. */
static bool
look_at_policies(EppdController *controller)
{
  /* A rescan reads the policies itself. */
  bool mode_changed = is_rescan_due(controller) ? eppd_machine_refresh_mode(controller->machine)
                                                : eppd_machine_refresh(controller->machine);

  controller->mode_changed |= mode_changed;
  return rescan_if_due(controller);
}

static void
update_drivers(EppdController *controller)
{
  EppdProfileDrivers drivers = eppd_tuner_drivers(controller->tuner);

  eppd_profile_keeper_set_drivers(controller->profiles, &drivers,
                                  controller->config->default_profile);
}

/* A fresh look at the machine, and what follows from it at once. */
static void
look(EppdController *controller)
{
  bool found_new = look_at_policies(controller);
  /* The kernel may also have begun to manage EPP, or have left it to us. */
  bool is_outdated = eppd_tuner_is_outdated(controller->tuner, controller->config);

  if (found_new || is_outdated)
    apply_cpu_again(controller, !is_outdated);
  update_drivers(controller);
  eppd_machine_retry_pending(controller->machine, g_get_monotonic_time());
}

/* The keeper's: it is told of other drivers later, not from within its own call. */
static gboolean
on_apply(EppdProfile profile, bool strict, gpointer data, GError **error)
{
  EppdController *controller = data;
  EppdTunerInput input = tuner_input(controller, profile);

  if (eppd_machine_refresh_mode(controller->machine))
    controller->mode_changed = true;
  /* Who chooses a profile waits for no storm to pass. */
  controller->rescan_usec = 0;
  if (rescan_if_due(controller))
    look_again_soon(controller);
  if (eppd_tuner_apply(controller->tuner, controller->config, &input, strict, error))
    return TRUE;
  /* What could not be taken back either is tried again. */
  look_again_soon(controller);
  return FALSE;
}

static void
on_profile_changed(gpointer data)
{
  evaluate(data);
}

static void
on_profile_released(const EppdProfileHold *hold, gpointer data)
{
  EppdController *controller = data;

  if (controller->listener.released)
    controller->listener.released(hold, controller->listener_data);
}

static void
on_drivers_changed(gpointer data)
{
  EppdController *controller = data;

  update_drivers(controller);
  evaluate(controller);
}

static void
on_firmware_chose(EppdProfile profile, gpointer data)
{
  EppdController *controller = data;

  eppd_profile_keeper_follow(controller->profiles, profile);
}

static void
on_degraded_changed(gpointer data)
{
  evaluate(data);
}

/* ---- what others do to the machine ---- */

static void
on_machine_changed(bool mode_changed, gpointer data)
{
  EppdController *controller = data;

  controller->mode_changed |= mode_changed;
  look_again_soon(controller);
}

static void
on_boost_news(bool gone, gpointer data)
{
  on_machine_changed(gone, data);
}

static void
on_source_changed(gpointer data)
{
  EppdController *controller = data;

  look(controller);
  apply_again(controller);
  evaluate(controller);
}

static void
on_battery_changed(gpointer data)
{
  EppdController *controller = data;
  EppdTunerInput input = tuner_input(controller, eppd_controller_profile(controller));

  eppd_tuner_apply_actions(controller->tuner, &input);
}

/* A CPU that goes and comes back between two looks would seem never to have gone. */
static void
note_hotplug(EppdController *controller, const char *name)
{
  guint64 cpu;

  if (name && g_str_has_prefix(name, "cpu") &&
      g_ascii_string_to_unsigned(name + strlen("cpu"), 10, 0, EPPD_CPU_MAX - 1, &cpu, NULL))
    eppd_machine_note_hotplug(controller->machine, (guint)cpu);
}

static void
on_uevent(const char *subsystem, const char *name, gpointer data)
{
  EppdController *controller = data;

  if (g_str_equal(subsystem, "cpu")) {
    note_hotplug(controller, name);
    rescan_later(controller);
    return;
  }
  if (g_str_equal(subsystem, "power_supply"))
    eppd_power_watch_look(controller->power);
  eppd_tuner_device_changed(controller->tuner, subsystem);
}

static gboolean
on_look_again(gpointer data)
{
  EppdController *controller = data;
  gint64 start_usec = g_get_monotonic_time();

  look(controller);
  evaluate(controller);
  rest_after_look(controller, start_usec);
  if (controller->rescan_due)
    look_again_later(controller);
  return G_SOURCE_CONTINUE;
}

static void
on_holds_changed(gpointer data)
{
  EppdController *controller = data;

  /* The news of what happened just before may still be on its way. */
  if (eppd_boost_control_is_wanted(controller->boost, controller->config))
    look(controller);
  evaluate(controller);
}

/* The kernel and the firmware may have put anything back while the machine slept. */
static void
resume(EppdController *controller)
{
  controller->mode_changed = true;
  eppd_power_watch_restart(controller->power, controller->config->power_source_debounce_usec);
  eppd_tuner_look_again(controller->tuner);
  look(controller);
  apply_again(controller);
  eppd_notice("eppd", "the machine woke up: profile %s is set again",
              eppd_profile_text(eppd_controller_profile(controller)));
}

static void
on_sleep(bool sleeps, gpointer data)
{
  EppdController *controller = data;

  controller->sleeping = sleeps;
  if (!sleeps)
    resume(controller);
  evaluate(controller);
}

/* ---- what is asked for ---- */

void
eppd_controller_set_battery_aware(EppdController *controller, bool battery_aware)
{
  if (eppd_profile_keeper_battery_aware(controller->profiles) == battery_aware)
    return;
  eppd_profile_keeper_set_battery_aware(controller->profiles, battery_aware);
  apply_again(controller);
  evaluate(controller);
}

gboolean
eppd_controller_set_action_enabled(EppdController *controller,
                                   const char *name,
                                   bool enabled,
                                   GError **error)
{
  bool changed = false;

  if (!eppd_actions_set_enabled(eppd_tuner_actions(controller->tuner), name, enabled, &changed,
                                error))
    return FALSE;
  if (changed) {
    eppd_profile_keeper_set_action(controller->profiles, name, enabled);
    evaluate(controller);
  }
  return TRUE;
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
  g_strfreev(controller->config_problems);
  controller->config_problems = (GStrv)g_ptr_array_steal(complaints, NULL);
  return config;
}

void
eppd_controller_reload(EppdController *controller)
{
  g_autoptr(EppdConfig) old = controller->config;

  eppd_boost_control_disarm(controller->boost);
  controller->config = load_config(controller);
  eppd_kernel_settings_try_again(controller->kernel);
  if (!controller->config->dynamic_epp_take_over &&
      eppd_kernel_settings_release_dynamic_epp(controller->kernel))
    controller->mode_changed = true;
  eppd_power_watch_restart(controller->power, controller->config->power_source_debounce_usec);
  controller->rescan_due = true;
  controller->rescan_usec = 0;
  look_at_policies(controller);
  eppd_machine_set_boost_epp(controller->machine, &controller->config->boost_epp);
  update_drivers(controller);
  apply_again(controller);
  if (!g_str_equal(old->residency_source, controller->config->residency_source) ||
      (old->mode == EPPD_BOOST_MODE_OFF) != (controller->config->mode == EPPD_BOOST_MODE_OFF))
    eppd_boost_control_search_residency(controller->boost, controller->config,
                                        controller->residency_override);
  eppd_notice("config", "read again");
  evaluate(controller);
}

/* ---- life ---- */

static void
free_controller(EppdController *controller)
{
  eppd_event_source_clear(&controller->look_source);
  g_clear_pointer(&controller->sleep, eppd_sleep_watch_free);
  g_clear_pointer(&controller->uevents, eppd_uevents_free);
  g_clear_pointer(&controller->power, eppd_power_watch_free);
  g_clear_pointer(&controller->boost, eppd_boost_control_free);
  g_clear_pointer(&controller->watch, eppd_machine_watch_free);
  g_clear_pointer(&controller->holds, eppd_hold_keeper_free);
  g_clear_pointer(&controller->profiles, eppd_profile_keeper_free);
  g_clear_pointer(&controller->tuner, eppd_tuner_free);
  g_clear_pointer(&controller->kernel, eppd_kernel_settings_free);
  g_clear_pointer(&controller->machine, eppd_machine_free);
  g_clear_pointer(&controller->journal, eppd_journal_free);
  g_clear_pointer(&controller->config, eppd_config_free);
  eppd_sys_root_unref(controller->root);
  g_free(controller->config_file);
  g_free(controller->runtime_dir);
  g_free(controller->residency_override);
  g_strfreev(controller->config_problems);
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
    eppd_notice("eppd", "controls the EPP of %u %s (%s): profile %s on %s", n_with_epp,
                n_with_epp == 1 ? "policy" : "policies",
                eppd_cpufreq_policy_driver(eppd_managed_policy_hardware(policies->pdata[0])),
                eppd_profile_text(eppd_controller_profile(controller)),
                eppd_power_source_text(eppd_power_watch_source(controller->power)));
}

static void
create_machine(EppdController *controller, const EppdControllerOptions *options)
{
  static const EppdTunerListener listener = {
      .drivers_changed = on_drivers_changed,
      .firmware_chose = on_firmware_chose,
      .degraded_changed = on_degraded_changed,
  };

  controller->machine =
      eppd_machine_new(controller->root, controller->journal, &controller->statistics,
                       &controller->config->boost_epp, options->blocked_drivers);
  controller->watch = eppd_machine_watch_new(controller->machine, on_machine_changed, controller);
  controller->kernel = eppd_kernel_settings_new(controller->root, controller->journal);
  controller->tuner =
      eppd_tuner_new(controller->root, controller->machine, options->blocked_drivers,
                     options->blocked_actions, &listener, controller);
}

static void
create_keepers(EppdController *controller, EppdClients *clients, const char *state_dir)
{
  static const EppdProfileKeeperListener profile_listener = {
      .apply = on_apply,
      .changed = on_profile_changed,
      .released = on_profile_released,
  };
  static const EppdBoostControlListener boost_listener = {.edges = on_edges, .news = on_boost_news};
  g_autofree char *import_path = g_build_filename(state_dir, IMPORTED_STATE, NULL);
  /* It is named in a message. */
  g_autofree char *import_file = g_canonicalize_filename(import_path, NULL);

  controller->profiles =
      eppd_profile_keeper_new(clients, state_dir, import_file, &profile_listener, controller);
  controller->holds = eppd_hold_keeper_new(clients, on_holds_changed, controller);
  controller->boost = eppd_boost_control_new(controller->root, controller->machine,
                                             controller->kernel, &controller->statistics,
                                             controller->holds, &boost_listener, controller);
}

static void
watch_power(EppdController *controller, GDBusConnection *bus)
{
  static const EppdPowerWatchListener listener = {
      .source_changed = on_source_changed,
      .battery_changed = on_battery_changed,
  };

  controller->power = eppd_power_watch_new(
      controller->root, bus, controller->config->power_source_debounce_usec, &listener, controller);
}

static void
restore_actions(EppdController *controller)
{
  EppdActions *actions = eppd_tuner_actions(controller->tuner);

  for (guint i = 0; i < eppd_actions_count(actions); i++) {
    const char *name = eppd_actions_info(actions, i)->name;
    bool changed;
    bool enabled;

    if (eppd_profile_keeper_action(controller->profiles, name, &enabled))
      eppd_actions_set_enabled(actions, name, enabled, &changed, NULL);
  }
}

EppdController *
eppd_controller_start(const EppdControllerOptions *options,
                      GDBusConnection *bus,
                      EppdClients *clients,
                      const EppdControllerListener *listener,
                      gpointer data,
                      GError **error)
{
  EppdController *controller = g_new0(EppdController, 1);

  controller->root = eppd_sys_root_ref(options->root);
  controller->config_file = g_strdup(options->config_file);
  controller->runtime_dir = g_strdup(options->runtime_dir);
  controller->residency_override = g_strdup(options->residency_source);
  controller->start_usec = g_get_monotonic_time();
  controller->config = load_config(controller);

  /* What can't be restored now stays in the journal, and is written with the profile. */
  eppd_restore(controller->root, controller->runtime_dir);
  controller->journal = eppd_journal_new(controller->root, controller->runtime_dir, error);
  if (!controller->journal) {
    free_controller(controller);
    return NULL;
  }
  controller->look_source =
      eppd_event_source_timer(EPPD_PRIORITY_MACHINE, on_look_again, controller);
  create_machine(controller, options);
  create_keepers(controller, clients, options->state_dir);
  watch_power(controller, options->without_upower ? NULL : bus);
  restore_actions(controller);
  /* Under it no policy takes EPP: it would seem that there is no driver. */
  rescan_if_due(controller);
  update_drivers(controller);

  say_what_is_there(controller);
  controller->uevents = eppd_uevents_new(on_uevent, controller);
  if (!options->without_logind)
    controller->sleep = eppd_sleep_watch_new(bus, on_sleep, controller);
  eppd_boost_control_search_residency(controller->boost, controller->config,
                                      controller->residency_override);
  controller->listener = *listener;
  controller->listener_data = data;
  evaluate(controller);
  return controller;
}

void
eppd_controller_stop(EppdController *controller)
{
  g_autoptr(GError) error = NULL;

  eppd_profile_keeper_end_holds(controller->profiles);
  controller->listener = (EppdControllerListener){0};
  eppd_boost_control_disarm(controller->boost);
  eppd_machine_retry_pending(controller->machine, g_get_monotonic_time());
  eppd_machine_give_back(controller->machine);
  eppd_kernel_settings_release_boost(controller->kernel);
  eppd_kernel_settings_release_dynamic_epp(controller->kernel);
  if (!eppd_journal_clear(controller->journal, &error))
    eppd_warning("journal", "%s", error->message);
  free_controller(controller);
}

const EppdConfig *
eppd_controller_config(const EppdController *controller)
{
  return controller->config;
}

const char *const *
eppd_controller_config_problems(const EppdController *controller)
{
  return (const char *const *)controller->config_problems;
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

EppdMachine *
eppd_controller_machine(EppdController *controller)
{
  return controller->machine;
}

EppdBoostControl *
eppd_controller_boost(EppdController *controller)
{
  return controller->boost;
}

EppdHoldKeeper *
eppd_controller_holds(EppdController *controller)
{
  return controller->holds;
}

EppdProfileKeeper *
eppd_controller_profiles(EppdController *controller)
{
  return controller->profiles;
}

EppdActions *
eppd_controller_actions(EppdController *controller)
{
  return eppd_tuner_actions(controller->tuner);
}

EppdProfile
eppd_controller_profile(const EppdController *controller)
{
  return eppd_profile_keeper_active(controller->profiles);
}

EppdPowerSource
eppd_controller_source(const EppdController *controller)
{
  return eppd_power_watch_source(controller->power);
}

EppdPowerSource
eppd_controller_profile_source(const EppdController *controller)
{
  return eppd_profile_keeper_battery_aware(controller->profiles)
             ? eppd_power_watch_source(controller->power)
             : EPPD_POWER_SOURCE_AC;
}

guint
eppd_controller_degraded(const EppdController *controller)
{
  return eppd_tuner_degraded(controller->tuner);
}
