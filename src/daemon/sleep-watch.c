/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/sleep-watch.h"

#include "base/log.h"

#include <gio/gunixfdlist.h>
#include <glib/gstdio.h>

#define LOGIND_NAME      "org.freedesktop.login1"
#define LOGIND_PATH      "/org/freedesktop/login1"
#define LOGIND_INTERFACE "org.freedesktop.login1.Manager"

struct _EppdSleepWatch {
  GDBusConnection *bus;
  void (*changed)(bool sleeps, gpointer data);
  gpointer data;
  guint watch_id;
  /* The unique name of who is logind now, so that nobody else's signal is taken for its; NULL while
   * nobody is. */
  char *owner;
  guint signal_id;
  GCancellable *cancellable; /* of the question for an inhibitor, while it runs */
  int inhibitor_fd;          /* -1: none */
  bool sleeps;
};

/* An answer that is on its way gives its descriptor to nobody, and so is closed too. */
static void
drop_inhibitor(EppdSleepWatch *watch)
{
  if (watch->cancellable)
    g_cancellable_cancel(watch->cancellable);
  g_clear_object(&watch->cancellable);
  if (watch->inhibitor_fd >= 0)
    g_close(watch->inhibitor_fd, NULL);
  watch->inhibitor_fd = -1;
}

/* A descriptor of our own, -1 on failure. @fds may be NULL. */
static int
get_fd(GVariant *reply, GUnixFDList *fds, GError **error)
{
  int n_fds = fds ? g_unix_fd_list_get_length(fds) : 0;
  gint32 handle;

  g_variant_get(reply, "(h)", &handle);
  if (handle < 0 || handle >= n_fds) {
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                        "The answer has no file descriptor");
    return -1;
  }
  return g_unix_fd_list_get(fds, handle, error);
}

static void
got_inhibitor(GObject *source, GAsyncResult *result, gpointer data)
{
  EppdSleepWatch *watch = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GUnixFDList) fds = NULL;
  g_autoptr(GVariant) reply = g_dbus_connection_call_with_unix_fd_list_finish(
      G_DBUS_CONNECTION(source), &fds, result, &error);

  /* Cancelled by us: the watch may be gone. A remote error can carry the same code. */
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED) &&
      !g_dbus_error_is_remote_error(error))
    return;

  g_clear_object(&watch->cancellable);
  if (reply)
    watch->inhibitor_fd = get_fd(reply, fds, &error);
  if (error)
    eppd_warning("sleep", "no delay inhibitor, ignoring: %s", error->message);
}

static void
take_inhibitor(EppdSleepWatch *watch)
{
  drop_inhibitor(watch);
  watch->cancellable = g_cancellable_new();
  g_dbus_connection_call_with_unix_fd_list(
      watch->bus, watch->owner, LOGIND_PATH, LOGIND_INTERFACE, "Inhibit",
      g_variant_new("(ssss)", "sleep", "eppd", "Cores must not sleep boosted", "delay"),
      G_VARIANT_TYPE("(h)"), G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, watch->cancellable,
      got_inhibitor, watch);
}

static void
tell(EppdSleepWatch *watch, bool sleeps)
{
  eppd_debug("sleep", sleeps ? "the machine is about to sleep" : "the machine is awake");
  watch->sleeps = sleeps;
  watch->changed(sleeps, watch->data);
}

static void
prepare_for_sleep(GDBusConnection *bus,
                  const char *sender,
                  const char *path,
                  const char *interface,
                  const char *signal,
                  GVariant *parameters,
                  gpointer data)
{
  EppdSleepWatch *watch = data;
  gboolean sleeps;

  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(b)"))) {
    eppd_warning("sleep", "ignoring a PrepareForSleep of the type %s",
                 g_variant_get_type_string(parameters));
    return;
  }

  g_variant_get(parameters, "(b)", &sleeps);
  tell(watch, sleeps);
  if (sleeps)
    drop_inhibitor(watch);
  else
    take_inhibitor(watch);
}

static void
came(GDBusConnection *bus, const char *name, const char *owner, gpointer data)
{
  EppdSleepWatch *watch = data;

  watch->owner = g_strdup(owner);
  watch->signal_id = g_dbus_connection_signal_subscribe(
      watch->bus, owner, LOGIND_INTERFACE, "PrepareForSleep", LOGIND_PATH, NULL,
      G_DBUS_SIGNAL_FLAGS_NONE, prepare_for_sleep, watch, NULL);
  take_inhibitor(watch);
}

static void
forget_owner(EppdSleepWatch *watch)
{
  if (!watch->owner)
    return;
  drop_inhibitor(watch);
  g_dbus_connection_signal_unsubscribe(watch->bus, watch->signal_id);
  g_clear_pointer(&watch->owner, g_free);
}

static void
left(GDBusConnection *bus, const char *name, gpointer data)
{
  EppdSleepWatch *watch = data;

  forget_owner(watch);
  if (watch->sleeps)
    tell(watch, false);
}

EppdSleepWatch *
eppd_sleep_watch_new(GDBusConnection *bus,
                     void (*changed)(bool sleeps, gpointer data),
                     gpointer data)
{
  EppdSleepWatch *watch = g_new0(EppdSleepWatch, 1);

  watch->bus = g_object_ref(bus);
  watch->changed = changed;
  watch->data = data;
  watch->inhibitor_fd = -1;
  watch->watch_id = g_bus_watch_name_on_connection(bus, LOGIND_NAME, G_BUS_NAME_WATCHER_FLAGS_NONE,
                                                   came, left, watch, NULL);
  return watch;
}

void
eppd_sleep_watch_free(EppdSleepWatch *watch)
{
  g_bus_unwatch_name(watch->watch_id);
  forget_owner(watch);
  g_object_unref(watch->bus);
  g_free(watch);
}
