/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/epp-twin.h"

/* What would have to be put back in one policy's EPP file if we died now. */
typedef struct {
  char *policy; /* "policyN" */
  guint number;
  char *driver; /* "" where it was unreadable */
  EppdEpp base;
  EppdEppTwin boost;      /* the value written, and what it reads back as */
  EppdEppTwin next_boost; /* what the next boost writes: while boosted, the file holds @boost */
  bool boosted;
  bool taken_over; /* it read dynamic: that is to be put back, over the base or the boost */
} EppdRestoreEntry;

/* Of no driver yet, with nothing to put back. */
EppdRestoreEntry *eppd_restore_entry_new(const char *policy, guint number);
void eppd_restore_entry_free(EppdRestoreEntry *entry);

/* Whether there is anything to put back. */
bool eppd_restore_entry_is_due(const EppdRestoreEntry *entry);

/* Whether @found is ours, so that it may be put back: the boost, or the base of what was taken
 * over. Else another program wrote it. @found UNKNOWN: it can't be read; @is_nameless: for the
 * reason that the kernel has no name for the number that it holds. */
bool eppd_restore_entry_is_ours(const EppdRestoreEntry *entry,
                                const EppdEpp *found,
                                bool is_nameless);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdRestoreEntry, eppd_restore_entry_free)
