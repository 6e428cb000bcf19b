/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/launch-watch.h"

#include <string.h>

#define LAUNCHER  "org.gtk.gio.DesktopAppInfo"
#define PATH      "/org/gtk/gio/DesktopAppInfo"
#define SIGNATURE "(aysxasa{sv})"
#define SUFFIX    ".desktop"

struct _EppdLaunchWatch {
  GDBusConnection *bus;
  void (*launched)(pid_t pid, const EppdGameIdentity *identity, gpointer data);
  gpointer data;
  guint signal_id;
};

/* Of the file's path, or its id where the launcher has no path. */
static EppdGameIdentity *
identity_of(const char *file)
{
  g_autofree char *id = NULL;

  if (*file == '/')
    return eppd_game_identity_new(EPPD_IDENTITY_DESKTOP_FILE, file);
  if (!g_str_has_suffix(file, SUFFIX))
    return NULL;
  id = g_strndup(file, strlen(file) - strlen(SUFFIX));
  return eppd_game_identity_new(EPPD_IDENTITY_DESKTOP_ID, id);
}

static void
on_launched(GDBusConnection *bus,
            const char *sender,
            const char *path,
            const char *interface,
            const char *signal,
            GVariant *parameters,
            gpointer data)
{
  EppdLaunchWatch *watch = data;
  g_autoptr(EppdGameIdentity) identity = NULL;
  const char *file;
  gint64 pid;

  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE(SIGNATURE)))
    return;
  g_variant_get(parameters, "(^&ay&sx@as@a{sv})", &file, NULL, &pid, NULL, NULL);
  identity = identity_of(file);
  if (identity && pid > 0 && pid <= G_MAXINT32)
    watch->launched((pid_t)pid, identity, watch->data);
}

EppdLaunchWatch *
eppd_launch_watch_new(GDBusConnection *bus,
                      void (*launched)(pid_t pid, const EppdGameIdentity *identity, gpointer data),
                      gpointer data)
{
  EppdLaunchWatch *watch = g_new0(EppdLaunchWatch, 1);

  watch->bus = g_object_ref(bus);
  watch->launched = launched;
  watch->data = data;
  watch->signal_id =
      g_dbus_connection_signal_subscribe(bus, NULL, LAUNCHER, "Launched", PATH, NULL,
                                         G_DBUS_SIGNAL_FLAGS_NONE, on_launched, watch, NULL);
  return watch;
}

void
eppd_launch_watch_free(EppdLaunchWatch *watch)
{
  g_dbus_connection_signal_unsubscribe(watch->bus, watch->signal_id);
  g_object_unref(watch->bus);
  g_free(watch);
}
