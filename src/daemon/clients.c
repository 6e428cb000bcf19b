/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/clients.h"

typedef struct {
  guint count;
  guint watch_id;
  bool is_alive;
} Client;

struct _EppdClients {
  GDBusConnection *bus;
  EppdClientsVanished vanished;
  gpointer data;
  GHashTable *by_name; /* char* → Client* */
};

static void
client_free(Client *client)
{
  g_bus_unwatch_name(client->watch_id);
  g_free(client);
}

static void
name_vanished(GDBusConnection *bus, const char *name, gpointer data)
{
  EppdClients *clients = data;
  Client *client = g_hash_table_lookup(clients->by_name, name);
  g_autofree char *own_name = NULL;

  /* GLib says it again when the bus itself goes. */
  if (!client || !client->is_alive)
    return;
  client->is_alive = false;

  /* The callback may drop the last reference, and the watch with it, which owns @name. */
  own_name = g_strdup(name);
  clients->vanished(own_name, clients->data);
}

EppdClients *
eppd_clients_new(GDBusConnection *bus, EppdClientsVanished vanished, gpointer data)
{
  EppdClients *clients = g_new0(EppdClients, 1);

  clients->bus = g_object_ref(bus);
  clients->vanished = vanished;
  clients->data = data;
  clients->by_name =
      g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)client_free);
  return clients;
}

void
eppd_clients_free(EppdClients *clients)
{
  g_hash_table_unref(clients->by_name);
  g_object_unref(clients->bus);
  g_free(clients);
}

void
eppd_clients_ref(EppdClients *clients, const char *name)
{
  Client *client = g_hash_table_lookup(clients->by_name, name);

  if (!client) {
    client = g_new0(Client, 1);
    client->is_alive = true;
    client->watch_id = g_bus_watch_name_on_connection(
        clients->bus, name, G_BUS_NAME_WATCHER_FLAGS_NONE, NULL, name_vanished, clients, NULL);
    g_hash_table_insert(clients->by_name, g_strdup(name), client);
  }
  client->count++;
}

void
eppd_clients_unref(EppdClients *clients, const char *name)
{
  Client *client = g_hash_table_lookup(clients->by_name, name);

  g_return_if_fail(client != NULL);

  client->count--;
  if (client->count == 0)
    g_hash_table_remove(clients->by_name, name);
}

bool
eppd_clients_is_alive(EppdClients *clients, const char *name)
{
  const Client *client = g_hash_table_lookup(clients->by_name, name);

  return client && client->is_alive;
}

guint
eppd_clients_count(EppdClients *clients)
{
  return g_hash_table_size(clients->by_name);
}
