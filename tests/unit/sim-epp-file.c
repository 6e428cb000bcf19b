/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-epp-file.h"

static const struct {
  EppdEppKind kind;
  guint8 number;
} names[] = {
    {EPPD_EPP_PERFORMANCE, 0},
    {EPPD_EPP_BALANCE_PERFORMANCE, 128},
    {EPPD_EPP_BALANCE_POWER, 191},
    {EPPD_EPP_POWER, 255},
};

guint8
sim_epp_number(const EppdEpp *epp)
{
  if (epp->kind == EPPD_EPP_RAW)
    return epp->raw;
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    if (names[i].kind == epp->kind)
      return names[i].number;
  }
  g_error("the simulated file can't hold an EPP of kind %d", (int)epp->kind);
}

static EppdEpp
name_of_number(guint8 number)
{
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    if (names[i].number == number)
      return eppd_epp_named(names[i].kind);
  }
  return eppd_epp_raw(number);
}

EppdEpp
sim_epp_file_read(const SimEppFile *file)
{
  guint8 number = sim_epp_number(&file->value);

  if (file->unreadable)
    return eppd_epp_named(EPPD_EPP_UNKNOWN);
  switch (file->reading) {
  case SIM_READS_NUMBERS:
    return eppd_epp_raw(number);
  case SIM_READS_NAMES:
    return name_of_number(number);
  case SIM_READS_AS_WRITTEN:
  default:
    return file->value;
  }
}

gboolean
sim_epp_file_write(SimEppFile *file, const EppdEpp *epp, EppdError *refusal)
{
  if (file->refuses) {
    *refusal = file->refusal;
    return FALSE;
  }
  if (file->governor_performance && sim_epp_number(epp) != 0) {
    *refusal = EPPD_ERROR_BUSY;
    return FALSE;
  }
  file->value = *epp;
  file->n_writes++;
  return TRUE;
}

void
sim_epp_file_set_governor(SimEppFile *file, bool performance)
{
  file->governor_performance = performance;
  if (performance)
    file->value = eppd_epp_named(EPPD_EPP_PERFORMANCE);
}
