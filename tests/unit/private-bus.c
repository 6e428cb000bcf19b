/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private-bus.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLAIN_UID 65534

struct _PrivateBus {
  GSubprocess *daemon;
  char *dir;
  char *config;
  char *socket;
  char *address;
};

/* As open as a session bus, to other users too, and with a session bus's limits. */
static const char config_format[] =
    "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\"\n"
    " \"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">\n"
    "<busconfig>\n"
    "  <listen>unix:path=%s</listen>\n"
    "  <auth>EXTERNAL</auth>\n"
    "  <policy context=\"default\">\n"
    "    <allow user=\"*\"/>\n"
    "    <allow own=\"*\"/>\n"
    "    <allow send_destination=\"*\" eavesdrop=\"true\"/>\n"
    "    <allow receive_sender=\"*\" eavesdrop=\"true\"/>\n"
    "  </policy>\n"
    "  <limit name=\"max_replies_per_connection\">%u</limit>\n"
    "</busconfig>\n";

static void
die_with_parent(gpointer data)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void
read_address(PrivateBus *bus)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GDataInputStream) lines =
      g_data_input_stream_new(g_subprocess_get_stdout_pipe(bus->daemon));

  bus->address = g_data_input_stream_read_line(lines, NULL, NULL, &error);
  g_assert_no_error(error);
  g_assert_nonnull(bus->address);
}

PrivateBus *
private_bus_new_with_replies(guint max_replies)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GSubprocessLauncher) launcher =
      g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDOUT_PIPE);
  PrivateBus *bus = g_new0(PrivateBus, 1);
  g_autofree char *text = NULL;

  bus->dir = g_dir_make_tmp("eppd-bus-XXXXXX", &error);
  g_assert_no_error(error);
  g_assert_cmpint(chmod(bus->dir, 0755), ==, 0);
  bus->socket = g_build_filename(bus->dir, "socket", NULL);
  bus->config = g_build_filename(bus->dir, "bus.conf", NULL);
  text = g_strdup_printf(config_format, bus->socket, max_replies);
  g_file_set_contents(bus->config, text, -1, &error);
  g_assert_no_error(error);

  g_subprocess_launcher_set_child_setup(launcher, die_with_parent, NULL, NULL);
  bus->daemon =
      g_subprocess_launcher_spawn(launcher, &error, "dbus-daemon", "--nofork", "--config-file",
                                  bus->config, "--print-address=1", NULL);
  g_assert_no_error(error);
  read_address(bus);
  return bus;
}

PrivateBus *
private_bus_new(void)
{
  return private_bus_new_with_replies(50000);
}

void
private_bus_free(PrivateBus *bus)
{
  g_subprocess_force_exit(bus->daemon);
  g_subprocess_wait(bus->daemon, NULL, NULL);
  g_object_unref(bus->daemon);
  g_unlink(bus->socket);
  g_unlink(bus->config);
  g_rmdir(bus->dir);
  g_free(bus->dir);
  g_free(bus->config);
  g_free(bus->socket);
  g_free(bus->address);
  g_free(bus);
}

GDBusConnection *
private_bus_connect(PrivateBus *bus)
{
  g_autoptr(GError) error = NULL;
  GDBusConnection *connection =
      g_dbus_connection_new_for_address_sync(bus->address,
                                             G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                                 G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                             NULL, NULL, &error);

  g_assert_no_error(error);
  return connection;
}

GDBusConnection *
private_bus_connect_as(PrivateBus *bus, uid_t uid)
{
  uid_t own = geteuid();
  GDBusConnection *connection;

  /* The bus knows a user by the effective uid that connected. */
  g_assert_cmpint(seteuid(uid), ==, 0);
  connection = private_bus_connect(bus);
  g_assert_cmpint(seteuid(own), ==, 0);
  return connection;
}

uid_t
private_bus_plain_uid(void)
{
  return geteuid() == 0 ? PLAIN_UID : geteuid();
}

void
private_bus_disconnect(GDBusConnection *connection)
{
  g_autoptr(GError) error = NULL;

  g_dbus_connection_close_sync(connection, NULL, &error);
  g_assert_no_error(error);
  g_object_unref(connection);
}

void
private_bus_own_name(GDBusConnection *connection, const char *name)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply = NULL;

  reply = g_dbus_connection_call_sync(
      connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
      "RequestName",
      g_variant_new("(su)", name,
                    G_BUS_NAME_OWNER_FLAGS_ALLOW_REPLACEMENT | G_BUS_NAME_OWNER_FLAGS_REPLACE),
      NULL, G_DBUS_CALL_FLAGS_NONE, G_MAXINT, NULL, &error);
  g_assert_no_error(error);
}

void
private_bus_answer(GDBusMethodInvocation *invocation, GVariant *body)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GDBusMessage) reply =
      g_dbus_message_new_method_reply(g_dbus_method_invocation_get_message(invocation));

  g_dbus_message_set_body(reply, body);
  g_dbus_connection_send_message(g_dbus_method_invocation_get_connection(invocation), reply,
                                 G_DBUS_SEND_MESSAGE_FLAGS_NONE, NULL, &error);
  g_assert_no_error(error);
  g_object_unref(invocation);
}

static void
got_pong(GObject *source, GAsyncResult *result, gpointer data)
{
  bool *is_done = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply =
      g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);

  g_assert_no_error(error);
  g_assert_nonnull(reply);
  *is_done = true;
}

void
private_bus_settle(GDBusConnection *connection)
{
  bool is_done = false;

  g_dbus_connection_call(connection, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                         "org.freedesktop.DBus.Peer", "Ping", NULL, NULL, G_DBUS_CALL_FLAGS_NONE,
                         G_MAXINT, NULL, got_pong, &is_done);
  private_bus_wait(&is_done);
}

void
private_bus_wait(const bool *flag)
{
  while (!*flag)
    g_main_context_iteration(NULL, TRUE);
}
