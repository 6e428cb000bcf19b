/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/epp.h"
#include "policy/power-source.h"
#include "policy/profile.h"

/* The one table of the policy EPP: profile × power source → EPP. */

typedef enum {
  EPPD_EPP_TABLE_PPD,         /* power-profiles-daemon 0.30 */
  EPPD_EPP_TABLE_DYNAMIC_EPP, /* the kernel's amd-pstate dynamic_epp */
  EPPD_EPP_TABLE_CUSTOM,      /* the configuration's */
} EppdEppTableKind;

typedef struct {
  EppdEppTableKind kind;
  /* CUSTOM only; a cell that is UNKNOWN takes PPD's value. */
  EppdEpp custom[EPPD_N_PROFILES][EPPD_N_POWER_SOURCES];
} EppdEppTable;

/* "ppd", "dynamic-epp", "custom". */
bool eppd_epp_table_kind_parse(const char *text, EppdEppTableKind *kind);
const char *eppd_epp_table_kind_text(EppdEppTableKind kind);

EppdEpp eppd_epp_table_lookup(const EppdEppTable *table,
                              EppdProfile profile,
                              EppdPowerSource source);
