/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/hold-keeper.h"

#include "base/error.h"
#include "base/log.h"
#include "base/printable.h"
#include "daemon/cookie.h"
#include "daemon/event-source.h"

#include <unistd.h>

struct _EppdHoldKeeper {
  EppdBoostHolds *holds;
  EppdClients *clients;
  guint64 taken;
  GHashTable *watches; /* cookie → Watch */
  void (*changed)(gpointer data);
  gpointer data;
};

/* What ends one hold. */
typedef struct {
  EppdHoldKeeper *keeper;
  guint32 cookie;
  int pidfd;
  int cgroup_events_fd;
  GSource *process;
  GSource *cgroup;
} Watch;

static void
watch_free(gpointer data)
{
  Watch *watch = data;

  eppd_event_source_clear(&watch->process);
  eppd_event_source_clear(&watch->cgroup);
  if (watch->pidfd >= 0)
    close(watch->pidfd);
  if (watch->cgroup_events_fd >= 0)
    close(watch->cgroup_events_fd);
  g_free(watch);
}

static void
forget(EppdHoldKeeper *keeper, guint32 cookie, const char *why)
{
  const EppdBoostHold *hold = eppd_boost_holds_lookup(keeper->holds, cookie);
  g_autofree char *owner = NULL;

  if (!hold)
    return;
  owner = g_strdup(hold->owner);
  eppd_info("holds", "the boost hold of '%s' ends: %s", hold->app_id, why);
  eppd_boost_holds_drop(keeper->holds, cookie);
  g_hash_table_remove(keeper->watches, GUINT_TO_POINTER(cookie));
  eppd_clients_unref(keeper->clients, owner);
}

static void
drop(EppdHoldKeeper *keeper, guint32 cookie, const char *why)
{
  forget(keeper, cookie, why);
  keeper->changed(keeper->data);
}

static gboolean
on_process_ended(int fd, GIOCondition condition, gpointer data)
{
  Watch *watch = data;

  drop(watch->keeper, watch->cookie, "its process ended");
  return G_SOURCE_REMOVE;
}

static gboolean
on_cgroup_event(int fd, GIOCondition condition, gpointer data)
{
  Watch *watch = data;

  if (!eppd_cgroup_is_empty(fd))
    return G_SOURCE_CONTINUE;
  drop(watch->keeper, watch->cookie, "its cgroup is empty");
  return G_SOURCE_REMOVE;
}

static void
watch_hold(EppdHoldKeeper *keeper, guint32 cookie, EppdHoldOptions *options)
{
  Watch *watch = g_new0(Watch, 1);

  watch->keeper = keeper;
  watch->cookie = cookie;
  watch->pidfd = g_steal_fd(&options->pidfd);
  watch->cgroup_events_fd = g_steal_fd(&options->cgroup_events_fd);
  if (watch->pidfd >= 0)
    watch->process = eppd_event_source_fd(watch->pidfd, G_IO_IN, G_PRIORITY_DEFAULT,
                                          G_SOURCE_FUNC(on_process_ended), watch);
  /* The kernel tells a change of cgroup.events by POLLPRI. */
  if (watch->cgroup_events_fd >= 0)
    watch->cgroup = eppd_event_source_fd(watch->cgroup_events_fd, G_IO_PRI, G_PRIORITY_DEFAULT,
                                         G_SOURCE_FUNC(on_cgroup_event), watch);
  g_hash_table_insert(keeper->watches, GUINT_TO_POINTER(cookie), watch);
}

gboolean
eppd_hold_keeper_take(EppdHoldKeeper *keeper,
                      const char *owner,
                      uid_t uid,
                      const char *app_id,
                      const char *reason,
                      EppdHoldOptions *options,
                      guint32 *cookie,
                      GError **error)
{
  g_autofree char *app_id_cut = eppd_utf8_cut(app_id, EPPD_GIVEN_TEXT_MAX);
  g_autofree char *reason_cut = eppd_utf8_cut(reason, EPPD_GIVEN_TEXT_MAX);
  EppdBoostHold hold = {
      .owner = (char *)owner,
      .uid = uid,
      .app_id = app_id_cut,
      .reason = reason_cut,
      .trigger = options->trigger,
      .threshold_percent = options->threshold_percent,
      .pid = options->pid,
      .cgroup = options->cgroup,
      .cgroup_id = options->cgroup_id,
      .since_usec = g_get_monotonic_time(),
  };

  eppd_clients_ref(keeper->clients, owner);
  if (!eppd_clients_is_alive(keeper->clients, owner)) {
    eppd_clients_unref(keeper->clients, owner);
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_GONE, "The caller has left the bus");
    return FALSE;
  }

  do {
    hold.cookie = eppd_cookie_draw();
  } while (eppd_boost_holds_lookup(keeper->holds, hold.cookie));
  if (!eppd_boost_holds_add(keeper->holds, &hold, error)) {
    eppd_clients_unref(keeper->clients, owner);
    return FALSE;
  }
  watch_hold(keeper, hold.cookie, options);
  eppd_info("holds", "'%s' (%s) holds the boost: %s", app_id_cut, owner, reason_cut);
  *cookie = hold.cookie;
  keeper->taken++;
  keeper->changed(keeper->data);
  return TRUE;
}

gboolean
eppd_hold_keeper_release(EppdHoldKeeper *keeper, guint32 cookie, const char *owner, GError **error)
{
  if (!eppd_boost_holds_release(keeper->holds, cookie, owner, error))
    return FALSE;
  g_hash_table_remove(keeper->watches, GUINT_TO_POINTER(cookie));
  eppd_clients_unref(keeper->clients, owner);
  keeper->changed(keeper->data);
  return TRUE;
}

void
eppd_hold_keeper_drop_owner(EppdHoldKeeper *keeper, const char *owner)
{
  const GPtrArray *list = eppd_boost_holds_list(keeper->holds);
  g_autoptr(GArray) cookies = g_array_new(FALSE, FALSE, sizeof(guint32));

  for (guint i = 0; i < list->len; i++) {
    const EppdBoostHold *hold = list->pdata[i];

    if (g_str_equal(hold->owner, owner))
      g_array_append_val(cookies, hold->cookie);
  }
  for (guint i = 0; i < cookies->len; i++)
    forget(keeper, g_array_index(cookies, guint32, i), "its owner left the bus");
  if (cookies->len > 0)
    keeper->changed(keeper->data);
}

guint64
eppd_hold_keeper_taken(const EppdHoldKeeper *keeper)
{
  return keeper->taken;
}

const EppdBoostHolds *
eppd_hold_keeper_holds(const EppdHoldKeeper *keeper)
{
  return keeper->holds;
}

EppdHoldKeeper *
eppd_hold_keeper_new(EppdClients *clients, void (*changed)(gpointer data), gpointer data)
{
  EppdHoldKeeper *keeper = g_new0(EppdHoldKeeper, 1);

  keeper->holds = eppd_boost_holds_new();
  keeper->clients = clients;
  keeper->watches = g_hash_table_new_full(NULL, NULL, NULL, watch_free);
  keeper->changed = changed;
  keeper->data = data;
  return keeper;
}

void
eppd_hold_keeper_free(EppdHoldKeeper *keeper)
{
  const GPtrArray *holds = eppd_boost_holds_list(keeper->holds);

  for (guint i = 0; i < holds->len; i++) {
    const EppdBoostHold *hold = holds->pdata[i];

    eppd_clients_unref(keeper->clients, hold->owner);
  }
  g_hash_table_unref(keeper->watches);
  eppd_boost_holds_free(keeper->holds);
  g_free(keeper);
}
