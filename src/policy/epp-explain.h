/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/boost-decision.h"
#include "policy/epp-table.h"
#include "policy/policy-state.h"

/* Why a policy's EPP is what it is, in words. */

typedef struct {
  const EppdPolicyState *state;
  EppdEpp current; /* UNKNOWN if unreadable */
  bool online;
  bool has_epp;        /* there is an EPP file to be used */
  bool dynamic_epp_on; /* the kernel manages all policies' (7.1–7.2) */
  bool governor_performance;
  const char *driver; /* may be NULL */
  EppdProfile profile;
  EppdPowerSource source;
  EppdEppTableKind table;
  EppdBoostStatus boost_status;
  const char *boost_reason;
  guint cpu; /* the CPU asked about */
  /* Whose application kept the policy busy last, in printable text; NULL: the core was busy,
   * whoever ran there, or it is not known. */
  const char *boosted_for;
  bool cpu_has_sample;
  guint cpu_busy_permille;
  gint64 now_usec;
} EppdExplainInput;

/* A few sentences for a person: what the file holds, why, and what comes next; owned by the caller.
 */
char *eppd_explain_policy(const EppdExplainInput *input);
