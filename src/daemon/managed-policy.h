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
  bool take_over;     /* what reads dynamic is ours to write, and to give back at the end */
  bool only_remember; /* somebody else (the kernel's dynamic EPP) manages EPP: note the base, write
                         nothing */
} EppdPolicyWish;

/* Before a take-over: enters into the journal that @policy reads dynamic, if so. True if it did:
 * the journal must be committed before the wish is applied. */
bool eppd_managed_policy_prepare_take_over(EppdManagedPolicy *policy, const EppdPolicyWish *wish);

/* Applies a profile: governor, EPP, core boost, frequency floor, in this order. Only a failing EPP
 * write is an error; the others are logged. An offline policy is no error: it is due again when it
 * comes online. @force also writes what did not change. A policy that reads dynamic gets nothing,
 * unless by @wish it is taken over; one that was taken over goes back where @wish no longer says
 * so. Journal entries are set, not committed. */
gboolean eppd_managed_policy_apply(EppdManagedPolicy *policy,
                                   const EppdPolicyWish *wish,
                                   bool force,
                                   GError **error);

/* The end of a take-over: what was dynamic is so again, unless another program's value stands. */
void eppd_managed_policy_give_back(EppdManagedPolicy *policy);

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

/* Reads the EPP, to see whether the kernel manages it (7.3+). */
void eppd_managed_policy_refresh_dynamic(EppdManagedPolicy *policy);

/* Its governor was written: it may have been performance for a moment between two looks. */
void eppd_managed_policy_note_governor_write(EppdManagedPolicy *policy);

/* After a look at the machine: a base that the kernel refused, or that the performance governor
 * took with it when it left, is written (again). */
void eppd_managed_policy_retry(EppdManagedPolicy *policy, gint64 now_usec);

/* Whether its base is due, was refused, and can be tried again: it is online, has the file, and EPP
 * is ours. */
bool eppd_managed_policy_is_pending(const EppdManagedPolicy *policy);

/* One of its CPUs came or went: the next refresh finds it new even where it is as it was before. */
void eppd_managed_policy_note_hotplug(EppdManagedPolicy *policy);

/* After hotplug or a driver change: takes the facts of @fresh, of the same number and just scanned,
 * and frees it. True if it came online, its driver changed, or it was made anew, so that the
 * profile must be applied by force. */
bool eppd_managed_policy_refresh(EppdManagedPolicy *policy, EppdCpufreqPolicy *fresh);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdManagedPolicy, eppd_managed_policy_free)
