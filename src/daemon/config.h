/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/boost-decision.h"
#include "policy/epp-table.h"
#include "policy/trigger.h"

#include <glib.h>

/* The configuration, whole and typed. Files later in the order win, key by key. */
typedef struct {
  /* [Policy] */
  EppdProfile default_profile; /* where no saved state says otherwise */
  EppdEppTable table;
  bool governor;
  bool frequency_floor;
  bool core_boost;
  gint64 power_source_debounce_usec;
  bool model_values;
  /* [Boost] */
  EppdBoostMode mode;
  EppdTrigger trigger;
  guint threshold_percent;
  guint app_threshold_percent;
  gint64 sample_usec;
  gint64 hold_usec;
  EppdEpp boost_epp;
  guint suppress_in; /* bit (1 << EppdProfile) */
  bool on_battery;
  EppdBackend backend;
  bool siblings;
  /* [Residency] */
  char *residency_source;
  /* [Kernel] */
  bool dynamic_epp_take_over;
  /* [Games]: checked here, used by the agent */
  bool desktop_key;
  char *categories;
  bool game_mode;
} EppdConfig;

/* The documented defaults. */
EppdConfig *eppd_config_new(void);
void eppd_config_free(EppdConfig *config);

/* Reads @only_file, or with NULL the vendor's, the system's and its eppd.conf.d. Never fails: what
 * is wrong is left as it was, and a line «FILE:LINE: [Group] Key=Value: what is wrong; ignoring it»
 * is added to @complaints (char*, owned by the array). A file that is not there is no complaint,
 * unless it is @only_file. */
EppdConfig *eppd_config_load(const char *only_file, GPtrArray *complaints);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdConfig, eppd_config_free)
