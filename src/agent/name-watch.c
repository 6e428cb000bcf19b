/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/name-watch.h"

#include "base/log.h"

#include <stdbool.h>
#include <string.h>

/* The bus limits a connection's match rules. */
#define NAMES_MAX 128

typedef struct {
  EppdNameWatch *watch;
  char *id;
  guint watch_id;
  GCancellable *cancellable; /* of the question for its process, while it runs */
} Name;

struct _EppdNameWatch {
  GDBusConnection *bus;
  void (*appeared)(const char *id, pid_t pid, gpointer data);
  gpointer data;
  GHashTable *names; /* id → Name */
};

static void
cancel(Name *name)
{
  if (name->cancellable)
    g_cancellable_cancel(name->cancellable);
  g_clear_object(&name->cancellable);
}

static void
name_free(gpointer data)
{
  Name *name = data;

  g_bus_unwatch_name(name->watch_id);
  cancel(name);
  g_free(name->id);
  g_free(name);
}

static void
got_pid(GObject *source, GAsyncResult *result, gpointer data)
{
  Name *name = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply =
      g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
  guint32 pid;

  /* Cancelled by us: @name may be gone. A remote error can carry the same code. */
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED) &&
      !g_dbus_error_is_remote_error(error))
    return;
  g_clear_object(&name->cancellable);
  if (!reply) {
    eppd_info("names", "ignoring %s: %s", name->id, error->message);
    return;
  }
  g_variant_get(reply, "(u)", &pid);
  if (pid > 0 && pid <= G_MAXINT32)
    name->watch->appeared(name->id, (pid_t)pid, name->watch->data);
}

static void
came(GDBusConnection *bus, const char *bus_name, const char *owner, gpointer data)
{
  Name *name = data;

  cancel(name);
  name->cancellable = g_cancellable_new();
  g_dbus_connection_call(bus, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                         "org.freedesktop.DBus", "GetConnectionUnixProcessID",
                         g_variant_new("(s)", owner), G_VARIANT_TYPE("(u)"), G_DBUS_CALL_FLAGS_NONE,
                         -1, name->cancellable, got_pid, name);
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
    name->watch_id = g_bus_watch_name_on_connection(watch->bus, id, G_BUS_NAME_WATCHER_FLAGS_NONE,
                                                    came, NULL, name, NULL);
    g_hash_table_insert(watch->names, name->id, name);
  }
}
