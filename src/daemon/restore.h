/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"

/* How many policies and other files of the journal; those of another boot or driver are not
 * counted. */
typedef struct {
  guint restored;
  guint left_alone; /* the file holds another value: not ours */
  guint pending;    /* could not be restored now */
} EppdRestoreResult;

/* Puts back what a dead daemon left: each policy that the journal says boosted, and whose file
 * still holds the boost value (as the kernel reads it back), gets its base; each other file that
 * still holds what we wrote gets what was found there. An entry of another boot or driver is
 * dropped. One that can't be restored now (offline, EBUSY) stays in the journal, which is rewritten
 * to hold those only (removed when there is none). Never fails: an unreadable journal or policy is
 * logged and the rest goes on. The caller holds the owner lock. */
EppdRestoreResult eppd_restore(EppdSysRoot *root, const char *runtime_dir);
