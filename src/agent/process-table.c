/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/process-table.h"

#include "base/log.h"

#include <glib-unix.h>

typedef struct {
  EppdTrackedProcess tracked; /* first: lists are of these */
  EppdProcessTable *table;
  GSource *source;
} Entry;

struct _EppdProcessTable {
  void (*ended)(const char *cgroup, gpointer data);
  gpointer data;
  GHashTable *entries; /* pid → Entry */
};

static void
entry_free(gpointer data)
{
  Entry *entry = data;

  g_source_destroy(entry->source);
  g_source_unref(entry->source);
  eppd_process_free(entry->tracked.process);
  g_free(entry);
}

static gboolean
on_ended(int fd, GIOCondition condition, gpointer data)
{
  Entry *entry = data;
  EppdProcessTable *table = entry->table;
  EppdProcess *process = entry->tracked.process;
  g_autofree char *cgroup = g_strdup(process->cgroup);

  eppd_debug("processes", "%d (%s) has ended", (int)process->pid, process->name);
  g_hash_table_remove(table->entries, GINT_TO_POINTER(process->pid));
  table->ended(cgroup, table->data);
  return G_SOURCE_REMOVE;
}

/* Before the others: who tells of it knows it best. */
static void
put_identity(EppdProcess *process, const EppdGameIdentity *identity)
{
  if (g_ptr_array_find_with_equal_func(process->identities, identity, eppd_game_identity_equal,
                                       NULL))
    return;
  g_ptr_array_insert(process->identities, 0, eppd_game_identity_new(identity->kind, identity->id));
}

static int
compare(gconstpointer a, gconstpointer b)
{
  const EppdProcess *x = (*(const EppdTrackedProcess *const *)a)->process;
  const EppdProcess *y = (*(const EppdTrackedProcess *const *)b)->process;

  if (x->start_ticks != y->start_ticks)
    return x->start_ticks < y->start_ticks ? -1 : 1;
  return (x->pid > y->pid) - (x->pid < y->pid);
}

EppdProcessTable *
eppd_process_table_new(void (*ended)(const char *cgroup, gpointer data), gpointer data)
{
  EppdProcessTable *table = g_new0(EppdProcessTable, 1);

  table->ended = ended;
  table->data = data;
  table->entries = g_hash_table_new_full(NULL, NULL, NULL, entry_free);
  return table;
}

void
eppd_process_table_free(EppdProcessTable *table)
{
  g_hash_table_unref(table->entries);
  g_free(table);
}

void
eppd_process_table_add(EppdProcessTable *table,
                       EppdProcess *process,
                       EppdOrigin origin,
                       const EppdGameIdentity *identity)
{
  gpointer key = GINT_TO_POINTER(process->pid);
  Entry *entry = g_hash_table_lookup(table->entries, key);

  /* Another one may have got the pid before the end of the first was told. */
  if (entry && entry->tracked.process->start_ticks == process->start_ticks) {
    eppd_process_free(process);
  } else {
    entry = g_new0(Entry, 1);
    entry->table = table;
    entry->tracked.process = process;
    entry->source = g_unix_fd_source_new(process->pidfd, G_IO_IN);
    g_source_set_callback(entry->source, G_SOURCE_FUNC(on_ended), entry, NULL);
    g_source_attach(entry->source, g_main_context_get_thread_default());
    g_hash_table_replace(table->entries, key, entry);
  }
  entry->tracked.origins |= origin;
  if (identity)
    put_identity(entry->tracked.process, identity);
}

void
eppd_process_table_remove(EppdProcessTable *table, pid_t pid, EppdOrigin origin)
{
  Entry *entry = g_hash_table_lookup(table->entries, GINT_TO_POINTER(pid));

  if (!entry)
    return;
  entry->tracked.origins &= ~(guint)origin;
  if (entry->tracked.origins == 0)
    g_hash_table_remove(table->entries, GINT_TO_POINTER(pid));
}

GPtrArray *
eppd_process_table_list(const EppdProcessTable *table)
{
  GPtrArray *list = g_ptr_array_new();
  GHashTableIter iter;
  gpointer entry;

  g_hash_table_iter_init(&iter, table->entries);
  while (g_hash_table_iter_next(&iter, NULL, &entry))
    g_ptr_array_add(list, entry);
  g_ptr_array_sort(list, compare);
  return list;
}
