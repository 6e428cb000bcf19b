/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/epp.h"
#include "policy/power-source.h"
#include "policy/profile.h"

/* Whether the boost is armed, and why (not). */

typedef enum { EPPD_BOOST_MODE_OFF, EPPD_BOOST_MODE_OPT_IN, EPPD_BOOST_MODE_ALWAYS } EppdBoostMode;
bool eppd_boost_mode_parse(const char *text, EppdBoostMode *mode); /* "off", "opt-in", "always" */

typedef enum { EPPD_BACKEND_AUTO, EPPD_BACKEND_KERNEL, EPPD_BACKEND_USER } EppdBackend;
bool eppd_backend_parse(const char *text, EppdBackend *backend); /* "auto", "kernel", "user" */

/* The public BoostState of org.eppd.Eppd1. */
typedef enum {
  EPPD_BOOST_OFF,        /* Mode=off */
  EPPD_BOOST_IDLE,       /* nothing holds it */
  EPPD_BOOST_ARMED,      /* this daemon samples and boosts */
  EPPD_BOOST_BLOCKED,    /* wanted, and something stands in the way */
  EPPD_BOOST_SUPPRESSED, /* wanted, and the profile or the battery says no */
  EPPD_BOOST_KERNEL,     /* the kernel's own epp_boost does it */
} EppdBoostStatus;
const char *eppd_boost_status_text(EppdBoostStatus status);

typedef struct {
  /* configuration */
  EppdBoostMode mode;
  EppdBackend backend;
  guint suppress_in;           /* bit (1 << EppdProfile) */
  bool on_battery;             /* OnBattery= */
  guint threshold_percent;     /* the effective one for trigger core; 0: nobody has that */
  guint app_threshold_percent; /* the lowest of the holds' with trigger app; 0: no such hold */
  gint64 sample_usec;
  gint64 hold_usec;
  EppdEpp boost_epp;
  bool siblings;
  bool dynamic_epp_take_over;

  /* who asks */
  guint n_holds;
  EppdProfile profile;
  EppdPowerSource source;
  EppdEpp wanted_epp; /* what the table gives for them; UNKNOWN: not told */
  bool sleeping;      /* the machine is about to sleep */

  /* the machine */
  guint n_policies_with_epp;
  const char *blocked_driver;            /* that --block-driver keeps us from; NULL: none */
  guint n_policies_governor_performance; /* of those */
  guint n_policies_dynamic;              /* of those: the kernel manages them (7.3+) */
  bool amd_pstate_passive;               /* it is there, and in another mode than active */
  bool amd_pstate_active;
  bool has_cppc_flag;               /* "cppc" in cpuinfo: MSR system */
  bool has_kernel_boost;            /* the epp_boost parameter exists */
  const char *kernel_boost_problem; /* why it can't be used though it is there: a phrase; NULL */
  const char *kernel_boost_besides; /* why it boosts besides us: a phrase; NULL: it does not */
  bool hwp_boost_on;                /* Intel's hwp_dynamic_boost */
  bool dynamic_epp_on;              /* for all policies (7.1–7.2) */
  bool dynamic_epp_overruled; /* …and another program switched it on again after a take-over */
  gint64 epp_write_usec;      /* what an EPP write takes; 0: not known */

  /* the residency source */
  bool residency_ready;
  const char *residency_problem; /* why not ready; NULL while ready */

  const char *journal_problem; /* why the restore journal can't be written: a phrase; NULL */
} EppdBoostInput;

/* An EPP write that takes longer than this blocks the boost; one past a tenth of the sample period
 * raises the period (see eppd_decide_sample_usec). */
#define EPPD_SLOW_EPP_WRITE_USEC (20 * 1000)

/* @reason: one sentence for a person, owned by the caller. Order: off; idle (no hold, not always);
 * blocked by the machine (no EPP files, dynamic EPP, governor performance everywhere, the table
 * gives the boost value already, slow writes); suppressed (sleep, profile, battery); kernel;
 * blocked by residency or the journal; armed. */
EppdBoostStatus eppd_decide_boost(const EppdBoostInput *input, char **reason);

/* The sample period to use: sample_usec, raised where EPP writes are slow (ten times a write, in
 * whole sample_usec; EPPD_SLOW_EPP_WRITE_USEC is the longest write that counts). */
gint64 eppd_decide_sample_usec(const EppdBoostInput *input);

/* The hold to use: hold_usec, but two sample periods at least. With less a core that stays busy
 * would be released between two samples, and each sample would cost two writes. */
gint64 eppd_decide_hold_usec(const EppdBoostInput *input);
