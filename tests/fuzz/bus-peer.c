/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus-peer.h"

#include <sys/socket.h>

#define BUS_NAME      "org.freedesktop.DBus"
#define BUS_PATH      "/org/freedesktop/DBus"
#define BUS_INTERFACE BUS_NAME
#define DAEMON_NAME   ":1.0"

struct _BusPeer {
  GDBusConnection *ours;
  GDBusConnection *daemon;
  guint n_waiting; /* calls without a reply */
  bool is_settled;
  /* What answers consist of: they are given in GDBus's thread. */
  GMutex mutex;
  guint32 uid;
  GVariant *polkit;
  GVariant *service;
};

typedef struct {
  BusPeer *peer;
  guint sender;
  BusPeerDone done;
  gpointer data;
} Call;

/* ---- what the daemon asks ---- */

static const char *
owner_of(const char *name)
{
  if (g_str_equal(name, "org.freedesktop.login1"))
    return BUS_PEER_LOGIND;
  if (g_str_equal(name, "org.freedesktop.UPower"))
    return BUS_PEER_UPOWER;
  /* All clients are there until they leave. */
  return g_dbus_is_unique_name(name) ? name : NULL;
}

/* Floating; NULL: an error. */
static GVariant *
answer_name(GDBusMessage *message)
{
  GVariant *body = g_dbus_message_get_body(message);
  const char *name;

  if (!body || !g_variant_is_of_type(body, G_VARIANT_TYPE("(s)")))
    return NULL;
  g_variant_get(body, "(&s)", &name);
  name = owner_of(name);
  return name ? g_variant_new("(s)", name) : NULL;
}

/* Floating or a reference of the caller's; NULL: an error. */
static GVariant *
make_answer(BusPeer *peer, GDBusMessage *message)
{
  const char *member = g_dbus_message_get_member(message);
  const char *destination = g_dbus_message_get_destination(message);

  if (g_strcmp0(destination, BUS_NAME) != 0) {
    GVariant *body =
        g_strcmp0(destination, "org.freedesktop.PolicyKit1") == 0 ? peer->polkit : peer->service;

    return body ? g_variant_ref(body) : NULL;
  }
  if (g_str_equal(member, "Hello"))
    return g_variant_new("(s)", DAEMON_NAME);
  if (g_str_equal(member, "GetConnectionUnixUser"))
    return g_variant_new("(u)", peer->uid);
  if (g_str_equal(member, "GetNameOwner"))
    return answer_name(message);
  if (g_str_equal(member, "StartServiceByName"))
    return NULL;
  return g_variant_new("()");
}

static void
answer(BusPeer *peer, GDBusConnection *connection, GDBusMessage *message)
{
  g_autoptr(GDBusMessage) reply = NULL;
  g_autoptr(GVariant) body = NULL;

  g_mutex_lock(&peer->mutex);
  body = make_answer(peer, message);
  if (body)
    body = g_variant_take_ref(body);
  g_mutex_unlock(&peer->mutex);
  if (body) {
    reply = g_dbus_message_new_method_reply(message);
    g_dbus_message_set_body(reply, body);
  } else {
    reply = g_dbus_message_new_method_error_literal(
        message, "org.freedesktop.DBus.Error.NameHasNoOwner", "Nobody is there");
  }
  g_dbus_message_set_sender(reply, BUS_NAME);
  g_dbus_connection_send_message(connection, reply, G_DBUS_SEND_MESSAGE_FLAGS_NONE, NULL, NULL);
}

/* In GDBus's thread. */
static GDBusMessage *
on_message(GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer data)
{
  GDBusMessageType type = g_dbus_message_get_message_type(message);

  /* What we send, and the replies to it, go their way. */
  if (!incoming || type == G_DBUS_MESSAGE_TYPE_METHOD_RETURN || type == G_DBUS_MESSAGE_TYPE_ERROR)
    return message;
  if (type == G_DBUS_MESSAGE_TYPE_METHOD_CALL &&
      (g_dbus_message_get_flags(message) & G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED) == 0)
    answer(data, connection, message);
  g_object_unref(message);
  return NULL;
}

void
bus_peer_set_uid(BusPeer *peer, guint32 uid)
{
  g_mutex_lock(&peer->mutex);
  peer->uid = uid;
  g_mutex_unlock(&peer->mutex);
}

static void
set_body(BusPeer *peer, GVariant **place, GVariant *body)
{
  g_mutex_lock(&peer->mutex);
  g_clear_pointer(place, g_variant_unref);
  *place = body ? g_variant_ref(body) : NULL;
  g_mutex_unlock(&peer->mutex);
}

void
bus_peer_set_polkit(BusPeer *peer, GVariant *body)
{
  set_body(peer, &peer->polkit, body);
}

void
bus_peer_set_service(BusPeer *peer, GVariant *body)
{
  set_body(peer, &peer->service, body);
}

/* ---- what others send ---- */

/* A bus hands on no other message: GDBus would take the connection for broken. */
static bool
is_valid(GDBusMessage *message)
{
  gsize size;
  g_autofree guchar *blob =
      g_dbus_message_to_blob(message, &size, G_DBUS_CAPABILITY_FLAGS_UNIX_FD_PASSING, NULL);
  g_autoptr(GDBusMessage) again =
      blob ? g_dbus_message_new_from_blob(blob, size, G_DBUS_CAPABILITY_FLAGS_UNIX_FD_PASSING, NULL)
           : NULL;

  return again != NULL;
}

