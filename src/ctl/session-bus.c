/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/session-bus.h"

#include <glib/gi18n.h>
#include <signal.h>

/* Not g_dbus_address_get_for_bus_sync(): where there is no bus it starts one. */
static char *
find_address(void)
{
  const char *address = g_getenv("DBUS_SESSION_BUS_ADDRESS");
  const char *runtime_dir = g_getenv("XDG_RUNTIME_DIR");
  g_autofree char *path = NULL;
  g_autofree char *escaped = NULL;

  if (address && *address)
    return g_strdup(address);
  if (!runtime_dir || !g_path_is_absolute(runtime_dir))
    return NULL;
  path = g_build_filename(runtime_dir, "bus", NULL);
  if (!g_file_test(path, G_FILE_TEST_EXISTS))
    return NULL;
  escaped = g_dbus_address_escape_value(path);
  return g_strconcat("unix:path=", escaped, NULL);
}

static gboolean
on_timeout(gpointer cancellable)
{
  g_cancellable_cancel(cancellable);
  return G_SOURCE_CONTINUE;
}

static void
keep_result(GObject *source, GAsyncResult *result, gpointer data)
{
  GAsyncResult **kept = data;

  *kept = g_object_ref(result);
}

static GDBusConnection *
open_address(const char *address, int timeout_ms, GError **error)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GAsyncResult) result = NULL;
  guint timeout_id = g_timeout_add((guint)timeout_ms, on_timeout, cancellable);

  /* What listens there may never answer. */
  g_dbus_connection_new_for_address(address,
                                    G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                        G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                    NULL, cancellable, keep_result, &result);
  while (!result)
    g_main_context_iteration(NULL, TRUE);
  g_source_remove(timeout_id);
  return g_dbus_connection_new_for_address_finish(result, error);
}

GDBusConnection *
eppd_session_bus_open(int timeout_ms, GError **error)
{
  g_autofree char *address = find_address();
  struct sigaction pipe_action;
  g_autoptr(GError) local_error = NULL;
  GDBusConnection *bus;

  if (!address) {
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, _("there is no session bus"));
    return NULL;
  }
  /* GSocket ignores SIGPIPE from its first use on: see client.c. */
  sigaction(SIGPIPE, NULL, &pipe_action);
  bus = open_address(address, timeout_ms, &local_error);
  sigaction(SIGPIPE, &pipe_action, NULL);
  if (!bus)
    g_set_error(error, local_error->domain, local_error->code,
                _("no connection to the session bus: %s"), local_error->message);
  return bus;
}
