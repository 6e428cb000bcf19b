/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"
#include "policy/epp.h"

/* RUNTIME_DIR/restore.ini: what a dead daemon would have left boosted, so that --restore and the
 * next start can put it back. It must survive a kill, not a power cut: no fsync. A change of a base
 * rewrites the file (atomic rename); an edge flips one byte in place. Only the holder of the owner
 * lock may open it. */
typedef struct _EppdJournal EppdJournal;

/* Opens the journal in @runtime_dir; restore first (restore.h): what it left pending is kept, as
 * boosted, until it is cleared. */
EppdJournal *eppd_journal_new(EppdSysRoot *root, const char *runtime_dir, GError **error);
void eppd_journal_free(EppdJournal *journal);

/* Sets a policy's entry; it reaches the file with the next eppd_journal_commit(), or not at all if
 * nothing changed. Boosted flags are kept. */
void eppd_journal_set_policy(EppdJournal *journal,
                             const char *policy,
                             const char *driver,
                             const EppdEpp *base,
                             const EppdEpp *boost);
/* A setting that we change besides EPP, by its file below the root: the value found and the one we
 * wrote. NULL @found removes the entry (it was put back). Committed at once. */
gboolean eppd_journal_set_file(
    EppdJournal *journal, const char *path, const char *found, const char *ours, GError **error);
gboolean eppd_journal_commit(EppdJournal *journal, GError **error);

/* Before the boost is written: true. After the base is written: false. One pwrite; the policy must
 * have been committed. */
gboolean eppd_journal_set_boosted(EppdJournal *journal,
                                  const char *policy,
                                  bool boosted,
                                  GError **error);

/* An empty journal, after a clean restore. Keeps pending entries. */
gboolean eppd_journal_clear(EppdJournal *journal, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdJournal, eppd_journal_free)
