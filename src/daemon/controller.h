/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/boost-control.h"
#include "daemon/profile-control.h"

/* Wires the parts together: what of one concerns another is passed on, and who listens is told. */
typedef struct _EppdController EppdController;

typedef struct {
  EppdSysRoot *root;
  const char *config_file; /* NULL: the three places */
  const char *state_dir;
  const char *runtime_dir;
  const char *residency_source;       /* NULL: the configuration's */
  const char *const *blocked_drivers; /* names, or NULL */
  const char *const *blocked_actions; /* names, or NULL */
  bool without_upower;
  bool without_logind;
} EppdControllerOptions;

/* Who is told. */
typedef struct {
  void (*changed)(gpointer data); /* something that is shown */
  void (*edges)(gpointer data);   /* the set of boosted CPUs; often */
  void (*released)(const EppdProfileHold *hold,
                   gpointer data); /* a profile hold, before changed() */
} EppdControllerListener;

/* Strings of @options are copied, @clients is borrowed. The caller holds the owner lock. Restores
 * what a dead daemon left, applies the profile, and starts to look for a residency source. */
EppdController *eppd_controller_start(const EppdControllerOptions *options,
                                      GDBusConnection *bus,
                                      EppdClients *clients,
                                      const EppdControllerListener *listener,
                                      gpointer data);
/* Disarms, restores, puts back what was changed, and frees. */
void eppd_controller_stop(EppdController *controller);

const EppdConfig *eppd_controller_config(const EppdController *controller);
/* What was ignored in the configuration. */
const char *const *eppd_controller_config_problems(const EppdController *controller);
const EppdStatistics *eppd_controller_statistics(const EppdController *controller);
gint64 eppd_controller_start_usec(const EppdController *controller);

EppdMachine *eppd_controller_machine(EppdController *controller);
EppdBoostControl *eppd_controller_boost(EppdController *controller);
EppdHoldKeeper *eppd_controller_holds(EppdController *controller);
EppdProfileControl *eppd_controller_profiles(EppdController *controller);

/* Reads the configuration again and applies it. */
void eppd_controller_reload(EppdController *controller);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdController, eppd_controller_stop)
