/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/service.h"

#include "base/log.h"
#include "daemon/eppd1.h"
#include "daemon/owner-lock.h"
#include "daemon/power-profiles.h"
#include "daemon/priority.h"

#include <errno.h>
#include <glib-unix.h>
#include <sys/resource.h>

/* How long a predecessor may take to restore and go, when it was replaced or is just being stopped.
 */
#define LOCK_WAIT_USEC (15 * G_USEC_PER_SEC)

/* All of them, or none: who has one is asked for what the others offer. The first is asked for
 * first, so that of two that start at once only one goes on. */
static const char *const names[] = {
    EPPD1_BUS_NAME,
    EPPD_POWER_PROFILES_MODERN_NAME,
    EPPD_POWER_PROFILES_LEGACY_NAME,
};

typedef struct {
  const EppdServiceOptions *options;
  GMainLoop *loop;
  int exit_status;
  bool stopping;

  GDBusConnection *bus;
  guint n_names; /* of names, ours */
  EppdAuthority *authority;
  EppdClients *clients;
  EppdRequestQueue *queue;
  EppdEppd1 *eppd1;
  EppdPowerProfiles *power_profiles;
  EppdOwnerLock *lock;
  EppdController *controller;
} Service;

static void
stop(Service *service, int exit_status)
{
  if (service->stopping)
    return;
  service->stopping = true;
  service->exit_status = exit_status;
  g_main_loop_quit(service->loop);
}

