/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/launcher-look.h"

#include "agent/launcher.h"
#include "base/log.h"

#include <string.h>

#define LOOKS 2

#define PERIOD_SECONDS 5

struct _EppdLauncherLook {
  char *root;
  uid_t uid;
  EppdProcessTable *table;
  void (*due)(gpointer data);
  gpointer data;
  GHashTable *places; /* cgroup → GHashTable of pid → number of looks */
  guint source;
};

static void
keep_games(GPtrArray *identities)
{
  for (guint i = identities->len; i > 0; i--) {
    if (!eppd_launcher_is_game(identities->pdata[i - 1]))
      g_ptr_array_remove_index(identities, i - 1);
  }
}

static bool
is_below(const char *cgroup, const char *parent)
{
  gsize length = strlen(parent);

  return cgroup && strncmp(cgroup, parent, length) == 0 &&
         (cgroup[length] == '\0' || cgroup[length] == '/');
}

/* Whether a process of the same game is in the table already. */
static bool
is_known(const EppdLauncherLook *look, const char *cgroup, const EppdGameIdentity *identity)
{
  g_autoptr(GPtrArray) list = eppd_process_table_list(look->table);

  for (guint i = 0; i < list->len; i++) {
    const EppdTrackedProcess *tracked = list->pdata[i];
    const EppdProcess *process = tracked->process;

    if ((tracked->origins & EPPD_ORIGIN_IN_LAUNCHER) && is_below(process->cgroup, cgroup) &&
        eppd_game_identity_equal(process->identities->pdata[0], identity))
      return true;
  }
  return false;
}

static void
look_at_process(EppdLauncherLook *look, const char *cgroup, pid_t pid)
{
  g_autoptr(EppdProcess) process = eppd_process_look(pid, look->uid, NULL);

  if (!process)
    return;
  keep_games(process->identities);
  if (process->identities->len == 0 || is_known(look, cgroup, process->identities->pdata[0]))
    return;
  eppd_info("launchers", "%d (%s) is a game in %s", (int)pid, process->name, cgroup);
  eppd_process_table_add(look->table, g_steal_pointer(&process), EPPD_ORIGIN_IN_LAUNCHER, NULL);
}

/* The new counts take the place of the old ones: a pid that is gone may be another's next time. */
static void
look_into(EppdLauncherLook *look, const char *cgroup, GHashTable *before, GHashTable *counts)
{
  g_autofree char *path = g_build_filename(look->root, cgroup, NULL);
  g_autoptr(GArray) pids = eppd_process_list_cgroup(path);

  for (guint i = 0; i < pids->len; i++) {
    pid_t pid = g_array_index(pids, pid_t, i);
    gpointer key = GINT_TO_POINTER(pid);
    guint count = before ? GPOINTER_TO_UINT(g_hash_table_lookup(before, key)) : 0;

    if (count < LOOKS) {
      count++;
      look_at_process(look, cgroup, pid);
    }
    g_hash_table_insert(counts, key, GUINT_TO_POINTER(count));
  }
}

static GHashTable *
places_new(void)
{
  return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_hash_table_unref);
}

static gboolean
on_due(gpointer data)
{
  const EppdLauncherLook *look = data;

  look->due(look->data);
  return G_SOURCE_CONTINUE;
}

EppdLauncherLook *
eppd_launcher_look_new(
    const char *root, uid_t uid, EppdProcessTable *table, void (*due)(gpointer data), gpointer data)
{
  EppdLauncherLook *look = g_new0(EppdLauncherLook, 1);

  look->root = g_strdup(root);
  look->uid = uid;
  look->table = table;
  look->due = due;
  look->data = data;
  look->places = places_new();
  return look;
}

void
eppd_launcher_look_free(EppdLauncherLook *look)
{
  g_clear_handle_id(&look->source, g_source_remove);
  g_hash_table_unref(look->places);
  g_free(look->root);
  g_free(look);
}

void
eppd_launcher_look_at(EppdLauncherLook *look, const GPtrArray *cgroups)
{
  GHashTable *places = places_new();

  for (guint i = 0; i < cgroups->len; i++) {
    const char *cgroup = cgroups->pdata[i];
    GHashTable *counts = g_hash_table_new(NULL, NULL);

    look_into(look, cgroup, g_hash_table_lookup(look->places, cgroup), counts);
    g_hash_table_insert(places, g_strdup(cgroup), counts);
  }
  g_hash_table_unref(look->places);
  look->places = places;
  if (cgroups->len == 0)
    g_clear_handle_id(&look->source, g_source_remove);
  else if (look->source == 0)
    look->source = g_timeout_add_seconds(PERIOD_SECONDS, on_due, look);
}

void
eppd_launcher_look_again(EppdLauncherLook *look, const char *cgroup)
{
  GHashTableIter iter;
  gpointer place;

  g_hash_table_iter_init(&iter, look->places);
  while (g_hash_table_iter_next(&iter, &place, NULL)) {
    if (is_below(cgroup, place))
      g_hash_table_iter_remove(&iter);
  }
}
