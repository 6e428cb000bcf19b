/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/degraded.h"

static const struct {
  EppdDegraded reason;
  const char *text;
} reasons_in_order[] = {
    {EPPD_DEGRADED_HIGH_OPERATING_TEMPERATURE, "high-operating-temperature"},
    {EPPD_DEGRADED_LAP_DETECTED, "lap-detected"},
};

char *
eppd_degraded_text(guint reasons)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < G_N_ELEMENTS(reasons_in_order); i++) {
    if (!(reasons & reasons_in_order[i].reason))
      continue;
    if (text->len > 0)
      g_string_append_c(text, ',');
    g_string_append(text, reasons_in_order[i].text);
  }
  return g_string_free(text, FALSE);
}
