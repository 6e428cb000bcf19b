/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/booster.h"
#include "daemon/config.h"
#include "daemon/hold-keeper.h"
#include "daemon/machine.h"
#include "daemon/residency-keeper.h"

/* Wires policy, hardware and residency together and owns all timers: what the decision says is what
 * is armed, applied and told. */
typedef struct _EppdController EppdController;

typedef struct {
  EppdSysRoot *root;
  const char *config_file; /* NULL: the three places */
  const char *state_dir;
  const char *runtime_dir;
  const char *residency_source; /* NULL: the configuration's */
} EppdControllerOptions;

/* Who is told. */
typedef struct {
  void (*changed)(gpointer data); /* something of EppdControllerState */
  void (*edges)(gpointer data);   /* the set of boosted CPUs; often */
} EppdControllerListener;

typedef struct {
  EppdBoostStatus boost_status;
  char *boost_reason;
  EppdProfile profile;
  EppdPowerSource source;
  GStrv config_problems; /* what was ignored in the configuration */
} EppdControllerState;

/* Strings of @options are copied, @clients is borrowed. The caller holds the owner lock. Restores
 * what a dead daemon left, applies the profile, and starts to look for a residency source. Fails
 * only where the runtime directory can't be written. */
EppdController *eppd_controller_start(const EppdControllerOptions *options,
                                      EppdClients *clients,
                                      const EppdControllerListener *listener,
                                      gpointer data,
                                      GError **error);
/* Disarms, restores, puts back what was changed, and frees. */
void eppd_controller_stop(EppdController *controller);

const EppdControllerState *eppd_controller_state(const EppdController *controller);
const EppdConfig *eppd_controller_config(const EppdController *controller);
const EppdStatistics *eppd_controller_statistics(const EppdController *controller);
gint64 eppd_controller_start_usec(const EppdController *controller);
const EppdResidencyKeeper *eppd_controller_residency(const EppdController *controller);
EppdHoldKeeper *eppd_controller_holds(EppdController *controller);
EppdMachine *eppd_controller_machine(EppdController *controller);
/* NULL while not armed. */
const EppdBooster *eppd_controller_booster(const EppdController *controller);
/* Whether the residency source can tell applications apart (trigger app). */
bool eppd_controller_source_knows_apps(const EppdController *controller);

/* Reads the configuration again and applies it. */
void eppd_controller_reload(EppdController *controller);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdController, eppd_controller_stop)
