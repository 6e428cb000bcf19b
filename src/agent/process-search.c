/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/process-search.h"

/* What it was started as; NULL if that is nothing of ours. Owned by the caller. */
static EppdGameIdentity *
entry_identity(EppdDesktopIndex *index, const EppdProcess *process)
{
  const EppdIndexedEntry *found;

  for (guint i = 0; i < process->identities->len; i++) {
    const EppdGameIdentity *identity = process->identities->pdata[i];

    if (identity->kind == EPPD_IDENTITY_DESKTOP_FILE && eppd_desktop_index_find(index, identity))
      return eppd_game_identity_new(identity->kind, identity->id);
  }
  found = eppd_desktop_index_find_command(index, (const char *const *)process->argv);
  return found ? eppd_game_identity_new(EPPD_IDENTITY_DESKTOP_ID, found->id) : NULL;
}

void
eppd_process_search(EppdDesktopIndex *index, uid_t uid, EppdProcessTable *table)
{
  g_autoptr(GArray) pids = eppd_process_list_all();

  for (guint i = 0; i < pids->len; i++) {
    pid_t pid = g_array_index(pids, pid_t, i);
    g_autoptr(EppdProcess) process = eppd_process_look(pid, uid, NULL);
    g_autoptr(EppdGameIdentity) identity = process ? entry_identity(index, process) : NULL;

    if (identity)
      eppd_process_table_add(table, g_steal_pointer(&process), EPPD_ORIGIN_LAUNCHED, identity);
  }
}
