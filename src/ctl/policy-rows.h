/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "ctl/table.h"

#include <glib.h>
#include <stdbool.h>

/* The reply of GetPolicies, for a person. */

typedef struct {
  char *policy;
  char *cpus;
  char *driver;
  char *governor;
  char *base;
  char *current;
  bool online;
  bool boosted;
  bool foreign; /* another program wrote what the file holds */
  bool resting;
  bool restore_pending;
  bool has_sample;
  guint64 busy_permille; /* meaningful with has_sample */
  guint64 foreign_writes;
} EppdPolicyRow;

/* More policies than this are condensed where nobody asked for all. */
#define EPPD_POLICY_ROWS_CONDENSE 32

/* Below this a policy counts as idle, and may be condensed. */
#define EPPD_POLICY_ROWS_IDLE_PERMILLE 100

/* The rows of an aa{sv}, in its order: EppdPolicyRow pointers, with printable text. */
GPtrArray *eppd_policy_rows_new(GVariant *policies);

/* The table of @rows, headed. @condense: idle policies that are alike otherwise make one row,
 * "policy0-3,8-127", at the place of the first of them. */
EppdTable *eppd_policy_rows_table(const GPtrArray *rows, bool condense);

/* "amd-pstate-epp (active), governor powersave", each combination once; owned by the caller. */
char *eppd_policy_rows_driver_text(const GPtrArray *rows);
