/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/journal.h"
#include "daemon/statistics.h"
#include "hardware/cpufreq-policy.h"
#include "policy/policy-state.h"
#include "policy/profile-settings.h"

/* One cpufreq policy under our hand: the adapter, the state that decides, and the journal that
 * would restore it. Each step that the state asks for is carried out in the order that survives a
 * kill: journal, boost; base, journal. */
typedef struct _EppdManagedPolicy EppdManagedPolicy;

/* Takes @hardware; borrows the others. */
EppdManagedPolicy *eppd_managed_policy_new(EppdCpufreqPolicy *hardware,
                                           EppdJournal *journal,
                                           EppdStatistics *statistics,
                                           const EppdEpp *boost_epp);
void eppd_managed_policy_free(EppdManagedPolicy *policy);

EppdCpufreqPolicy *eppd_managed_policy_hardware(const EppdManagedPolicy *policy);
const EppdPolicyState *eppd_managed_policy_state(const EppdManagedPolicy *policy);

/* What the configuration and the tables want from now on. */
typedef struct {
  EppdProfile profile;
  EppdProfileScope scope;
  EppdEpp epp;        /* not yet fitted to the driver */
  bool take_over;     /* what reads dynamic is ours to write */
  bool only_remember; /* somebody else (the kernel's dynamic EPP) manages EPP: note the base, write
                         nothing */
} EppdPolicyWish;

/* Applies a profile: governor, EPP, core boost, frequency floor, in this order. Only a failing EPP
 * write is an error; the others are logged. An offline policy is no error: it is due again when it
 * comes online. @force also writes what did not change. Journal entries are set, not committed. */
gboolean eppd_managed_policy_apply(EppdManagedPolicy *policy,
                                   const EppdPolicyWish *wish,
                                   bool force,
                                   GError **error);

/* Whether it takes EPP: it is online, has the file, and accepts its own value written back, or the
 * kernel manages it (dynamic), or has no name for its value. Only while not boosted. */
bool eppd_managed_policy_accepts_epp(EppdManagedPolicy *policy);

/* A new boost value; only while not boosted. */
void eppd_managed_policy_set_boost(EppdManagedPolicy *policy, const EppdEpp *boost_epp);

/* What became of a write that was due. */
typedef enum {
  EPPD_OUTCOME_DONE,    /* also: nothing was due */
  EPPD_OUTCOME_REFUSED, /* look at the machine again: governor, dynamic EPP */
  EPPD_OUTCOME_GONE,    /* the policy vanished under the write: look for all policies again */
} EppdOutcome;

/* The edges: one pread, one pwrite, once the read-back is known. Failures are counted and logged. A
 * busy edge that came to nothing may be tried again while the CPU stays busy. */
EppdOutcome eppd_managed_policy_busy_edge(EppdManagedPolicy *policy, gint64 now_usec);
EppdOutcome eppd_managed_policy_idle_edge(EppdManagedPolicy *policy, gint64 now_usec);

/* Reads the governor again. */
void eppd_managed_policy_refresh_governor(EppdManagedPolicy *policy);

/* Its governor was written: it may have been performance for a moment between two looks. */
void eppd_managed_policy_note_governor_write(EppdManagedPolicy *policy);

/* After a look at the machine: a base that the kernel refused, or that the performance governor
 * took with it when it left, is written (again). */
void eppd_managed_policy_retry(EppdManagedPolicy *policy, gint64 now_usec);

/* Whether its base is due, was refused, and can be tried again: it is online, and EPP is ours. */
bool eppd_managed_policy_is_pending(const EppdManagedPolicy *policy);

/* After hotplug or a driver change: reads the facts again. True if it came online or its driver
 * changed, so that the profile must be applied by force. */
bool eppd_managed_policy_refresh(EppdManagedPolicy *policy);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdManagedPolicy, eppd_managed_policy_free)