static void
got_reply(GObject *source, GAsyncResult *result, gpointer data)
{
  Call *call = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GDBusMessage) reply =
      g_dbus_connection_send_message_with_reply_finish(G_DBUS_CONNECTION(source), result, &error);

  /* Each call is answered, if with an error: that is a reply here. */
  g_assert_no_error(error);
  call->peer->n_waiting--;
  call->done(reply, call->sender, call->data);
  g_free(call);
}

bool
bus_peer_call(BusPeer *peer,
              guint sender,
              const char *path,
              const char *interface,
              const char *method,
              GVariant *body,
              GUnixFDList *fds,
              BusPeerDone done,
              gpointer data)
{
  g_autofree char *name = g_strdup_printf(":1.%u", sender);
  g_autoptr(GDBusMessage) message = NULL;
  Call *call;

  if (!g_dbus_is_interface_name(interface) || !g_dbus_is_member_name(method))
    return false;
  message = g_dbus_message_new_method_call(DAEMON_NAME, path, interface, method);
  g_dbus_message_set_sender(message, name);
  g_dbus_message_set_serial(message, 1);
  if (body)
    g_dbus_message_set_body(message, body);
  if (!is_valid(message))
    return false;
  g_dbus_message_set_unix_fd_list(message, fds);

  call = g_new0(Call, 1);
  *call = (Call){.peer = peer, .sender = sender, .done = done, .data = data};
  peer->n_waiting++;
  g_dbus_connection_send_message_with_reply(peer->ours, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE,
                                            G_MAXINT, NULL, NULL, got_reply, call);
  return true;
}

void
bus_peer_signal(BusPeer *peer,
                const char *sender,
                const char *path,
                const char *interface,
                const char *signal,
                GVariant *body)
{
  g_autoptr(GDBusMessage) message = NULL;

  if (!g_dbus_is_member_name(signal))
    return;
  message = g_dbus_message_new_signal(path, interface, signal);
  g_dbus_message_set_sender(message, sender);
  g_dbus_message_set_serial(message, 1);
  if (body)
    g_dbus_message_set_body(message, body);
  if (is_valid(message))
    g_dbus_connection_send_message(peer->ours, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, NULL, NULL);
}

void
bus_peer_leave(BusPeer *peer, guint sender)
{
  g_autofree char *name = g_strdup_printf(":1.%u", sender);

  bus_peer_signal(peer, BUS_NAME, BUS_PATH, BUS_INTERFACE, "NameOwnerChanged",
                  g_variant_new("(sss)", name, name, ""));
}

/* ---- waiting ---- */

void
bus_peer_wait(BusPeer *peer)
{
  while (peer->n_waiting > 0)
    g_main_context_iteration(NULL, TRUE);
}

static void
got_settled(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply =
      g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);

  g_assert_no_error(error);
  g_assert_nonnull(reply);
  *(bool *)data = true;
}

void
bus_peer_settle(BusPeer *peer)
{
  bus_peer_wait(peer);
  peer->is_settled = false;
  g_dbus_connection_call(peer->daemon, BUS_NAME, BUS_PATH, BUS_INTERFACE, "Settle", NULL, NULL,
                         G_DBUS_CALL_FLAGS_NONE, G_MAXINT, NULL, got_settled, &peer->is_settled);
  while (!peer->is_settled)
    g_main_context_iteration(NULL, TRUE);
  while (g_main_context_iteration(NULL, FALSE))
    ;
}

/* ---- the pair ---- */

static GIOStream *
make_stream(int fd)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GSocket) socket = g_socket_new_from_fd(fd, &error);

  g_assert_no_error(error);
  return G_IO_STREAM(g_socket_connection_factory_create_connection(socket));
}

static void
got_connection(GObject *source, GAsyncResult *result, gpointer data)
{
  GDBusConnection **connection = data;
  g_autoptr(GError) error = NULL;

  *connection = g_dbus_connection_new_finish(result, &error);
  g_assert_no_error(error);
}

static void
wait_for(GDBusConnection **connection)
{
  while (!*connection)
    g_main_context_iteration(NULL, TRUE);
}

BusPeer *
bus_peer_new(void)
{
  BusPeer *peer = g_new0(BusPeer, 1);
  g_autofree char *guid = g_dbus_generate_guid();
  g_autoptr(GIOStream) our_stream = NULL;
  g_autoptr(GIOStream) daemon_stream = NULL;
  int fds[2];

  g_mutex_init(&peer->mutex);
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), ==, 0);
  our_stream = make_stream(fds[0]);
  daemon_stream = make_stream(fds[1]);
  g_dbus_connection_new(our_stream, guid,
                        G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_SERVER |
                            G_DBUS_CONNECTION_FLAGS_DELAY_MESSAGE_PROCESSING,
                        NULL, NULL, got_connection, &peer->ours);
  g_dbus_connection_new(daemon_stream, NULL,
                        G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                            G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                        NULL, NULL, got_connection, &peer->daemon);
  wait_for(&peer->ours);
  g_dbus_connection_add_filter(peer->ours, on_message, peer, NULL);
  g_dbus_connection_start_message_processing(peer->ours);
  wait_for(&peer->daemon);
  return peer;
}

GDBusConnection *
bus_peer_daemon(BusPeer *peer)
{
  return peer->daemon;
}
