/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/booster.h"
#include "daemon/config.h"
#include "daemon/hold-keeper.h"
#include "daemon/kernel-settings.h"
#include "daemon/machine.h"
#include "daemon/residency-keeper.h"

/* Whether the boost is armed: asks the decision, and brings what is armed in line with it. Owns the
 * residency source, the booster and their GSources. */
typedef struct _EppdBoostControl EppdBoostControl;

typedef struct {
  void (*edges)(gpointer data); /* the set of boosted CPUs; often */
  /* Something that the decision rests on changed: evaluate again. @gone: a policy vanished under a
   * write, and the others may have been made anew. Called from within the booster's dispatch, or by
   * the residency source: act later. */
  void (*news)(bool gone, gpointer data);
} EppdBoostControlListener;

/* What the boost depends on besides the machine. */
typedef struct {
  EppdProfile profile;
  EppdPowerSource source;
  EppdEpp wanted_epp; /* what the table gives for them */
  bool sleeping;      /* the machine is about to sleep */
} EppdBoostContext;

/* Borrows all. */
EppdBoostControl *eppd_boost_control_new(EppdSysRoot *root,
                                         EppdMachine *machine,
                                         EppdKernelSettings *kernel,
                                         EppdStatistics *statistics,
                                         EppdHoldKeeper *holds,
                                         const EppdBoostControlListener *listener,
                                         gpointer data);
/* Disarms. */
void eppd_boost_control_free(EppdBoostControl *control);

/* @source: --residency's, or NULL for the configuration's. Disarms until one is found. */
void eppd_boost_control_search_residency(EppdBoostControl *control,
                                         const EppdConfig *config,
                                         const char *source);

/* Whether anybody wants it: always, or opt-in and held. */
bool eppd_boost_control_is_wanted(const EppdBoostControl *control, const EppdConfig *config);
void eppd_boost_control_disarm(EppdBoostControl *control);
/* Decides, arms or disarms. */
void eppd_boost_control_evaluate(EppdBoostControl *control,
                                 const EppdConfig *config,
                                 const EppdBoostContext *context);

EppdBoostStatus eppd_boost_control_status(const EppdBoostControl *control);
const char *eppd_boost_control_reason(const EppdBoostControl *control);
/* The source could not be armed: worth another try. */
bool eppd_boost_control_has_failed(const EppdBoostControl *control);
/* NULL while not armed. */
const EppdBooster *eppd_boost_control_booster(const EppdBoostControl *control);
const EppdResidencyKeeper *eppd_boost_control_residency(const EppdBoostControl *control);
/* Whether the residency source can tell applications apart (trigger app); false while it is being
 * looked for. */
bool eppd_boost_control_knows_apps(const EppdBoostControl *control);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdBoostControl, eppd_boost_control_free)
