/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The kernel's epp_boost RFC for one CPU, as its text has it, with none of our code: what ours is
 * measured against. */

#define RFC_SAMPLE_USEC  (10 * 1000)
#define RFC_HOLD_USEC    (300 * 1000)
#define RFC_BUSY_PERCENT 50

typedef struct {
  bool has_baseline;
  guint64 mperf;
  guint64 tsc;
  gint64 sample_usec;
  bool active;
  gint64 last_busy_usec; /* meaningful while active */
} RfcModel;

typedef enum {
  RFC_NOTHING,
  RFC_RISE,   /* a busy sample of an inactive CPU */
  RFC_FALL,   /* a sample that finds the hold passed */
  RFC_BRIDGE, /* a busy sample of an active CPU whose hold has passed: here it just stays active */
} RfcEvent;

/* The scheduler's hook on that CPU. */
RfcEvent rfc_model_update(RfcModel *model, guint64 mperf, guint64 tsc, gint64 now_usec);
