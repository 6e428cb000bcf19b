/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/key-file.h"
#include "policy/restore-plan.h"

/* A plan as text, and back: a key file with the boot that it is of, a group a policy and a group a
 * setting. A policy's flag is one digit, whose place in the text is told, so that an edge need not
 * write the rest. */

/* Of @plan, owned by the caller. @flags becomes a table of each policy's number → where in the text
 * its digit stands, a GSIZE_TO_POINTER; owned by the caller. */
GString *eppd_journal_text_make(const EppdRestorePlan *plan,
                                const char *boot_id,
                                GHashTable **flags);
/* The digit itself. */
char eppd_journal_text_flag(bool boosted);

/* Adds to @plan what @file says, as far as there is anything to put back. False, and nothing is
 * added, where it is of another boot than @boot_id. A group that makes no sense is logged, and left
 * out. The plan's strings are what the daemon may use as they are: the policies have names of
 * policies, the settings are files and values that we do write. */
bool eppd_journal_text_read(EppdKeyFile *file, const char *boot_id, EppdRestorePlan *plan);
