/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/gamemode.h"

#include "base/log.h"
#include "bus/peer.h"

#define TOPIC "gamemode"
#define NAME  "com.feralinteractive.GameMode"

struct _EppdGamemode {
  EppdPeer *peer;
  void (*changed)(pid_t pid, bool registered, gpointer data);
  gpointer data;
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
take(GVariant *parameters, EppdGamemode *gamemode, bool registered)
{
  gint32 pid;

  g_variant_get(parameters, "(i&o)", &pid, NULL);
  set_registered(gamemode, pid, registered);
}

static void
on_registered(GVariant *parameters, gpointer data)
{
  take(parameters, data, true);
}

static void
on_unregistered(GVariant *parameters, gpointer data)
{
  take(parameters, data, false);
}

static void
got_games(GVariant *reply, GUnixFDList *fds, const GError *error, gpointer data)
{
  g_autoptr(GVariantIter) iter = NULL;
  gint32 pid;

  if (!reply) {
    eppd_warning(TOPIC, "ignoring the games that are registered already: %s", error->message);
    return;
  }
  g_variant_get(reply, "(a(io))", &iter);
  while (g_variant_iter_next(iter, "(i&o)", &pid, NULL))
    set_registered(data, pid, true);
}

static void
came(gpointer data)
{
  static const EppdPeerObject object = {"/com/feralinteractive/GameMode", NAME};
  EppdGamemode *gamemode = data;

  eppd_peer_listen(gamemode->peer, &object, "GameRegistered", "(io)", on_registered, gamemode);
  eppd_peer_listen(gamemode->peer, &object, "GameUnregistered", "(io)", on_unregistered, gamemode);
  eppd_peer_ask(gamemode->peer, &object, "ListGames", NULL, "(a(io))", got_games, gamemode);
}

static void
left(gpointer data)
{
  EppdGamemode *gamemode = data;
  g_autoptr(GList) pids = g_hash_table_get_keys(gamemode->pids);

  for (const GList *item = pids; item; item = item->next)
    set_registered(gamemode, GPOINTER_TO_INT(item->data), false);
}

EppdGamemode *
eppd_gamemode_new(GDBusConnection *bus,
                  void (*changed)(pid_t pid, bool registered, gpointer data),
                  gpointer data)
{
  EppdGamemode *gamemode = g_new0(EppdGamemode, 1);

  gamemode->changed = changed;
  gamemode->data = data;
  gamemode->pids = g_hash_table_new(NULL, NULL);
  gamemode->peer = eppd_peer_new(bus, TOPIC, NAME, came, left, gamemode);
  return gamemode;
}

void
eppd_gamemode_free(EppdGamemode *gamemode)
{
  eppd_peer_free(gamemode->peer);
  g_hash_table_unref(gamemode->pids);
  g_free(gamemode);
}
