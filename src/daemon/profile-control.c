/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/profile-control.h"

#include "base/log.h"
#include "daemon/power-watch.h"

/* Beside our own state directory. */
#define IMPORTED_STATE "../power-profiles-daemon/state.ini"

struct _EppdProfileControl {
  EppdMachine *machine;
  EppdMachineKeeper *machine_keeper;
  const EppdConfig *config;
  EppdProfileControlListener listener;
  gpointer data;

  EppdTuner *tuner;
  EppdProfileKeeper *keeper;
  EppdPowerWatch *power;
};

/* ---- what is known ---- */

EppdProfileKeeper *
eppd_profile_control_keeper(EppdProfileControl *control)
{
  return control->keeper;
}

EppdActions *
eppd_profile_control_actions(EppdProfileControl *control)
{
  return eppd_tuner_actions(control->tuner);
}

EppdProfile
eppd_profile_control_profile(const EppdProfileControl *control)
{
  return eppd_profile_keeper_active(control->keeper);
}

EppdPowerSource
eppd_profile_control_source(const EppdProfileControl *control)
{
  return eppd_power_watch_source(control->power);
}

EppdPowerSource
eppd_profile_control_followed_source(const EppdProfileControl *control)
{
  return eppd_profile_keeper_battery_aware(control->keeper)
             ? eppd_power_watch_source(control->power)
             : EPPD_POWER_SOURCE_AC;
}

guint
eppd_profile_control_degraded(const EppdProfileControl *control)
{
  return eppd_tuner_degraded(control->tuner);
}

/* ---- the profile on the machine ---- */

static EppdTunerInput
input_for(EppdProfileControl *control, EppdProfile profile)
{
  return (EppdTunerInput){
      .profile = profile,
      .source = eppd_profile_control_followed_source(control),
      .battery_percent = eppd_power_watch_battery_percent(control->power),
  };
}

static EppdTunerInput
current_input(EppdProfileControl *control)
{
  return input_for(control, eppd_profile_control_profile(control));
}

/* The profile in effect again, as far as it goes: power source, configuration, resume. */
static void
apply_again(EppdProfileControl *control)
{
  EppdTunerInput input = current_input(control);

  eppd_tuner_apply(control->tuner, control->config, &input, false, NULL);
}

static void
update_drivers(EppdProfileControl *control)
{
  EppdProfileDrivers drivers = eppd_tuner_drivers(control->tuner);

  eppd_profile_keeper_set_drivers(control->keeper, &drivers, control->config->default_profile);
}

void
eppd_profile_control_look(EppdProfileControl *control)
{
  EppdTunerInput input = current_input(control);
  bool found_new =
      eppd_machine_keeper_look(control->machine_keeper, control->config->dynamic_epp_take_over);

  /* The kernel may also have begun to manage EPP, or have left it to us. */
  if (eppd_tuner_is_outdated(control->tuner, control->config))
    eppd_tuner_apply_cpu(control->tuner, control->config, &input);
  else if (found_new)
    eppd_tuner_apply_to_new_cpus(control->tuner, control->config, &input);
  update_drivers(control);
  eppd_machine_retry_pending(control->machine, g_get_monotonic_time());
}

/* The keeper's: it is told of other drivers later, not from within its own call. */
static gboolean
on_apply(EppdProfile profile, bool strict, gpointer data, GError **error)
{
  EppdProfileControl *control = data;
  EppdTunerInput input = input_for(control, profile);

  eppd_machine_keeper_look_at_mode(control->machine_keeper, control->config->dynamic_epp_take_over);
  if (eppd_tuner_apply(control->tuner, control->config, &input, strict, error))
    return TRUE;
  /* What could not be taken back either is tried again. */
  eppd_machine_keeper_note_news(control->machine_keeper, false);
  return FALSE;
}

/* ---- news ---- */

static void
tell(EppdProfileControl *control)
{
  control->listener.changed(control->data);
}

static void
on_profile_changed(gpointer data)
{
  tell(data);
}

static void
on_released(const EppdProfileHold *hold, gpointer data)
{
  EppdProfileControl *control = data;

  control->listener.released(hold, control->data);
}

static void
on_drivers_changed(gpointer data)
{
  EppdProfileControl *control = data;

  update_drivers(control);
  tell(control);
}

static void
on_firmware_chose(EppdProfile profile, gpointer data)
{
  EppdProfileControl *control = data;

  eppd_profile_keeper_follow(control->keeper, profile);
}

static void
on_degraded_changed(gpointer data)
{
  tell(data);
}

static void
on_source_changed(gpointer data)
{
  EppdProfileControl *control = data;

  eppd_profile_control_look(control);
  apply_again(control);
  tell(control);
}

