/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/client.h"

#include <glib/gi18n.h>
#include <signal.h>

#define NOT_AUTHORIZED "Not Authorized: "

/* GSocket ignores SIGPIPE for the whole process once it is used, and a command started later would
 * inherit that: put back what the caller had. GIO's own sends ask for no signal each. */
static GDBusConnection *
connect_to_bus(GError **error)
{
  struct sigaction pipe_action;
  GDBusConnection *bus;

  sigaction(SIGPIPE, NULL, &pipe_action);
  bus = g_bus_get_sync(G_BUS_TYPE_SYSTEM, NULL, error);
  sigaction(SIGPIPE, &pipe_action, NULL);
  return bus;
}

static gboolean
is_absent(const GError *error)
{
  return g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN) ||
         g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NAME_HAS_NO_OWNER);
}

static gboolean
is_silent(const GError *error)
{
  return g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NO_REPLY) ||
         g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_TIMEOUT) ||
         g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_TIMED_OUT) ||
         g_error_matches(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT);
}

static gboolean
is_foreign(const GError *error)
{
  return g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_METHOD) ||
         g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_INTERFACE) ||
         g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_OBJECT) ||
         g_error_matches(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
}

static gboolean
is_start_failure(const GError *error)
{
  g_autofree char *name = g_dbus_error_get_remote_error(error);

  return name && g_str_has_prefix(name, "org.freedesktop.DBus.Error.Spawn.");
}

/* The address tells where it should be: a file, most often. */
static void
set_no_bus(GError **error, const GError *cause)
{
  g_autofree char *address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SYSTEM, NULL, NULL);

  g_set_error(
      error, cause->domain, cause->code,
      _("no connection to the system bus at %s: %s: is dbus running (`systemctl status dbus`)?"),
      address ? address : _("its address"), cause->message);
}

/* A new message under the cause's domain and code, with the cause's text behind it. */
static GError *
reworded(GError *cause, gboolean with_cause, const char *message)
{
  g_autoptr(GError) error = cause;
  g_autofree char *text = NULL;

  text = with_cause ? g_strdup_printf("%s: %s", message, error->message) : g_strdup(message);
  return g_error_new_literal(error->domain, error->code, text);
}

/* The daemon says of which action, and in parentheses what went wrong, unless polkit said no. */
static GError *
explain_refusal(GError *error)
{
  g_autofree char *message = NULL;

  if (g_str_has_suffix(error->message, ")"))
    return error;
  message = g_strdup_printf(_("%s: polkit allows it to root and to the user of the active local "
                              "session, not to one that is switched away or remote"),
                            error->message);
  return reworded(error, FALSE, message);
}

GError *
eppd_client_explain_error(GError *error)
{
  gboolean start_failure = is_start_failure(error);

  g_dbus_error_strip_remote_error(error);
  if (g_str_has_prefix(error->message, NOT_AUTHORIZED))
    return explain_refusal(error);
  if (is_absent(error)) {
    g_autofree char *message = g_strdup_printf(
        _("eppd is not running (no owner of %s): start it with `systemctl start eppd`"),
        EPPD_BUS_NAME);

    return reworded(error, FALSE, message);
  }
  if (start_failure)
    return reworded(error, TRUE, _("eppd could not be started (see `systemctl status eppd`)"));
  if (is_silent(error))
    return reworded(
        error, FALSE,
        _("eppd does not answer: see `systemctl status eppd` and `journalctl -u eppd`"));
  if (is_foreign(error))
    return reworded(error, TRUE,
                    _("eppd and eppctl do not understand each other (are both of one version?)"));
  if (g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED) ||
      g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_AUTH_FAILED))
    return reworded(error, TRUE, _("not allowed"));
  return error;
}

void
eppd_client_clear(EppdClient *client)
{
  g_clear_object(&client->bus);
}

/* False with GDBus's own error. The end of the bus does not end the process. */
static gboolean
open_bus(EppdClient *client, GError **error)
{
  if (client->bus)
    return TRUE;
  client->bus = connect_to_bus(error);
  if (!client->bus)
    return FALSE;
  g_dbus_connection_set_exit_on_close(client->bus, FALSE);
  return TRUE;
}

GDBusConnection *
eppd_client_bus(EppdClient *client, GError **error)
{
  g_autoptr(GError) local_error = NULL;

  if (!open_bus(client, &local_error))
    set_no_bus(error, local_error);
  return client->bus;
}

GVariant *
eppd_client_call_remote(EppdClient *client,
                        const EppdRemote *remote,
                        const char *method,
                        GVariant *parameters,
                        const char *reply_type,
                        GDBusCallFlags flags,
                        int timeout_ms,
                        GError **error)
{
  g_autoptr(GVariant) sunk = parameters ? g_variant_ref_sink(parameters) : NULL;

  if (!open_bus(client, error))
    return NULL;
  return g_dbus_connection_call_sync(client->bus, remote->bus_name, remote->path, remote->interface,
                                     method, sunk, G_VARIANT_TYPE(reply_type), flags, timeout_ms,
                                     NULL, error);
}

static GVariant *
call_interface(EppdClient *client,
               const char *interface,
               const char *method,
               GVariant *parameters,
               const char *reply_type,
               GDBusCallFlags flags,
               int timeout_ms,
               GError **error)
{
  const EppdRemote remote = {EPPD_BUS_NAME, EPPD_OBJECT_PATH, interface};
  g_autoptr(GVariant) sunk = parameters ? g_variant_ref_sink(parameters) : NULL;
  g_autoptr(GError) local_error = NULL;
  GVariant *reply;

  if (!eppd_client_bus(client, error))
    return NULL;
  reply = eppd_client_call_remote(client, &remote, method, sunk, reply_type, flags, timeout_ms,
                                  &local_error);
  if (!reply)
    g_propagate_error(error, eppd_client_explain_error(g_steal_pointer(&local_error)));
  return reply;
}

GVariant *
eppd_client_call(EppdClient *client,
                 const char *method,
                 GVariant *parameters,
                 const char *reply_type,
                 GDBusCallFlags flags,
                 int timeout_ms,
                 GError **error)
{
  return call_interface(client, EPPD_INTERFACE, method, parameters, reply_type, flags, timeout_ms,
                        error);
}

GVariant *
eppd_client_properties(EppdClient *client, int timeout_ms, GError **error)
{
  g_autoptr(GVariant) reply = NULL;

  reply = call_interface(client, "org.freedesktop.DBus.Properties", "GetAll",
                         g_variant_new("(s)", EPPD_INTERFACE), "(a{sv})", G_DBUS_CALL_FLAGS_NONE,
                         timeout_ms, error);
  return reply ? g_variant_get_child_value(reply, 0) : NULL;
}

GVariant *
eppd_client_get(EppdClient *client, const char *method, const char *type, GError **error)
{
  g_autofree char *reply_type = g_strdup_printf("(%s)", type);
  g_autoptr(GVariant) reply = NULL;

  reply = eppd_client_call(client, method, NULL, reply_type, G_DBUS_CALL_FLAGS_NONE,
                           EPPD_CALL_TIMEOUT_MS, error);
  return reply ? g_variant_get_child_value(reply, 0) : NULL;
}
