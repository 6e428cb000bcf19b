/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/session-watch.h"

struct _EppdSessionWatch {
  GDBusConnection *bus;
  void (*changed)(gpointer data);
  gpointer data;
  guint signal_id;
};

static void
on_properties(GDBusConnection *bus,
              const char *sender,
              const char *path,
              const char *interface,
              const char *signal,
              GVariant *parameters,
              gpointer data)
{
  EppdSessionWatch *watch = data;
  g_autoptr(GVariant) changed = NULL;
  g_autoptr(GVariant) active = NULL;

  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(sa{sv}as)")))
    return;
  g_variant_get(parameters, "(&s@a{sv}^a&s)", NULL, &changed, NULL);
  active = g_variant_lookup_value(changed, "Active", NULL);
  /* The last thing: the listener may free us. */
  if (active)
    watch->changed(watch->data);
}

EppdSessionWatch *
eppd_session_watch_new(GDBusConnection *system_bus, void (*changed)(gpointer data), gpointer data)
{
  EppdSessionWatch *watch = g_new0(EppdSessionWatch, 1);

  watch->bus = g_object_ref(system_bus);
  watch->changed = changed;
  watch->data = data;
  watch->signal_id = g_dbus_connection_signal_subscribe(
      system_bus, "org.freedesktop.login1", "org.freedesktop.DBus.Properties", "PropertiesChanged",
      NULL, "org.freedesktop.login1.Session", G_DBUS_SIGNAL_FLAGS_NONE, on_properties, watch, NULL);
  return watch;
}

void
eppd_session_watch_free(EppdSessionWatch *watch)
{
  g_dbus_connection_signal_unsubscribe(watch->bus, watch->signal_id);
  g_object_unref(watch->bus);
  g_free(watch);
}
