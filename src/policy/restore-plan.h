/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/restore-entry.h"

/* All that would have to be put back if we died now: an entry a policy, and the other settings that
 * we changed. What the texts mean, and whether they are to be trusted, is the caller's business. */
typedef struct _EppdRestorePlan EppdRestorePlan;

/* A setting besides EPP that we changed. */
typedef struct {
  char *path;
  const char *found; /* what to go back to */
  const char *ours;
} EppdRestoreSetting;

EppdRestorePlan *eppd_restore_plan_new(void);
void eppd_restore_plan_free(EppdRestorePlan *plan);

/* Whether it says another thing than at the last note_saved(); true at first. A flag that is set or
 * unset is no change by itself (journal.h). */
bool eppd_restore_plan_is_changed(const EppdRestorePlan *plan);
void eppd_restore_plan_note_saved(EppdRestorePlan *plan);
/* What was saved is gone. */
void eppd_restore_plan_note_lost(EppdRestorePlan *plan);

/* NULL where it is not known. The entry is the plan's: to be changed by the functions below. */
EppdRestoreEntry *eppd_restore_plan_find(const EppdRestorePlan *plan, const char *policy);
/* The same, made where it is not known. */
EppdRestoreEntry *eppd_restore_plan_entry(EppdRestorePlan *plan, const char *policy, guint number);
/* Takes @entry, in the place of one of the same name. */
void eppd_restore_plan_add(EppdRestorePlan *plan, EppdRestoreEntry *entry);
void eppd_restore_plan_forget(EppdRestorePlan *plan, const char *policy);
/* Forgets each policy that there is nothing to put back in. */
void eppd_restore_plan_keep_due(EppdRestorePlan *plan);

void eppd_restore_plan_set_driver(EppdRestorePlan *plan,
                                  EppdRestoreEntry *entry,
                                  const char *driver);
/* @boost with an UNKNOWN read-back expects what was learned last of the same value. Another boost
 * value for what is boosted waits for its next set_boosted(). */
void eppd_restore_plan_set_epp(EppdRestorePlan *plan,
                               EppdRestoreEntry *entry,
                               const EppdEpp *base,
                               const EppdEppTwin *boost);
void eppd_restore_plan_set_boosted(EppdRestorePlan *plan, EppdRestoreEntry *entry, bool boosted);
void eppd_restore_plan_set_taken_over(EppdRestorePlan *plan,
                                      EppdRestoreEntry *entry,
                                      bool taken_over);

/* NULL where it is not known; the plan's own. */
const EppdRestoreSetting *eppd_restore_plan_setting(const EppdRestorePlan *plan, const char *path);
/* @found and @ours are constants. The @found of a setting that is there already is kept: it is the
 * one to go back to. */
void eppd_restore_plan_set_setting(EppdRestorePlan *plan,
                                   const char *path,
                                   const char *found,
                                   const char *ours);
void eppd_restore_plan_forget_setting(EppdRestorePlan *plan, const char *path);

/* EppdRestoreEntry, in the order of their numbers, and EppdRestoreSetting, in that of their paths.
 * The arrays are the caller's, what they hold is the plan's, until it is set or forgotten. */
GPtrArray *eppd_restore_plan_policies(const EppdRestorePlan *plan);
GPtrArray *eppd_restore_plan_settings(const EppdRestorePlan *plan);
/* Whether there is anything to put back in any policy. */
bool eppd_restore_plan_has_due(const EppdRestorePlan *plan);
bool eppd_restore_plan_is_empty(const EppdRestorePlan *plan);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdRestorePlan, eppd_restore_plan_free)
