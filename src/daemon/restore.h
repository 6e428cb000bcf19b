/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"
#include "policy/epp.h"

/* Puts back what a dead daemon left: each policy that the journal says boosted, and whose file
 * still holds the boost value (as the kernel reads it back), gets its base. An entry of another
 * boot or driver is dropped. One that can't be restored now (offline, EBUSY) stays in the journal.
 */
typedef struct {
  guint restored;
  guint left_alone; /* the file holds another value: not ours */
  guint pending;    /* could not be restored now */
  /* The pending policies' names → EppdEpp* base (what their files should hold once they can be
   * written). */
  GHashTable *pending_bases;
} EppdRestoreResult;

/* Never fails: an unreadable journal or policy is logged and the rest goes on. The caller holds the
 * owner lock. Rewrites the journal to hold the pending entries only (removes it when there is
 * none). */
EppdRestoreResult *eppd_restore(EppdSysRoot *root, const char *runtime_dir);
void eppd_restore_result_free(EppdRestoreResult *result);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdRestoreResult, eppd_restore_result_free)