static void
on_battery_changed(gpointer data)
{
  EppdProfileControl *control = data;
  EppdTunerInput input = current_input(control);

  eppd_tuner_apply_actions(control->tuner, &input);
}

void
eppd_profile_control_note_device(EppdProfileControl *control, const char *subsystem)
{
  if (g_str_equal(subsystem, "power_supply"))
    eppd_power_watch_look(control->power);
  eppd_tuner_device_changed(control->tuner, subsystem);
}

void
eppd_profile_control_reload(EppdProfileControl *control, const EppdConfig *config)
{
  control->config = config;
  eppd_power_watch_restart(control->power, config->power_source_debounce_usec);
  update_drivers(control);
  apply_again(control);
}

void
eppd_profile_control_resume(EppdProfileControl *control)
{
  eppd_power_watch_restart(control->power, control->config->power_source_debounce_usec);
  eppd_tuner_look_again(control->tuner);
  eppd_profile_control_look(control);
  apply_again(control);
  eppd_notice("eppd", "the machine woke up: profile %s is set again",
              eppd_profile_text(eppd_profile_control_profile(control)));
}

/* ---- what is asked for ---- */

void
eppd_profile_control_set_battery_aware(EppdProfileControl *control, bool battery_aware)
{
  if (eppd_profile_keeper_battery_aware(control->keeper) == battery_aware)
    return;
  eppd_profile_keeper_set_battery_aware(control->keeper, battery_aware);
  apply_again(control);
  tell(control);
}

gboolean
eppd_profile_control_set_action_enabled(EppdProfileControl *control,
                                        const char *name,
                                        bool enabled,
                                        GError **error)
{
  bool changed = false;

  if (!eppd_actions_set_enabled(eppd_tuner_actions(control->tuner), name, enabled, &changed, error))
    return FALSE;
  if (changed) {
    eppd_profile_keeper_set_action(control->keeper, name, enabled);
    tell(control);
  }
  return TRUE;
}

/* ---- life ---- */

static void
restore_actions(EppdProfileControl *control)
{
  EppdActions *actions = eppd_tuner_actions(control->tuner);

  for (guint i = 0; i < eppd_actions_count(actions); i++) {
    const char *name = eppd_actions_info(actions, i)->name;
    bool changed;
    bool enabled;

    if (eppd_profile_keeper_action(control->keeper, name, &enabled))
      eppd_actions_set_enabled(actions, name, enabled, &changed, NULL);
  }
}

static EppdProfileKeeper *
make_keeper(EppdProfileControl *control, EppdClients *clients, const char *state_dir)
{
  static const EppdProfileKeeperListener listener = {
      .apply = on_apply,
      .changed = on_profile_changed,
      .released = on_released,
  };
  g_autofree char *import_path = g_build_filename(state_dir, IMPORTED_STATE, NULL);
  /* It is named in a message. */
  g_autofree char *import_file = g_canonicalize_filename(import_path, NULL);

  return eppd_profile_keeper_new(clients, state_dir, import_file, &listener, control);
}

EppdProfileControl *
eppd_profile_control_new(EppdSysRoot *root,
                         EppdMachine *machine,
                         EppdMachineKeeper *keeper,
                         EppdClients *clients,
                         const EppdProfileControlOptions *options,
                         const EppdConfig *config,
                         const EppdProfileControlListener *listener,
                         gpointer data)
{
  static const EppdTunerListener tuner_listener = {
      .drivers_changed = on_drivers_changed,
      .firmware_chose = on_firmware_chose,
      .degraded_changed = on_degraded_changed,
  };
  static const EppdPowerWatchListener power_listener = {
      .source_changed = on_source_changed,
      .battery_changed = on_battery_changed,
  };
  EppdProfileControl *control = g_new0(EppdProfileControl, 1);

  control->machine = machine;
  control->machine_keeper = keeper;
  control->config = config;
  control->listener = *listener;
  control->data = data;
  control->tuner = eppd_tuner_new(root, machine, options->blocked_drivers, options->blocked_actions,
                                  &tuner_listener, control);
  control->keeper = make_keeper(control, clients, options->state_dir);
  control->power = eppd_power_watch_new(
      root, options->upower_bus, config->power_source_debounce_usec, &power_listener, control);
  restore_actions(control);
  return control;
}

void
eppd_profile_control_begin(EppdProfileControl *control)
{
  eppd_machine_keeper_begin(control->machine_keeper, control->config->dynamic_epp_take_over);
  update_drivers(control);
}

void
eppd_profile_control_free(EppdProfileControl *control)
{
  eppd_power_watch_free(control->power);
  eppd_profile_keeper_free(control->keeper);
  eppd_tuner_free(control->tuner);
  g_free(control);
}
