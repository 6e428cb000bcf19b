/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/actions.h"
#include "daemon/config.h"
#include "daemon/machine.h"
#include "policy/degraded.h"
#include "policy/profile-drivers.h"

/* Carries a profile to the machine: the CPU's half (EPP, governor, EPB), the platform's half, the
 * actions. CPU first, then the platform; where that fails the CPU is taken back. */
typedef struct _EppdTuner EppdTuner;

/* Never called from within a function below. */
typedef struct {
  void (*drivers_changed)(gpointer data);                     /* the platform's came, or went */
  void (*firmware_chose)(EppdProfile profile, gpointer data); /* e.g. by an Fn key */
  void (*degraded_changed)(gpointer data);
} EppdTunerListener;

typedef struct {
  EppdProfile profile;
  EppdPowerSource source; /* as far as the profile is to follow it */
  double battery_percent; /* or EPPD_BATTERY_UNKNOWN */
} EppdTunerInput;

/* Borrows @root, @machine; the names are --block-driver's and --block-action's, or NULL.
 * Writes nothing. */
EppdTuner *eppd_tuner_new(EppdSysRoot *root,
                          EppdMachine *machine,
                          const char *const *blocked_drivers,
                          const char *const *blocked_actions,
                          const EppdTunerListener *listener,
                          gpointer data);
void eppd_tuner_free(EppdTuner *tuner);

/* What differs from @input is written. @strict: the first refusal ends it, what was written is
 * taken back to the input before, and @error (EPPD_ERROR_FAILED) names it; else failures are
 * logged, the rest is done, and it returns TRUE. Actions never fail. @config: its [Policy] and
 * [Kernel]. */
gboolean eppd_tuner_apply(EppdTuner *tuner,
                          const EppdConfig *config,
                          const EppdTunerInput *input,
                          bool strict,
                          GError **error);
/* The CPU's half once more, as dynamic EPP comes and goes. Best effort. */
void eppd_tuner_apply_cpu(EppdTuner *tuner, const EppdConfig *config, const EppdTunerInput *input);
/* The same for the policies alone that a rescan found new. */
void eppd_tuner_apply_to_new_cpus(EppdTuner *tuner,
                                  const EppdConfig *config,
                                  const EppdTunerInput *input);
/* The battery's charge alone changed. */
void eppd_tuner_apply_actions(EppdTuner *tuner, const EppdTunerInput *input);

/* Whether dynamic EPP came or went since the profile was applied last, which changes what a profile
 * may write; or some policy is dynamic that is to be taken over. */
bool eppd_tuner_is_outdated(const EppdTuner *tuner, const EppdConfig *config);

/* A uevent of @subsystem: something there may be new. */
void eppd_tuner_device_changed(EppdTuner *tuner, const char *subsystem);
/* After a sleep: all is read again. */
void eppd_tuner_look_again(EppdTuner *tuner);

EppdProfileDrivers eppd_tuner_drivers(const EppdTuner *tuner);
/* Bits of EppdDegraded. */
guint eppd_tuner_degraded(const EppdTuner *tuner);
EppdActions *eppd_tuner_actions(EppdTuner *tuner);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdTuner, eppd_tuner_free)