static gboolean
on_stop_signal(gpointer data)
{
  Service *service = data;

  eppd_info("eppd", "told to stop");
  stop(service, 0);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_hangup(gpointer data)
{
  Service *service = data;

  if (service->controller)
    eppd_controller_reload(service->controller);
  return G_SOURCE_CONTINUE;
}

/* ---- what the parts tell each other ---- */

static void
on_controller_changed(gpointer data)
{
  Service *service = data;

  eppd_eppd1_changed(service->eppd1);
  eppd_power_profiles_changed(service->power_profiles);
}

static void
on_controller_edges(gpointer data)
{
  Service *service = data;

  eppd_eppd1_edges(service->eppd1);
}

static void
on_profile_released(const EppdProfileHold *hold, gpointer data)
{
  Service *service = data;

  eppd_power_profiles_released(service->power_profiles, hold);
}

static void
on_client_vanished(const char *name, gpointer data)
{
  Service *service = data;

  if (service->controller) {
    eppd_hold_keeper_drop_owner(eppd_controller_holds(service->controller), name);
    eppd_profile_keeper_drop_owner(
        eppd_profile_control_keeper(eppd_controller_profiles(service->controller)), name);
  }
  eppd_eppd1_client_vanished(service->eppd1, name);
}

/* ---- start, step by step ---- */

static void
start_controller(Service *service)
{
  static const EppdControllerListener listener = {.changed = on_controller_changed,
                                                  .edges = on_controller_edges,
                                                  .released = on_profile_released};

  service->controller = eppd_controller_start(&service->options->controller, service->bus,
                                              service->clients, &listener, service);
  eppd_eppd1_set_controller(service->eppd1, service->controller);
  eppd_power_profiles_set_controller(service->power_profiles, service->controller);
  eppd_request_queue_open(service->queue);
}

static void
on_lock(GObject *source, GAsyncResult *result, gpointer data)
{
  Service *service = data;
  g_autoptr(GError) error = NULL;

  service->lock = eppd_owner_lock_wait_finish(result, &error);
  if (service->stopping)
    return;
  if (!service->lock) {
    eppd_warning("eppd", "could not start: %s", error->message);
    stop(service, 1);
    return;
  }
  start_controller(service);
}

static void own_next_name(Service *service);

static void
on_name_acquired(GDBusConnection *bus, const char *name, gpointer data)
{
  Service *service = data;

  service->n_names++;
  if (service->n_names < G_N_ELEMENTS(names)) {
    own_next_name(service);
    return;
  }
  /* No journal and no EPP is read before the lock is ours: the one before us may still be
   * restoring. */
  eppd_owner_lock_wait_async(service->options->controller.runtime_dir, LOCK_WAIT_USEC, on_lock,
                             service);
}

static void
on_name_lost(GDBusConnection *bus, const char *name, gpointer data)
{
  Service *service = data;

  if (service->stopping)
    return;
  if (g_dbus_connection_is_closed(service->bus)) {
    eppd_warning("eppd", "the system bus went away");
    stop(service, 1);
  } else if (service->controller || service->n_names == G_N_ELEMENTS(names)) {
    eppd_notice("eppd", "replaced: another program has %s now", name);
    stop(service, 0);
  } else {
    eppd_warning("eppd",
                 "could not get the name %s on the system bus: another eppd or "
                 "power-profiles-daemon has it (-r replaces it), or the bus does not allow it to "
                 "this user",
                 name);
    stop(service, 1);
  }
}

static void
own_next_name(Service *service)
{
  GBusNameOwnerFlags flags =
      G_BUS_NAME_OWNER_FLAGS_ALLOW_REPLACEMENT | G_BUS_NAME_OWNER_FLAGS_DO_NOT_QUEUE;

  if (service->options->replace)
    flags |= G_BUS_NAME_OWNER_FLAGS_REPLACE;
  g_bus_own_name_on_connection(service->bus, names[service->n_names], flags, on_name_acquired,
                               on_name_lost, service, NULL);
}

static void
on_bus_closed(GDBusConnection *bus, gboolean remote_peer_vanished, GError *error, gpointer data)
{
  Service *service = data;

  if (!service->stopping)
    eppd_warning("eppd", "the system bus went away");
  stop(service, 1);
}

static void
on_bus(GObject *source, GAsyncResult *result, gpointer data)
{
  Service *service = data;
  g_autoptr(GError) error = NULL;

  service->bus = g_bus_get_finish(result, &error);
  if (!service->bus) {
    eppd_warning("eppd", "could not reach the system bus: %s", error->message);
    stop(service, 1);
    return;
  }
  /* Without the bus we still have cores to restore: no exit behind our back. */
  g_dbus_connection_set_exit_on_close(service->bus, FALSE);
  g_signal_connect(service->bus, "closed", G_CALLBACK(on_bus_closed), service);

  service->authority = eppd_authority_new(service->bus);
  service->clients = eppd_clients_new(service->bus, on_client_vanished, service);
  service->queue = eppd_request_queue_new(service->authority);
  service->eppd1 = eppd_eppd1_new(service->bus, service->clients, service->queue, &error);
  if (service->eppd1)
    service->power_profiles =
        eppd_power_profiles_new(service->bus, service->clients, service->queue, &error);
  if (!service->power_profiles) {
    eppd_warning("eppd", "could not start: %s", error->message);
    stop(service, 1);
    return;
  }
  own_next_name(service);
}

static void
tear_down(Service *service)
{
  /* Cores first: whatever else fails to go, none stays boosted. The objects still tell what ends.
   */
  g_clear_pointer(&service->controller, eppd_controller_stop);
  if (service->power_profiles)
    eppd_power_profiles_set_controller(service->power_profiles, NULL);
  if (service->eppd1)
    eppd_eppd1_set_controller(service->eppd1, NULL);
  g_clear_pointer(&service->lock, eppd_owner_lock_free);
  g_clear_pointer(&service->queue, eppd_request_queue_free);
  g_clear_pointer(&service->power_profiles, eppd_power_profiles_free);
  g_clear_pointer(&service->eppd1, eppd_eppd1_free);
  g_clear_pointer(&service->clients, eppd_clients_free);
  g_clear_pointer(&service->authority, eppd_authority_free);
  /* The name goes with the connection: to release it would be a synchronous call. What was said to
   * the last holders goes out before it. */
  if (service->bus) {
    g_signal_handlers_disconnect_by_data(service->bus, service);
    g_dbus_connection_flush_sync(service->bus, NULL, NULL);
    g_clear_object(&service->bus);
  }
}

/* A descriptor a policy, and some a hold: the soft limit of 1024 is for programs that use select().
 */
static void
raise_descriptor_limit(void)
{
  struct rlimit limit;

  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
      eppd_warning("eppd", "the descriptor limit stays as it is: %s; ignoring", g_strerror(errno));
  }
}

int
eppd_service_run(const EppdServiceOptions *options)
{
  Service service = {.options = options};
  guint signals[3];

  raise_descriptor_limit();
  eppd_priority_extend_to_group();
  service.loop = g_main_loop_new(NULL, FALSE);
  signals[0] = g_unix_signal_add(SIGTERM, on_stop_signal, &service);
  signals[1] = g_unix_signal_add(SIGINT, on_stop_signal, &service);
  signals[2] = g_unix_signal_add(SIGHUP, on_hangup, &service);
  g_bus_get(G_BUS_TYPE_SYSTEM, NULL, on_bus, &service);

  g_main_loop_run(service.loop);

  tear_down(&service);
  for (guint i = 0; i < G_N_ELEMENTS(signals); i++)
    g_source_remove(signals[i]);
  g_main_loop_unref(service.loop);
  return service.exit_status;
}
