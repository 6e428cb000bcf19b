/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/tuner.h"

#include "base/error.h"
#include "base/log.h"
#include "daemon/platform.h"
#include "daemon/turbo-watch.h"
#include "hardware/energy-perf-bias.h"
#include "policy/epb-table.h"

struct _EppdTuner {
  EppdSysRoot *root;
  EppdMachine *machine;
  EppdPlatform *platform;
  EppdActions *actions;
  EppdTurboWatch *turbo;
  EppdTunerListener listener;
  gpointer data;
  bool has_applied;
  EppdTunerInput applied;   /* the input that the machine carries */
  bool applied_dynamic_epp; /* whether dynamic EPP was on then */
};

/* ---- the CPU ---- */

static EppdPolicyWish
wish_of(EppdTuner *tuner, const EppdConfig *config, const EppdTunerInput *input)
{
  const EppdAmdPstate *pstate = eppd_machine_amd_pstate(tuner->machine);
  EppdPolicyWish wish = {
      .profile = input->profile,
      .scope = {.governor = config->governor,
                .core_boost = config->core_boost,
                .floor = config->frequency_floor},
      .epp = eppd_epp_table_lookup(&config->table, input->profile, input->source),
      .take_over = config->dynamic_epp_take_over,
      .only_remember = pstate->dynamic_epp_on,
  };

  return wish;
}

static gboolean
apply_bias(EppdTuner *tuner, const EppdTunerInput *input, bool strict, GError **error)
{
  g_autoptr(GError) local_error = NULL;

  if (!eppd_machine_has_bias(tuner->machine) ||
      eppd_energy_perf_bias_write_all(
          tuner->root, eppd_epb_table_lookup(input->profile, input->source), &local_error))
    return TRUE;
  if (strict) {
    g_propagate_error(error, g_steal_pointer(&local_error));
    return FALSE;
  }
  eppd_warning("epb", "%s; ignoring, the others go on", local_error->message);
  return TRUE;
}

static gboolean
apply_cpu(EppdTuner *tuner,
          const EppdConfig *config,
          const EppdTunerInput *input,
          bool strict,
          GError **error)
{
  EppdPolicyWish wish = wish_of(tuner, config, input);

  tuner->applied_dynamic_epp = eppd_machine_amd_pstate(tuner->machine)->dynamic_epp_on;
  /* Without a driver there is nobody to refuse: what policies there are get what they take. */
  return eppd_machine_apply(tuner->machine, &wish,
                            strict && eppd_machine_cpu_driver(tuner->machine) != NULL, error) &&
         apply_bias(tuner, input, strict, error);
}

void
eppd_tuner_apply_cpu(EppdTuner *tuner, const EppdConfig *config, const EppdTunerInput *input)
{
  apply_cpu(tuner, config, input, false, NULL);
}

void
eppd_tuner_apply_to_new_cpus(EppdTuner *tuner,
                             const EppdConfig *config,
                             const EppdTunerInput *input)
{
  EppdPolicyWish wish = wish_of(tuner, config, input);

  eppd_machine_apply_to_new(tuner->machine, &wish);
  apply_bias(tuner, input, false, NULL);
}

/* ---- all of it ---- */

static gboolean
apply_platform(EppdTuner *tuner, const EppdTunerInput *input, bool strict, GError **error)
{
  g_autoptr(GError) local_error = NULL;

  if (eppd_platform_apply(tuner->platform, input->profile, &local_error))
    return TRUE;
  /* It went under the write, and there is nothing left to refuse: the kernel's dynamic EPP (7.3)
   * brings one, which goes with the last CPU that is taken over. The platform looks at it next. */
  if (g_error_matches(local_error, EPPD_ERROR, EPPD_ERROR_GONE)) {
    eppd_debug("platform", "%s", local_error->message);
    return TRUE;
  }
  if (strict) {
    g_propagate_error(error, g_steal_pointer(&local_error));
    return FALSE;
  }
  eppd_warning("platform", "%s; ignoring, the rest of the profile is set", local_error->message);
  return TRUE;
}

static void
take_back(EppdTuner *tuner, const EppdConfig *config)
{
  if (!tuner->has_applied)
    return;
  apply_cpu(tuner, config, &tuner->applied, false, NULL);
  apply_platform(tuner, &tuner->applied, false, NULL);
}

void
eppd_tuner_apply_actions(EppdTuner *tuner, const EppdTunerInput *input)
{
  const EppdActionInput action_input = {.profile = input->profile,
                                        .source = input->source,
                                        .battery_percent = input->battery_percent};

  eppd_actions_apply(tuner->actions, &action_input);
}

gboolean
eppd_tuner_apply(EppdTuner *tuner,
                 const EppdConfig *config,
                 const EppdTunerInput *input,
                 bool strict,
                 GError **error)
{
  g_autoptr(GError) local_error = NULL;

  if (!apply_cpu(tuner, config, input, strict, &local_error) ||
      !apply_platform(tuner, input, strict, &local_error)) {
    take_back(tuner, config);
    /* A file's EINVAL or EACCES is no fault of the caller's, who would be told so. */
    g_set_error_literal(error, EPPD_ERROR, EPPD_ERROR_FAILED, local_error->message);
    return FALSE;
  }
  tuner->has_applied = true;
  tuner->applied = *input;
  eppd_tuner_apply_actions(tuner, input);
  return TRUE;
}

