/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/restore-entry.h"

EppdRestoreEntry *
eppd_restore_entry_new(const char *policy, guint number)
{
  EppdRestoreEntry *entry = g_new0(EppdRestoreEntry, 1);

  entry->policy = g_strdup(policy);
  entry->number = number;
  entry->driver = g_strdup("");
  return entry;
}

void
eppd_restore_entry_free(EppdRestoreEntry *entry)
{
  g_free(entry->policy);
  g_free(entry->driver);
  g_free(entry);
}

bool
eppd_restore_entry_is_due(const EppdRestoreEntry *entry)
{
  return entry->boosted || entry->taken_over;
}

/* A raw number may be unreadable, and then so was it when it was to be read back. */
static bool
is_nameless_boost(const EppdRestoreEntry *entry)
{
  return entry->boost.written.kind == EPPD_EPP_RAW && !eppd_epp_twin_is_learned(&entry->boost);
}

static bool
is_our_boost(const EppdRestoreEntry *entry, const EppdEpp *found)
{
  /* A kill between the first boost and the look at what it reads as: what it may read as is ours.
   */
  if (!eppd_epp_twin_is_learned(&entry->boost))
    return eppd_epp_may_read_back_as(&entry->boost.written, found) && eppd_epp_is_writable(found) &&
           !eppd_epp_equal(found, &entry->base);
  return eppd_epp_equal(found, &entry->boost.written) ||
         eppd_epp_equal(found, &entry->boost.readback);
}

bool
eppd_restore_entry_is_ours(const EppdRestoreEntry *entry, const EppdEpp *found, bool is_nameless)
{
  if (found->kind == EPPD_EPP_UNKNOWN)
    return entry->boosted && is_nameless && is_nameless_boost(entry);
  return (entry->boosted && is_our_boost(entry, found)) ||
         (entry->taken_over && eppd_epp_may_read_back_as(&entry->base, found));
}
