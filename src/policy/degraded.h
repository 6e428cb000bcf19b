/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* Why the performance profile gives less than it promises. The order is the order of the text: the
 * CPU's first. */
typedef enum {
  EPPD_DEGRADED_HIGH_OPERATING_TEMPERATURE = 1 << 0,
  EPPD_DEGRADED_LAP_DETECTED = 1 << 1,
} EppdDegraded;

/* PerformanceDegraded: "" for none, several joined by a comma. Owned by the caller. */
char *eppd_degraded_text(guint reasons);
