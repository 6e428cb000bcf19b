/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/gamemode.h"

#include "base/log.h"

#define TOPIC              "gamemode"
#define GAMEMODE_NAME      "com.feralinteractive.GameMode"
#define GAMEMODE_PATH      "/com/feralinteractive/GameMode"
#define GAMEMODE_INTERFACE "com.feralinteractive.GameMode"

struct _EppdGamemode {
  GDBusConnection *bus;
  void (*changed)(pid_t pid, bool registered, gpointer data);
  gpointer data;
  guint name_id;
  char *owner; /* its unique name; NULL while it is not there */
  GCancellable *cancellable;
  guint registered_id;
  guint unregistered_id;
  GHashTable *pids;
};

static void
set_registered(EppdGamemode *gamemode, gint32 pid, bool registered)
{
  gpointer key = GINT_TO_POINTER(pid);

  if (pid <= 0)
    return;
  if (registered ? g_hash_table_add(gamemode->pids, key)
                 : g_hash_table_remove(gamemode->pids, key)) {
    eppd_debug(TOPIC, "%d is %s", pid, registered ? "registered" : "no longer registered");
    gamemode->changed(pid, registered, gamemode->data);
  }
}

static void
take_signal(EppdGamemode *gamemode, GVariant *parameters, bool registered)
{
  gint32 pid;

  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(io)")))
    return;
  g_variant_get(parameters, "(i&o)", &pid, NULL);
  set_registered(gamemode, pid, registered);
}

static void
on_registered(GDBusConnection *bus,
              const char *sender,
              const char *path,
              const char *interface,
              const char *signal,
              GVariant *parameters,
              gpointer data)
{
  take_signal(data, parameters, true);
}

static void
on_unregistered(GDBusConnection *bus,
                const char *sender,
                const char *path,
                const char *interface,
                const char *signal,
                GVariant *parameters,
                gpointer data)
{
  take_signal(data, parameters, false);
}

static void
got_games(GObject *source, GAsyncResult *result, gpointer data)
{
  EppdGamemode *gamemode = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply =
      g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
  g_autoptr(GVariantIter) iter = NULL;
  gint32 pid;

  /* Cancelled by us: @gamemode may be gone. A remote error can carry the same code. */
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED) &&
      !g_dbus_error_is_remote_error(error))
    return;
  if (!reply) {
    eppd_warning(TOPIC, "ignoring the games that are registered already: %s", error->message);
    return;
  }
  g_variant_get(reply, "(a(io))", &iter);
  while (g_variant_iter_next(iter, "(i&o)", &pid, NULL))
    set_registered(gamemode, pid, true);
}

static guint
subscribe(EppdGamemode *gamemode, const char *signal, GDBusSignalCallback func)
{
  return g_dbus_connection_signal_subscribe(gamemode->bus, gamemode->owner, GAMEMODE_INTERFACE,
                                            signal, GAMEMODE_PATH, NULL, G_DBUS_SIGNAL_FLAGS_NONE,
                                            func, gamemode, NULL);
}

static void
came(GDBusConnection *bus, const char *name, const char *owner, gpointer data)
{
  EppdGamemode *gamemode = data;

  eppd_info(TOPIC, "it is there");
  gamemode->owner = g_strdup(owner);
  gamemode->cancellable = g_cancellable_new();
  gamemode->registered_id = subscribe(gamemode, "GameRegistered", on_registered);
  gamemode->unregistered_id = subscribe(gamemode, "GameUnregistered", on_unregistered);
  g_dbus_connection_call(bus, owner, GAMEMODE_PATH, GAMEMODE_INTERFACE, "ListGames", NULL,
                         G_VARIANT_TYPE("(a(io))"), G_DBUS_CALL_FLAGS_NO_AUTO_START, -1,
                         gamemode->cancellable, got_games, gamemode);
}

static void
forget_owner(EppdGamemode *gamemode)
{
  if (!gamemode->owner)
    return;
  g_cancellable_cancel(gamemode->cancellable);
  g_clear_object(&gamemode->cancellable);
  g_dbus_connection_signal_unsubscribe(gamemode->bus, gamemode->registered_id);
  g_dbus_connection_signal_unsubscribe(gamemode->bus, gamemode->unregistered_id);
  g_clear_pointer(&gamemode->owner, g_free);
}

static void
left(GDBusConnection *bus, const char *name, gpointer data)
{
  EppdGamemode *gamemode = data;
  g_autoptr(GList) pids = g_hash_table_get_keys(gamemode->pids);

  if (gamemode->owner)
    eppd_info(TOPIC, "it has left");
  forget_owner(gamemode);
  for (const GList *item = pids; item; item = item->next)
    set_registered(gamemode, GPOINTER_TO_INT(item->data), false);
}

EppdGamemode *
eppd_gamemode_new(GDBusConnection *bus,
                  void (*changed)(pid_t pid, bool registered, gpointer data),
                  gpointer data)
{
  EppdGamemode *gamemode = g_new0(EppdGamemode, 1);

  gamemode->bus = g_object_ref(bus);
  gamemode->changed = changed;
  gamemode->data = data;
  gamemode->pids = g_hash_table_new(NULL, NULL);
  gamemode->name_id = g_bus_watch_name_on_connection(
      bus, GAMEMODE_NAME, G_BUS_NAME_WATCHER_FLAGS_NONE, came, left, gamemode, NULL);
  return gamemode;
}

void
eppd_gamemode_free(EppdGamemode *gamemode)
{
  g_bus_unwatch_name(gamemode->name_id);
  forget_owner(gamemode);
  g_hash_table_unref(gamemode->pids);
  g_object_unref(gamemode->bus);
  g_free(gamemode);
}
