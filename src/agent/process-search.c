/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/process-search.h"

#include "agent/program-watch.h"

#include <stdbool.h>

/* A program that was opened has not yet become the process that it will be, and may soon be
 * another: when it is looked for. */
static const gint64 delays_usec[] = {10 * 1000, 100 * 1000, 1000 * 1000};

struct _EppdProcessSearch {
  EppdDesktopIndex *index;
  uid_t uid;
  EppdProcessTable *table;
  EppdProgramWatch *programs;
  void (*searched)(gpointer data);
  void (*replaced)(gpointer data);
  gpointer data;
  guint source;     /* while a search is due */
  guint n_searches; /* of delays_usec, that are scheduled or done */
};

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

static void schedule(EppdProcessSearch *search, gint64 delay_usec);

static gboolean
on_due(gpointer data)
{
  EppdProcessSearch *search = data;
  gint64 now_usec = g_get_monotonic_time();
  /* Before the search, so that nothing that starts in between is missed. */
  gint64 next_usec = eppd_program_watch_resume(search->programs, now_usec);

  search->source = 0;
  eppd_process_search_now(search);
  if (search->n_searches < G_N_ELEMENTS(delays_usec))
    schedule(search, delays_usec[search->n_searches++]);
  else if (next_usec >= 0)
    schedule(search, next_usec - now_usec);
  return G_SOURCE_REMOVE;
}

static void
schedule(EppdProcessSearch *search, gint64 delay_usec)
{
  g_clear_handle_id(&search->source, g_source_remove);
  search->source = g_timeout_add((guint)(delay_usec / 1000 + 1), on_due, search);
}

static void
on_opened(gpointer data)
{
  eppd_process_search_soon(data);
}

static void
on_replaced(gpointer data)
{
  const EppdProcessSearch *search = data;

  search->replaced(search->data);
}

EppdProcessSearch *
eppd_process_search_new(EppdPathWatch *paths,
                        EppdDesktopIndex *index,
                        uid_t uid,
                        EppdProcessTable *table,
                        void (*searched)(gpointer data),
                        void (*replaced)(gpointer data),
                        gpointer data)
{
  EppdProcessSearch *search = g_new0(EppdProcessSearch, 1);

  search->index = index;
  search->uid = uid;
  search->table = table;
  search->searched = searched;
  search->replaced = replaced;
  search->data = data;
  search->programs = eppd_program_watch_new(paths, on_opened, on_replaced, search);
  return search;
}

void
eppd_process_search_free(EppdProcessSearch *search)
{
  g_clear_handle_id(&search->source, g_source_remove);
  eppd_program_watch_free(search->programs);
  g_free(search);
}

void
eppd_process_search_watch(EppdProcessSearch *search, const GPtrArray *files)
{
  eppd_program_watch_set(search->programs, files);
}

/* Whether it is one of the first of its kind; counts it. */
static bool
is_wanted(GHashTable *counts, const EppdGameIdentity *identity)
{
  guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, identity)) + 1;

  g_hash_table_replace(counts, eppd_game_identity_new(identity->kind, identity->id),
                       GUINT_TO_POINTER(count));
  return count <= EPPD_PROCESS_SEARCH_MAX;
}

void
eppd_process_search_now(EppdProcessSearch *search)
{
  g_autoptr(GHashTable) counts =
      g_hash_table_new_full(eppd_game_identity_hash, eppd_game_identity_equal,
                            (GDestroyNotify)eppd_game_identity_free, NULL);
  g_autoptr(GArray) pids = eppd_process_list_all();

  for (guint i = 0; i < pids->len; i++) {
    pid_t pid = g_array_index(pids, pid_t, i);
    g_autoptr(EppdProcess) process = eppd_process_look(pid, search->uid, NULL);
    g_autoptr(EppdGameIdentity) identity = process ? entry_identity(search->index, process) : NULL;

    if (identity && is_wanted(counts, identity))
      eppd_process_table_add(search->table, g_steal_pointer(&process), EPPD_ORIGIN_LAUNCHED,
                             identity);
  }
  search->searched(search->data);
}

void
eppd_process_search_soon(EppdProcessSearch *search)
{
  search->n_searches = 0;
  schedule(search, delays_usec[search->n_searches++]);
}
