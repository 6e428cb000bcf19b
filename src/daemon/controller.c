/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/controller.h"

#include "base/log.h"
#include "daemon/restore.h"
#include "daemon/sleep-watch.h"
#include "hardware/uevents.h"

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
  EppdKernelSettings *kernel;
  EppdMachineKeeper *machine_keeper;
  EppdProfileControl *profiles;
  EppdHoldKeeper *holds;
  EppdBoostControl *boost;
  EppdUevents *uevents;
  EppdSleepWatch *sleep; /* NULL: logind is not asked */
  bool sleeping;
};

/* ---- what is decided, and told ---- */

/* Brings what is armed in line with what is known, and tells. */
static void
evaluate(EppdController *controller)
{
  const EppdConfig *config = controller->config;
  EppdProfile profile = eppd_profile_control_profile(controller->profiles);
  EppdBoostContext context = {
      .profile = profile,
      .source = eppd_profile_control_source(controller->profiles),
      .wanted_epp = eppd_epp_table_lookup(
          &config->table, profile, eppd_profile_control_followed_source(controller->profiles)),
      .sleeping = controller->sleeping,
  };

  eppd_boost_control_evaluate(controller->boost, config, &context);
  eppd_machine_keeper_update(controller->machine_keeper,
                             eppd_boost_control_has_failed(controller->boost));
  if (controller->listener.changed)
    controller->listener.changed(controller->listener_data);
}

/* ---- what the parts tell each other ---- */

static void
on_look(gpointer data)
{
  EppdController *controller = data;

  eppd_profile_control_look(controller->profiles);
  evaluate(controller);
}

