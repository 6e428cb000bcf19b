/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus/peer.h"

#include "base/log.h"

#define BUS        "org.freedesktop.DBus"
#define PROPERTIES "org.freedesktop.DBus.Properties"

struct _EppdPeer {
  GDBusConnection *bus;
  const char *topic;
  void (*came)(gpointer data);
  void (*left)(gpointer data);
  gpointer data;
  guint watch_id;
  char *owner;      /* NULL while nobody has the name */
  GHashTable *ties; /* data → Tie */
};

/* All that was begun with one data. */
typedef struct {
  GPtrArray *ears;           /* Ear */
  GCancellable *cancellable; /* of what was asked */
} Tie;

typedef struct {
  const EppdPeer *peer;
  guint subscription;
  const char *type;
  EppdPeerHeard heard;
  gpointer data;
} Ear;

/* It outlives its peer where that goes first. */
typedef struct {
  GCancellable *cancellable;
  EppdPeerAnswered answered;
  gpointer data;
} Question;

/* ---- what was begun ---- */

static void
ear_free(gpointer data)
{
  Ear *ear = data;

  g_dbus_connection_signal_unsubscribe(ear->peer->bus, ear->subscription);
  g_free(ear);
}

static void
tie_free(gpointer data)
{
  Tie *tie = data;

  g_cancellable_cancel(tie->cancellable);
  g_object_unref(tie->cancellable);
  g_ptr_array_unref(tie->ears);
  g_free(tie);
}

static Tie *
tie_for(EppdPeer *peer, gpointer data)
{
  Tie *tie = g_hash_table_lookup(peer->ties, data);

  if (!tie) {
    tie = g_new0(Tie, 1);
    tie->ears = g_ptr_array_new_with_free_func(ear_free);
    tie->cancellable = g_cancellable_new();
    g_hash_table_insert(peer->ties, data, tie);
  }
  return tie;
}

/* ---- listening ---- */

static void
on_signal(GDBusConnection *bus,
          const char *sender,
          const char *path,
          const char *interface,
          const char *signal,
          GVariant *parameters,
          gpointer data)
{
  const Ear *ear = data;

  if (g_variant_is_of_type(parameters, G_VARIANT_TYPE(ear->type)))
    ear->heard(parameters, ear->data);
  else
    eppd_warning(ear->peer->topic, "ignoring a %s of the type %s", signal,
                 g_variant_get_type_string(parameters));
}

static void
subscribe(EppdPeer *peer,
          const EppdPeerObject *object,
          const char *signal,
          const char *first_argument,
          const char *type,
          EppdPeerHeard heard,
          gpointer data)
{
  Ear *ear = g_new0(Ear, 1);

  ear->peer = peer;
  ear->type = type;
  ear->heard = heard;
  ear->data = data;
  ear->subscription = g_dbus_connection_signal_subscribe(
      peer->bus, peer->owner, object->interface, signal, object->path, first_argument,
      G_DBUS_SIGNAL_FLAGS_NONE, on_signal, ear, NULL);
  g_ptr_array_add(tie_for(peer, data)->ears, ear);
}

/* ---- asking ---- */

static void
on_answer(GObject *source, GAsyncResult *result, gpointer data)
{
  Question *question = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GUnixFDList) fds = NULL;
  g_autoptr(GVariant) reply = g_dbus_connection_call_with_unix_fd_list_finish(
      G_DBUS_CONNECTION(source), &fds, result, &error);

  /* The error would not say whether it is our own cancelling: a remote one may have that code. */
  if (!g_cancellable_is_cancelled(question->cancellable))
    question->answered(reply, fds, error, question->data);
  g_object_unref(question->cancellable);
  g_free(question);
}

static void
ask(EppdPeer *peer,
    const char *destination,
    const EppdPeerObject *object,
    const char *method,
    GVariant *parameters,
    const char *reply_type,
    EppdPeerAnswered answered,
    gpointer data)
{
  Question *question = g_new0(Question, 1);

  question->cancellable = g_object_ref(tie_for(peer, data)->cancellable);
  question->answered = answered;
  question->data = data;
  g_dbus_connection_call_with_unix_fd_list(
      peer->bus, destination, object->path, object->interface, method, parameters,
      reply_type ? G_VARIANT_TYPE(reply_type) : NULL, G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL,
      question->cancellable, on_answer, question);
}

/* ---- coming and going ---- */

static void
on_appeared(GDBusConnection *bus, const char *name, const char *owner, gpointer data)
{
  EppdPeer *peer = data;

  eppd_info(peer->topic, "%s is there", name);
  peer->owner = g_strdup(owner);
  if (peer->came)
    peer->came(peer->data);
}

static void
on_vanished(GDBusConnection *bus, const char *name, gpointer data)
{
  EppdPeer *peer = data;

  eppd_info(peer->topic, peer->owner ? "%s has left" : "%s is not there", name);
  g_hash_table_remove_all(peer->ties);
  g_clear_pointer(&peer->owner, g_free);
  if (peer->left)
    peer->left(peer->data);
}

EppdPeer *
eppd_peer_new(GDBusConnection *bus,
              const char *topic,
              const char *name,
              void (*came)(gpointer data),
              void (*left)(gpointer data),
              gpointer data)
{
  EppdPeer *peer = g_new0(EppdPeer, 1);

  peer->bus = g_object_ref(bus);
  peer->topic = topic;
  peer->came = came;
  peer->left = left;
  peer->data = data;
  peer->ties = g_hash_table_new_full(NULL, NULL, NULL, tie_free);
  peer->watch_id = g_bus_watch_name_on_connection(bus, name, G_BUS_NAME_WATCHER_FLAGS_NONE,
                                                  on_appeared, on_vanished, peer, NULL);
  return peer;
}

void
eppd_peer_free(EppdPeer *peer)
{
  g_bus_unwatch_name(peer->watch_id);
  g_hash_table_unref(peer->ties);
  g_free(peer->owner);
  g_object_unref(peer->bus);
  g_free(peer);
}

const char *
eppd_peer_owner(const EppdPeer *peer)
{
  return peer->owner;
}

void
eppd_peer_listen(EppdPeer *peer,
                 const EppdPeerObject *object,
                 const char *signal,
                 const char *type,
                 EppdPeerHeard heard,
                 gpointer data)
{
  subscribe(peer, object, signal, NULL, type, heard, data);
}

void
eppd_peer_listen_for_properties(EppdPeer *peer,
                                const EppdPeerObject *object,
                                EppdPeerHeard heard,
                                gpointer data)
{
  const EppdPeerObject properties = {object->path, PROPERTIES};

  subscribe(peer, &properties, "PropertiesChanged", object->interface, "(sa{sv}as)", heard, data);
}

void
eppd_peer_ask(EppdPeer *peer,
              const EppdPeerObject *object,
              const char *method,
              GVariant *parameters,
              const char *reply_type,
              EppdPeerAnswered answered,
              gpointer data)
{
  ask(peer, peer->owner, object, method, parameters, reply_type, answered, data);
}

void
eppd_peer_ask_process(EppdPeer *peer, EppdPeerAnswered answered, gpointer data)
{
  static const EppdPeerObject bus = {"/org/freedesktop/DBus", BUS};

  ask(peer, BUS, &bus, "GetConnectionUnixProcessID", g_variant_new("(s)", peer->owner), "(u)",
      answered, data);
}

void
eppd_peer_forget(EppdPeer *peer, gpointer data)
{
  g_hash_table_remove(peer->ties, data);
}
