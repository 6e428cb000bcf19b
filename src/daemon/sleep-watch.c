/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/sleep-watch.h"

#include "base/log.h"
#include "bus/peer.h"

#include <gio/gunixfdlist.h>
#include <glib/gstdio.h>

#define TOPIC  "sleep"
#define LOGIND "org.freedesktop.login1"

static const EppdPeerObject manager = {"/org/freedesktop/login1", LOGIND ".Manager"};

struct _EppdSleepWatch {
  EppdPeer *logind;
  void (*changed)(bool sleeps, gpointer data);
  gpointer data;
  int inhibitor_fd; /* -1: none. What is asked for one goes with its address. */
  bool sleeps;
};

/* An answer that is on its way gives its descriptor to nobody, and so is closed too. */
static void
drop_inhibitor(EppdSleepWatch *watch)
{
  eppd_peer_forget(watch->logind, &watch->inhibitor_fd);
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
got_inhibitor(GVariant *reply, GUnixFDList *fds, const GError *error, gpointer data)
{
  int *inhibitor_fd = data;
  g_autoptr(GError) fd_error = NULL;

  if (reply)
    *inhibitor_fd = get_fd(reply, fds, &fd_error);
  if (!reply || fd_error)
    eppd_warning(TOPIC, "no delay inhibitor, ignoring: %s", (reply ? fd_error : error)->message);
}

static void
take_inhibitor(EppdSleepWatch *watch)
{
  drop_inhibitor(watch);
  eppd_peer_ask(watch->logind, &manager, "Inhibit",
                g_variant_new("(ssss)", "sleep", "eppd", "Cores must not sleep boosted", "delay"),
                "(h)", got_inhibitor, &watch->inhibitor_fd);
}

static void
tell(EppdSleepWatch *watch, bool sleeps)
{
  eppd_debug(TOPIC, sleeps ? "the machine is about to sleep" : "the machine is awake");
  watch->sleeps = sleeps;
  watch->changed(sleeps, watch->data);
}

static void
on_prepare_for_sleep(GVariant *parameters, gpointer data)
{
  EppdSleepWatch *watch = data;
  gboolean sleeps;

  g_variant_get(parameters, "(b)", &sleeps);
  tell(watch, sleeps);
  if (sleeps)
    drop_inhibitor(watch);
  else
    take_inhibitor(watch);
}

static void
came(gpointer data)
{
  EppdSleepWatch *watch = data;

  eppd_peer_listen(watch->logind, &manager, "PrepareForSleep", "(b)", on_prepare_for_sleep, watch);
  take_inhibitor(watch);
}

static void
left(gpointer data)
{
  EppdSleepWatch *watch = data;

  drop_inhibitor(watch);
  if (watch->sleeps)
    tell(watch, false);
}

EppdSleepWatch *
eppd_sleep_watch_new(GDBusConnection *bus,
                     void (*changed)(bool sleeps, gpointer data),
                     gpointer data)
{
  EppdSleepWatch *watch = g_new0(EppdSleepWatch, 1);

  watch->changed = changed;
  watch->data = data;
  watch->inhibitor_fd = -1;
  watch->logind = eppd_peer_new(bus, TOPIC, LOGIND, came, left, watch);
  return watch;
}

void
eppd_sleep_watch_free(EppdSleepWatch *watch)
{
  drop_inhibitor(watch);
  eppd_peer_free(watch->logind);
  g_free(watch);
}
