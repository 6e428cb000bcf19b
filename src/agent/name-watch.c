/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/name-watch.h"

#include "base/log.h"
#include "bus/peer.h"

#include <stdbool.h>
#include <string.h>

#define TOPIC "names"

/* The bus limits a connection's match rules. */
#define NAMES_MAX 128

typedef struct {
  EppdNameWatch *watch;
  char *id;
  EppdPeer *peer;
} Name;

struct _EppdNameWatch {
  GDBusConnection *bus;
  void (*appeared)(const char *id, pid_t pid, gpointer data);
  gpointer data;
  GHashTable *names; /* id → Name */
};

static void
name_free(gpointer data)
{
  Name *name = data;

  eppd_peer_free(name->peer);
  g_free(name->id);
  g_free(name);
}

static void
got_process(GVariant *reply, GUnixFDList *fds, const GError *error, gpointer data)
{
  const Name *name = data;
  guint32 pid;

  if (!reply) {
    eppd_info(TOPIC, "ignoring %s: %s", name->id, error->message);
    return;
  }
  g_variant_get(reply, "(u)", &pid);
  if (pid > 0 && pid <= G_MAXINT32)
    name->watch->appeared(name->id, (pid_t)pid, name->watch->data);
}

static void
came(gpointer data)
{
  Name *name = data;

  eppd_peer_ask_process(name->peer, got_process, name);
}

static gboolean
is_unwanted(gpointer key, gpointer value, gpointer data)
{
  return !g_ptr_array_find_with_equal_func((GPtrArray *)data, key, g_str_equal, NULL);
}

EppdNameWatch *
eppd_name_watch_new(GDBusConnection *bus,
                    void (*appeared)(const char *id, pid_t pid, gpointer data),
                    gpointer data)
{
  EppdNameWatch *watch = g_new0(EppdNameWatch, 1);

  watch->bus = g_object_ref(bus);
  watch->appeared = appeared;
  watch->data = data;
  watch->names = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, name_free);
  return watch;
}

void
eppd_name_watch_free(EppdNameWatch *watch)
{
  g_hash_table_unref(watch->names);
  g_object_unref(watch->bus);
  g_free(watch);
}

void
eppd_name_watch_set(EppdNameWatch *watch, const GPtrArray *ids)
{
  g_hash_table_foreach_remove(watch->names, is_unwanted, (gpointer)ids);
  for (guint i = 0; i < ids->len; i++) {
    const char *id = ids->pdata[i];
    Name *name;

    if (!g_dbus_is_name(id) || g_dbus_is_unique_name(id) ||
        g_hash_table_contains(watch->names, id) || g_hash_table_size(watch->names) >= NAMES_MAX)
      continue;
    name = g_new0(Name, 1);
    name->watch = watch;
    name->id = g_strdup(id);
    name->peer = eppd_peer_new(watch->bus, TOPIC, id, came, NULL, name);
    g_hash_table_insert(watch->names, name->id, name);
  }
}
