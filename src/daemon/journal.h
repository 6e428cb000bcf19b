/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"
#include "policy/restore-plan.h"

/* RUNTIME_DIR/restore.ini: what a dead daemon would have left boosted, so that --restore and the
 * next start can put it back. It must survive a kill, not a power cut: no fsync. A change of a base
 * rewrites the file (atomic rename); an edge flips one byte in place. Only the holder of the owner
 * lock may open it. */
typedef struct _EppdJournal EppdJournal;

/* A driver's name is kept as eppd_printable() with this many bytes. */
#define EPPD_JOURNAL_DRIVER_MAX 128

/* Reads the journal in @runtime_dir without writing it. Never fails: what makes no sense is logged
 * and left out, and so is all of another boot, and each policy that there is nothing to put back
 * in. After eppd_restore() (restore.h) what that left pending is kept, as boosted, until its base
 * is written. The first eppd_journal_commit() always writes the file. */
EppdJournal *eppd_journal_load(EppdSysRoot *root, const char *runtime_dir);
void eppd_journal_free(EppdJournal *journal);

/* Sets a policy's entry; it reaches the file with the next eppd_journal_commit(), or not at all if
 * nothing changed. Boosted flags are kept. @driver may be NULL. @boost: the value that a boost
 * writes, and its read-back once it is known (UNKNOWN before). Another boost value for a policy
 * that is boosted is taken with its next eppd_journal_set_boosted(): its file holds the old one. */
void eppd_journal_set_policy(EppdJournal *journal,
                             const char *policy,
                             const char *driver,
                             const EppdEpp *base,
                             const EppdEppTwin *boost);
/* Whether a policy was taken over from the kernel's dynamic EPP (7.3+), which is to be put back.
 * Like eppd_journal_set_policy(), which must have been called for it; @policy unknown: nothing,
 * false. */
void eppd_journal_set_taken_over(EppdJournal *journal, const char *policy, bool taken_over);
bool eppd_journal_is_taken_over(const EppdJournal *journal, const char *policy);
/* A setting that we change besides EPP, by its file below the root: the value found and the one we
 * wrote. NULL @found removes the entry (it was put back). The @found of an entry that is there
 * already is kept: it is the one to go back to. EPPD_ERROR_INVALID for a file or a value that is
 * not ours to change. Committed at once. */
gboolean eppd_journal_set_file(
    EppdJournal *journal, const char *path, const char *found, const char *ours, GError **error);
gboolean eppd_journal_commit(EppdJournal *journal, GError **error);

/* Before the boost is written: true; where that fails the policy counts as not boosted, and must
 * not be. After the base is written: false. One pwrite. EPPD_ERROR_INVALID for a policy that was
 * never set. */
gboolean eppd_journal_set_boosted(EppdJournal *journal,
                                  const char *policy,
                                  bool boosted,
                                  GError **error);

/* An empty journal, after a clean restore: removes the file. Keeps what is still boosted or taken
 * over, and the files that were not put back. */
gboolean eppd_journal_clear(EppdJournal *journal, GError **error);

/* Whether any policy is boosted or taken over, or was left so by a dead daemon and not yet
 * restored.
 */
bool eppd_journal_has_policies(const EppdJournal *journal);

/* The policies with something to put back, EppdRestoreEntry in the order of their numbers, whose
 * drivers are printable, and what else was changed, EppdRestoreSetting in that of their paths. The
 * arrays are the caller's; what they hold is the journal's, until it is set or forgotten. */
GPtrArray *eppd_journal_policies(EppdJournal *journal);
GPtrArray *eppd_journal_files(EppdJournal *journal);

/* Drops an entry, boosted or not; it leaves the file with the next commit or clear. */
void eppd_journal_forget_policy(EppdJournal *journal, const char *policy);
void eppd_journal_forget_file(EppdJournal *journal, const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdJournal, eppd_journal_free)