/* ---- news ---- */

static void
on_platform_driver_changed(gpointer data)
{
  EppdTuner *tuner = data;

  tuner->listener.drivers_changed(tuner->data);
}

static void
on_firmware_chose(EppdProfile profile, gpointer data)
{
  EppdTuner *tuner = data;

  tuner->listener.firmware_chose(profile, tuner->data);
}

static void
on_degraded_changed(gpointer data)
{
  EppdTuner *tuner = data;

  tuner->listener.degraded_changed(tuner->data);
}

bool
eppd_tuner_is_outdated(const EppdTuner *tuner, const EppdConfig *config)
{
  return eppd_machine_amd_pstate(tuner->machine)->dynamic_epp_on != tuner->applied_dynamic_epp ||
         (config->dynamic_epp_take_over && eppd_machine_count_dynamic(tuner->machine) > 0);
}

void
eppd_tuner_device_changed(EppdTuner *tuner, const char *subsystem)
{
  if (g_str_has_prefix(subsystem, "platform"))
    eppd_platform_look_again(tuner->platform);
  else
    eppd_actions_device_changed(tuner->actions, subsystem);
}

void
eppd_tuner_look_again(EppdTuner *tuner)
{
  eppd_platform_look_again(tuner->platform);
  eppd_turbo_watch_look_again(tuner->turbo);
}

EppdProfileDrivers
eppd_tuner_drivers(const EppdTuner *tuner)
{
  return (EppdProfileDrivers){.cpu = eppd_machine_cpu_driver(tuner->machine),
                              .platform = eppd_platform_driver(tuner->platform)};
}

guint
eppd_tuner_degraded(const EppdTuner *tuner)
{
  guint reasons = 0;

  if (g_strcmp0(eppd_machine_cpu_driver(tuner->machine), EPPD_DRIVER_INTEL_PSTATE) == 0 &&
      eppd_turbo_watch_is_off(tuner->turbo))
    reasons |= EPPD_DEGRADED_HIGH_OPERATING_TEMPERATURE;
  if (eppd_platform_is_on_lap(tuner->platform))
    reasons |= EPPD_DEGRADED_LAP_DETECTED;
  return reasons;
}

EppdActions *
eppd_tuner_actions(EppdTuner *tuner)
{
  return tuner->actions;
}

/* ---- life ---- */

static void
warn_of_unknown(const char *option, const char *const *given, const char *const *known)
{
  g_autofree char *names = g_strjoinv(", ", (char **)known);

  for (; given && *given; given++) {
    if (!g_strv_contains(known, *given))
      eppd_warning("eppd", "%s %s: there is no such name (known: %s); ignoring it", option, *given,
                   names);
  }
}

/* A typing mistake would leave to us what was to be left alone. */
static void
warn_of_blocked_nothings(const EppdTuner *tuner,
                         const char *const *drivers,
                         const char *const *actions)
{
  static const char *const known_drivers[] = {EPPD_DRIVER_AMD_PSTATE, EPPD_DRIVER_INTEL_PSTATE,
                                              EPPD_DRIVER_PLATFORM_PROFILE, NULL};
  g_autoptr(GPtrArray) known_actions = g_ptr_array_new();

  for (guint i = 0; i < eppd_actions_count(tuner->actions); i++)
    g_ptr_array_add(known_actions, (char *)eppd_actions_info(tuner->actions, i)->name);
  g_ptr_array_add(known_actions, NULL);
  warn_of_unknown("--block-driver", drivers, known_drivers);
  warn_of_unknown("--block-action", actions, (const char *const *)known_actions->pdata);
}

EppdTuner *
eppd_tuner_new(EppdSysRoot *root,
               EppdMachine *machine,
               const char *const *blocked_drivers,
               const char *const *blocked_actions,
               const EppdTunerListener *listener,
               gpointer data)
{
  static const EppdPlatformListener platform_listener = {
      .driver_changed = on_platform_driver_changed,
      .firmware_chose = on_firmware_chose,
      .lap_changed = on_degraded_changed,
  };
  EppdTuner *tuner = g_new0(EppdTuner, 1);
  bool platform_is_blocked =
      blocked_drivers && g_strv_contains(blocked_drivers, EPPD_DRIVER_PLATFORM_PROFILE);

  tuner->root = eppd_sys_root_ref(root);
  tuner->machine = machine;
  tuner->listener = *listener;
  tuner->data = data;
  tuner->platform = eppd_platform_new(root, platform_is_blocked, &platform_listener, tuner);
  tuner->actions = eppd_actions_new(root, blocked_actions);
  tuner->turbo = eppd_turbo_watch_new(root, on_degraded_changed, tuner);
  warn_of_blocked_nothings(tuner, blocked_drivers, blocked_actions);
  return tuner;
}

void
eppd_tuner_free(EppdTuner *tuner)
{
  eppd_turbo_watch_free(tuner->turbo);
  eppd_actions_free(tuner->actions);
  eppd_platform_free(tuner->platform);
  eppd_sys_root_unref(tuner->root);
  g_free(tuner);
}