static void
on_disarm(gpointer data)
{
  EppdController *controller = data;

  eppd_boost_control_disarm(controller->boost);
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
on_edges(gpointer data)
{
  EppdController *controller = data;

  if (controller->listener.edges)
    controller->listener.edges(controller->listener_data);
}

static void
on_boost_news(bool gone, gpointer data)
{
  EppdController *controller = data;

  eppd_machine_keeper_note_news(controller->machine_keeper, gone);
}

static void
on_holds_changed(gpointer data)
{
  EppdController *controller = data;

  /* The news of what happened just before may still be on its way. */
  if (eppd_boost_control_is_wanted(controller->boost, controller->config))
    eppd_profile_control_look(controller->profiles);
  evaluate(controller);
}

static void
on_uevent(const char *subsystem, const char *name, gpointer data)
{
  EppdController *controller = data;

  if (g_str_equal(subsystem, "cpu"))
    eppd_machine_keeper_note_hotplug(controller->machine_keeper, name);
  else
    eppd_profile_control_note_device(controller->profiles, subsystem);
}

static void
on_sleep(bool sleeps, gpointer data)
{
  EppdController *controller = data;

  controller->sleeping = sleeps;
  if (!sleeps) {
    /* The kernel and the firmware may have put anything back while the machine slept. */
    eppd_machine_keeper_note_sleep(controller->machine_keeper);
    eppd_profile_control_resume(controller->profiles);
  }
  evaluate(controller);
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

static void
search_residency(EppdController *controller)
{
  eppd_boost_control_search_residency(controller->boost, controller->config,
                                      controller->residency_override);
}

void
eppd_controller_reload(EppdController *controller)
{
  g_autoptr(EppdConfig) old = controller->config;
  EppdConfig *config;

  eppd_boost_control_disarm(controller->boost);
  config = controller->config = load_config(controller);
  eppd_write_cost_forget(&controller->statistics.write_cost);
  eppd_machine_keeper_look_anew(controller->machine_keeper, config->dynamic_epp_take_over);
  eppd_machine_set_boost_epp(controller->machine, &config->boost_epp);
  eppd_profile_control_reload(controller->profiles, config);
  if (!g_str_equal(old->residency_source, config->residency_source) ||
      (old->mode == EPPD_BOOST_MODE_OFF) != (config->mode == EPPD_BOOST_MODE_OFF))
    search_residency(controller);
  eppd_notice("config", "read again");
  evaluate(controller);
}

/* ---- life ---- */

static void
free_controller(EppdController *controller)
{
  g_clear_pointer(&controller->sleep, eppd_sleep_watch_free);
  g_clear_pointer(&controller->uevents, eppd_uevents_free);
  g_clear_pointer(&controller->boost, eppd_boost_control_free);
  g_clear_pointer(&controller->profiles, eppd_profile_control_free);
  g_clear_pointer(&controller->machine_keeper, eppd_machine_keeper_free);
  g_clear_pointer(&controller->holds, eppd_hold_keeper_free);
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
                eppd_profile_text(eppd_profile_control_profile(controller->profiles)),
                eppd_power_source_text(eppd_profile_control_source(controller->profiles)));
}

/* What can't be restored now stays in the journal, and is written with the profile. */
static void
load_journal(EppdController *controller)
{
  g_autoptr(GError) error = NULL;

  eppd_restore(controller->root, controller->runtime_dir);
  controller->journal = eppd_journal_load(controller->root, controller->runtime_dir);
  if (!eppd_journal_commit(controller->journal, &error))
    eppd_warning("journal", "%s; ignoring, nothing is boosted until it can be written",
                 error->message);
}

static void
create_machine(EppdController *controller, const EppdControllerOptions *options)
{
  static const EppdMachineKeeperListener listener = {.look = on_look, .disarm = on_disarm};

  controller->machine =
      eppd_machine_new(controller->root, controller->journal, &controller->statistics,
                       &controller->config->boost_epp, options->blocked_drivers);
  controller->kernel = eppd_kernel_settings_new(controller->root, controller->journal);
  controller->machine_keeper =
      eppd_machine_keeper_new(controller->machine, controller->kernel, &listener, controller);
}

static void
create_profiles(EppdController *controller,
                const EppdControllerOptions *options,
                GDBusConnection *bus,
                EppdClients *clients)
{
  static const EppdProfileControlListener listener = {
      .changed = on_profile_changed,
      .released = on_profile_released,
  };
  const EppdProfileControlOptions profile_options = {
      .state_dir = options->state_dir,
      .blocked_drivers = options->blocked_drivers,
      .blocked_actions = options->blocked_actions,
      .upower_bus = options->without_upower ? NULL : bus,
  };

  controller->profiles = eppd_profile_control_new(
      controller->root, controller->machine, controller->machine_keeper, clients, &profile_options,
      controller->config, &listener, controller);
}

static void
create_boost(EppdController *controller, EppdClients *clients)
{
  static const EppdBoostControlListener listener = {.edges = on_edges, .news = on_boost_news};

  controller->holds = eppd_hold_keeper_new(clients, on_holds_changed, controller);
  controller->boost =
      eppd_boost_control_new(controller->root, controller->machine, controller->kernel,
                             &controller->statistics, controller->holds, &listener, controller);
}

EppdController *
eppd_controller_start(const EppdControllerOptions *options,
                      GDBusConnection *bus,
                      EppdClients *clients,
                      const EppdControllerListener *listener,
                      gpointer data)
{
  EppdController *controller = g_new0(EppdController, 1);

  controller->root = eppd_sys_root_ref(options->root);
  controller->config_file = g_strdup(options->config_file);
  controller->runtime_dir = g_strdup(options->runtime_dir);
  controller->residency_override = g_strdup(options->residency_source);
  controller->start_usec = g_get_monotonic_time();
  controller->config = load_config(controller);

  load_journal(controller);
  create_machine(controller, options);
  create_profiles(controller, options, bus, clients);
  create_boost(controller, clients);
  eppd_profile_control_begin(controller->profiles);

  say_what_is_there(controller);
  controller->uevents = eppd_uevents_new(on_uevent, controller);
  if (!options->without_logind)
    controller->sleep = eppd_sleep_watch_new(bus, on_sleep, controller);
  search_residency(controller);
  controller->listener = *listener;
  controller->listener_data = data;
  evaluate(controller);
  return controller;
}

void
eppd_controller_stop(EppdController *controller)
{
  g_autoptr(GError) error = NULL;

  eppd_profile_keeper_end_holds(eppd_profile_control_keeper(controller->profiles));
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

EppdProfileControl *
eppd_controller_profiles(EppdController *controller)
{
  return controller->profiles;
}
