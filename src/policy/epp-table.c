/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/epp-table.h"

#include "base/enum-text.h"

typedef EppdEppKind KindTable[EPPD_N_PROFILES][EPPD_N_POWER_SOURCES];

static const KindTable ppd = {
    /*                             on AC                         on battery */
    [EPPD_PROFILE_POWER_SAVER] = {EPPD_EPP_POWER, EPPD_EPP_POWER},
    [EPPD_PROFILE_BALANCED] = {EPPD_EPP_BALANCE_PERFORMANCE, EPPD_EPP_BALANCE_POWER},
    [EPPD_PROFILE_PERFORMANCE] = {EPPD_EPP_PERFORMANCE, EPPD_EPP_PERFORMANCE},
};

static const KindTable dynamic_epp = {
    [EPPD_PROFILE_POWER_SAVER] = {EPPD_EPP_POWER, EPPD_EPP_POWER},
    [EPPD_PROFILE_BALANCED] = {EPPD_EPP_PERFORMANCE, EPPD_EPP_BALANCE_PERFORMANCE},
    [EPPD_PROFILE_PERFORMANCE] = {EPPD_EPP_PERFORMANCE, EPPD_EPP_PERFORMANCE},
};

static const char *const texts[] = {
    [EPPD_EPP_TABLE_PPD] = "ppd",
    [EPPD_EPP_TABLE_DYNAMIC_EPP] = "dynamic-epp",
    [EPPD_EPP_TABLE_CUSTOM] = "custom",
};

bool
eppd_epp_table_kind_parse(const char *text, EppdEppTableKind *kind)
{
  int value = 0;

  if (!eppd_enum_text_parse(texts, G_N_ELEMENTS(texts), text, &value))
    return false;
  *kind = (EppdEppTableKind)value;
  return true;
}

const char *
eppd_epp_table_kind_text(EppdEppTableKind kind)
{
  return eppd_enum_text(texts, G_N_ELEMENTS(texts), (int)kind);
}

EppdEpp
eppd_epp_table_lookup(const EppdEppTable *table, EppdProfile profile, EppdPowerSource source)
{
  if (table->kind == EPPD_EPP_TABLE_DYNAMIC_EPP)
    return eppd_epp_named(dynamic_epp[profile][source]);
  if (table->kind == EPPD_EPP_TABLE_CUSTOM &&
      table->custom[profile][source].kind != EPPD_EPP_UNKNOWN)
    return table->custom[profile][source];
  return eppd_epp_named(ppd[profile][source]);
}
