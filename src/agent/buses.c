/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/buses.h"

#include "base/log.h"

#define TOPIC "agent"

struct _EppdBuses {
  void (*opened)(GDBusConnection *system, GDBusConnection *session, gpointer data);
  void (*ended)(int exit_status, gpointer data);
  gpointer data;
  GDBusConnection *system;
  GDBusConnection *session;
};

static void
on_session_closed(GDBusConnection *bus, gboolean vanished, GError *error, gpointer data)
{
  EppdBuses *buses = data;

  eppd_notice(TOPIC, "the session bus went away, and the session with it");
  buses->ended(0, buses->data);
}

static void
on_system_closed(GDBusConnection *bus, gboolean vanished, GError *error, gpointer data)
{
  EppdBuses *buses = data;

  eppd_warning(TOPIC, "the system bus went away");
  buses->ended(1, buses->data);
}

/* @result's; NULL with @error. */
static GDBusConnection *
take(GAsyncResult *result, GCallback closed, EppdBuses *buses, GError **error)
{
  GDBusConnection *bus = g_bus_get_finish(result, error);

  if (bus) {
    g_dbus_connection_set_exit_on_close(bus, FALSE);
    g_signal_connect(bus, "closed", closed, buses);
  }
  return bus;
}

static void
on_session(GObject *source, GAsyncResult *result, gpointer data)
{
  EppdBuses *buses = data;
  g_autoptr(GError) error = NULL;

  buses->session = take(result, G_CALLBACK(on_session_closed), buses, &error);
  if (!buses->session)
    eppd_warning(TOPIC, "no session bus, so nobody tells of GameMode and launched programs: %s",
                 error->message);
  buses->opened(buses->system, buses->session, buses->data);
}

static void
on_system(GObject *source, GAsyncResult *result, gpointer data)
{
  EppdBuses *buses = data;
  g_autoptr(GError) error = NULL;

  buses->system = take(result, G_CALLBACK(on_system_closed), buses, &error);
  if (!buses->system) {
    eppd_warning(TOPIC, "could not reach the system bus: %s", error->message);
    buses->ended(1, buses->data);
    return;
  }
  g_bus_get(G_BUS_TYPE_SESSION, NULL, on_session, buses);
}

static void
close_bus(EppdBuses *buses, GDBusConnection *bus)
{
  if (!bus)
    return;
  g_signal_handlers_disconnect_by_data(bus, buses);
  g_dbus_connection_flush_sync(bus, NULL, NULL);
  g_object_unref(bus);
}

EppdBuses *
eppd_buses_new(void (*opened)(GDBusConnection *system, GDBusConnection *session, gpointer data),
               void (*ended)(int exit_status, gpointer data),
               gpointer data)
{
  EppdBuses *buses = g_new0(EppdBuses, 1);

  buses->opened = opened;
  buses->ended = ended;
  buses->data = data;
  g_bus_get(G_BUS_TYPE_SYSTEM, NULL, on_system, buses);
  return buses;
}

void
eppd_buses_free(EppdBuses *buses)
{
  close_bus(buses, buses->session);
  close_bus(buses, buses->system);
  g_free(buses);
}
