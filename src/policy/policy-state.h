/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/epp-twin.h"

/* One cpufreq policy's EPP file: what it should hold, what we wrote, what others wrote. It is told
 * what the file holds and says what to write; it never touches the file. */

/* More foreign writes than this within the span: the policy is left out of the boost for the rest.
 */
#define EPPD_FOREIGN_MAX       3
#define EPPD_FOREIGN_SPAN_USEC (10 * G_USEC_PER_SEC)
#define EPPD_FOREIGN_REST_USEC (60 * G_USEC_PER_SEC)

typedef struct {
  EppdEpp wanted;   /* by the table */
  EppdEppTwin base; /* @wanted, or another program's value until the next profile change */
  EppdEppTwin boost;
  bool base_is_foreign;
  bool kernel_managed;  /* the file read dynamic when it was last looked at: not ours to write */
  bool taken_over;      /* it read dynamic and was written over, which is to be undone at the end */
  bool boosted;         /* the boost was written and the base not yet */
  bool restore_pending; /* the base is due and the kernel refused it for now (EBUSY, offline) */
  EppdEpp due_over;     /* what the file held when the base was due; UNKNOWN: could not be told */
  guint64 foreign_writes;
  gint64 foreign_usec[EPPD_FOREIGN_MAX + 1]; /* ring of the latest, 0: none */
  guint foreign_next;
  gint64 rest_until_usec; /* 0: not left out */
} EppdPolicyState;

/* What to do with the file now, and why (for the journal, the log and explain). */
typedef enum {
  EPPD_STEP_NOTHING,       /* nothing is due */
  EPPD_STEP_BOOST,         /* write the boost value */
  EPPD_STEP_BASE,          /* write the base */
  EPPD_STEP_DYNAMIC,       /* write "dynamic": give it back to the kernel */
  EPPD_STEP_ALREADY_BOOST, /* the file already holds the boost value, and it was not ours: it is the
                              base now */
  EPPD_STEP_SAME_AS_BASE,  /* base and boost are the same value: nothing to boost */
  EPPD_STEP_LEFT_TO_OTHERS, /* idle edge: another program wrote meanwhile; its value stays and is
                               the base. Busy edge: it holds what could not be put back. A text that
                               is no EPP (cut short, of a kernel to come) never is the base */
  EPPD_STEP_LEFT_TO_KERNEL, /* it reads dynamic: the kernel manages it, and a write would end that.
                               The base stays what it is */
  EPPD_STEP_RESTING,        /* left out after too many foreign writes */
} EppdStepKind;

typedef struct {
  EppdStepKind kind;
  EppdEpp value; /* BOOST, BASE, DYNAMIC: what to write */
} EppdStep;

/* @wanted: the first base. */
void eppd_policy_state_init(EppdPolicyState *state, const EppdEpp *wanted, const EppdEpp *boost);

/* A profile, power-source or configuration change, or the start. Another program's base is dropped.
 * Not boosted: BASE, or NOTHING if @found (what the file holds; UNKNOWN if unreadable) already is
 * the wanted value. Boosted: NOTHING now, the idle edge writes the new base; but BASE, and boosted
 * no more, where another program wrote over the boost. @force also writes when @found already is
 * the wanted value (resume, online). A pending restore is due again: BASE. A @wanted that is not
 * writable changes nothing: NOTHING. @wanted may be the state's own. Where @found is dynamic:
 * LEFT_TO_KERNEL, and neither boosted nor pending any more; see take_over(). So too where it can't
 * be read now and was dynamic at the last look. */
EppdStep eppd_policy_state_set_wanted(EppdPolicyState *state,
                                      const EppdEpp *wanted,
                                      const EppdEpp *found,
                                      bool force);

/* After LEFT_TO_KERNEL, where what is dynamic is ours to take: BASE; from when that is returned on
 * it is to be given back. NOTHING where the wanted value is itself dynamic. */
EppdStep eppd_policy_state_take_over(EppdPolicyState *state);
/* The end of a take-over: DYNAMIC, where @found is what we wrote or can't be told; NOTHING where
 * nothing was taken over, where it is dynamic again already, and where another program's value
 * stands. */
EppdStep eppd_policy_state_give_back(EppdPolicyState *state, const EppdEpp *found);

/* What a look found without writing: whether the kernel manages it. */
void eppd_policy_state_note_found(EppdPolicyState *state, const EppdEpp *found);

/* A new boost value from the configuration; only while not boosted, or while a restore is due. */
void eppd_policy_state_set_boost(EppdPolicyState *state, const EppdEpp *boost);

/* The busy edge. @found: what the file holds now. BOOST, ALREADY_BOOST, SAME_AS_BASE, RESTING,
 * LEFT_TO_OTHERS, LEFT_TO_KERNEL or NOTHING (boosted already). A foreign @found becomes the base
 * first; UNKNOWN, OTHER and dynamic never do. A pending restore is dropped by BOOST, once that is
 * written: the file still holds our boost value then. Not to be called while the policy's governor
 * is performance: the file reads performance then, whoever wrote it, and would count as foreign. */
EppdStep eppd_policy_state_busy_edge(EppdPolicyState *state, const EppdEpp *found, gint64 now_usec);

/* The idle edge, a disarm, or a retry of a pending restore. BASE, LEFT_TO_OTHERS, LEFT_TO_KERNEL or
 * NOTHING (nothing to restore).
 * @found UNKNOWN, or cut short: BASE. @governor_performance: the file reads performance whoever
 * wrote it, so BASE is due and the caller should expect EBUSY. */
EppdStep eppd_policy_state_idle_edge(EppdPolicyState *state,
                                     const EppdEpp *found,
                                     bool governor_performance,
                                     gint64 now_usec);

/* The performance governor came and went, and the kernel left its own EPP behind: BASE, another
 * program's base too. NOTHING where @found is the base or what only another program would have
 * written, and while boosted or pending (those are idle_edge()'s, with @governor_performance). */
EppdStep eppd_policy_state_governor_left(EppdPolicyState *state, const EppdEpp *found);

/* What became of a BOOST, BASE or DYNAMIC step. @readback: UNKNOWN if it was not read. */
void eppd_policy_state_written(EppdPolicyState *state, EppdStepKind kind, const EppdEpp *readback);
/* BASE refused: the restore is pending, and a boosted policy stays boosted; also where the file
 * vanished under the write, since it may be back before anybody looks. BOOST refused: not boosted,
 * or still so where a restore was pending. */
void eppd_policy_state_refused(EppdPolicyState *state, EppdStepKind kind);

/* Whether the read-back of @kind's value has been learned, so that the caller need not read again.
 */
bool eppd_policy_state_knows_readback(const EppdPolicyState *state, EppdStepKind kind);

/* The policy was made anew (mode switch, another driver), with an EPP of the kernel's: there is
 * nothing of ours in it to restore, and names may read back differently now. */
void eppd_policy_state_remade(EppdPolicyState *state);

/* Whether @found, what the file holds now, was written by another program and not taken note of
 * yet: it is known, and neither dynamic, nor the base, nor, while boosted, the boost. Meaningless
 * under the performance governor. */
bool eppd_policy_state_is_foreign(const EppdPolicyState *state, const EppdEpp *found);

bool eppd_policy_state_is_resting(const EppdPolicyState *state, gint64 now_usec);
