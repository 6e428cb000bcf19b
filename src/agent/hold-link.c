/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/hold-link.h"

#include "base/log.h"

#include <fcntl.h>
#include <gio/gunixfdlist.h>
#include <unistd.h>

typedef enum {
  STATE_WAITING, /* for the service */
  STATE_ASKED,
  STATE_HELD,
  STATE_REFUSED, /* for want of authorisation */
  STATE_FAILED,  /* tried again with the next service */
  STATE_DROPPED,
} State;

/* A call that runs. It outlives its hold, since what it brings must be given back. */
typedef struct {
  EppdHoldLink *link;
  EppdLinkHold *hold; /* NULL: no longer wanted */
  char *owner;
} Question;

struct _EppdLinkHold {
  EppdHoldLink *link;
  char *label;
  GVariant *parameters;
  int pidfd; /* owned; -1: none */
  State state;
  guint32 cookie;     /* while it is held */
  Question *question; /* while it is asked, or probed */
};

struct _EppdHoldLink {
  GDBusConnection *bus;
  const EppdHoldService *service;
  void (*refused)(gpointer data);
  gpointer data;
  guint name_id;
  char *owner; /* the service's unique name; NULL while it is not there */
  guint signal_id;
  GHashTable *holds;
  char *said; /* the last complaint: once is enough */
};

/* ---- questions ---- */

static Question *
question_new(EppdLinkHold *hold)
{
  Question *question = g_new0(Question, 1);

  question->link = hold->link;
  question->hold = hold;
  question->owner = g_strdup(hold->link->owner);
  hold->question = question;
  return question;
}

/* The hold that it was for, if that is still wanted. */
static EppdLinkHold *
question_end(Question *question)
{
  EppdLinkHold *hold = question->hold;

  if (hold)
    hold->question = NULL;
  g_free(question->owner);
  g_free(question);
  return hold;
}

static void
forget_question(EppdLinkHold *hold)
{
  if (hold->question)
    hold->question->hold = NULL;
  hold->question = NULL;
}

/* ---- taking and giving back ---- */

static void
give_back(EppdHoldLink *link, const char *owner, guint32 cookie)
{
  const EppdHoldService *service = link->service;

  /* It may have ended by itself already: no answer is wanted. */
  g_dbus_connection_call(link->bus, owner, service->path, service->interface,
                         service->release_method, g_variant_new("(u)", cookie), NULL,
                         G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, NULL, NULL);
}

static void
say_once(EppdHoldLink *link, char *text)
{
  if (g_strcmp0(link->said, text) == 0)
    eppd_debug(link->service->topic, "%s", text);
  else
    eppd_warning(link->service->topic, "%s", text);
  g_free(link->said);
  link->said = text;
}

static void
fail(EppdLinkHold *hold, const GError *error)
{
  EppdHoldLink *link = hold->link;
  g_autoptr(GError) plain = g_error_copy(error);

  g_dbus_error_strip_remote_error(plain);
  if (g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED)) {
    hold->state = STATE_REFUSED;
    say_once(link, g_strdup_printf("refused, which is respected until the session becomes active: "
                                   "%s",
                                   plain->message));
    link->refused(link->data);
    return;
  }
  hold->state = STATE_FAILED;
  say_once(link, g_strdup_printf("no hold, ignoring: %s", plain->message));
}

static void
got_cookie(GObject *source, GAsyncResult *result, gpointer data)
{
  Question *question = data;
  EppdHoldLink *link = question->link;
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply = g_dbus_connection_call_with_unix_fd_list_finish(
      G_DBUS_CONNECTION(source), NULL, result, &error);
  g_autofree char *owner = g_strdup(question->owner);
  EppdLinkHold *hold = question_end(question);
  guint32 cookie = 0;

  if (reply)
    g_variant_get(reply, "(u)", &cookie);
  if (!hold) {
    if (reply)
      give_back(link, owner, cookie);
    return;
  }
  if (!reply) {
    fail(hold, error);
    return;
  }
  hold->state = STATE_HELD;
  hold->cookie = cookie;
  g_clear_pointer(&link->said, g_free);
  eppd_info(link->service->topic, "held for '%s'", hold->label);
}

static void
ask(EppdLinkHold *hold)
{
  EppdHoldLink *link = hold->link;
  const EppdHoldService *service = link->service;
  g_autoptr(GUnixFDList) fds = hold->pidfd >= 0 ? g_unix_fd_list_new() : NULL;
  g_autoptr(GError) error = NULL;

  if (fds && g_unix_fd_list_append(fds, hold->pidfd, &error) < 0) {
    fail(hold, error);
    return;
  }
  hold->state = STATE_ASKED;
  /* Without a time limit: the service has one of its own, and what it grants behind our back would
   * be held by nobody. */
  g_dbus_connection_call_with_unix_fd_list(
      link->bus, link->owner, service->path, service->interface, service->hold_method,
      hold->parameters, G_VARIANT_TYPE("(u)"), G_DBUS_CALL_FLAGS_NO_AUTO_START, G_MAXINT, fds, NULL,
      got_cookie, question_new(hold));
}

/* ---- what the service gives up ---- */

static void
got_probe(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GVariant) reply =
      g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, NULL);
  EppdLinkHold *hold = question_end(data);

  /* One that does not answer has ended, and is waited for. */
  if (!hold || !reply)
    return;
  hold->state = STATE_DROPPED;
  eppd_notice(hold->link->service->topic,
              "what '%s' held was released by another choice; not held again while it runs",
              hold->label);
}

/* A service that ends gives up all holds too, and those are to be taken again. */
static void
probe(EppdLinkHold *hold)
{
  const EppdHoldService *service = hold->link->service;

  hold->state = STATE_WAITING;
  g_dbus_connection_call(
      hold->link->bus, hold->link->owner, service->path, "org.freedesktop.DBus.Properties", "Get",
      g_variant_new("(ss)", service->interface, service->probe_property), G_VARIANT_TYPE("(v)"),
      G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, got_probe, question_new(hold));
}

static void
on_released(GDBusConnection *bus,
            const char *sender,
            const char *path,
            const char *interface,
            const char *signal,
            GVariant *parameters,
            gpointer data)
{
  EppdHoldLink *link = data;
  GHashTableIter iter;
  gpointer key;
  guint32 cookie;

  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(u)")))
    return;
  g_variant_get(parameters, "(u)", &cookie);
  g_hash_table_iter_init(&iter, link->holds);
  while (g_hash_table_iter_next(&iter, &key, NULL)) {
    EppdLinkHold *hold = key;

    if (hold->state == STATE_HELD && hold->cookie == cookie)
      probe(hold);
  }
}

/* ---- the service ---- */

static void
came(GDBusConnection *bus, const char *name, const char *owner, gpointer data)
{
  EppdHoldLink *link = data;
  const EppdHoldService *service = link->service;
  GHashTableIter iter;
  gpointer key;

  eppd_info(service->topic, "%s is there", name);
  link->owner = g_strdup(owner);
  if (service->released_signal)
    link->signal_id = g_dbus_connection_signal_subscribe(
        bus, owner, service->interface, service->released_signal, service->path, NULL,
        G_DBUS_SIGNAL_FLAGS_NONE, on_released, link, NULL);
  g_hash_table_iter_init(&iter, link->holds);
  while (g_hash_table_iter_next(&iter, &key, NULL)) {
    if (((EppdLinkHold *)key)->state != STATE_DROPPED)
      ask(key);
  }
}

static void
forget_owner(EppdHoldLink *link)
{
  GHashTableIter iter;
  gpointer key;

  if (link->signal_id != 0)
    g_dbus_connection_signal_unsubscribe(link->bus, link->signal_id);
  link->signal_id = 0;
  g_clear_pointer(&link->owner, g_free);
  g_clear_pointer(&link->said, g_free);
  g_hash_table_iter_init(&iter, link->holds);
  while (g_hash_table_iter_next(&iter, &key, NULL)) {
    EppdLinkHold *hold = key;

    forget_question(hold);
    if (hold->state != STATE_DROPPED)
      hold->state = STATE_WAITING;
  }
}

static void
left(GDBusConnection *bus, const char *name, gpointer data)
{
  EppdHoldLink *link = data;

  if (link->owner && g_hash_table_size(link->holds) > 0)
    eppd_notice(link->service->topic, "%s has left: holding again when it is back", name);
  else
    eppd_info(link->service->topic, "%s is not there", name);
  forget_owner(link);
}

EppdHoldLink *
eppd_hold_link_new(GDBusConnection *bus,
                   const EppdHoldService *service,
                   void (*refused)(gpointer data),
                   gpointer data)
{
  EppdHoldLink *link = g_new0(EppdHoldLink, 1);

  link->bus = g_object_ref(bus);
  link->service = service;
  link->refused = refused;
  link->data = data;
  link->holds = g_hash_table_new(NULL, NULL);
  link->name_id = g_bus_watch_name_on_connection(bus, service->name, G_BUS_NAME_WATCHER_FLAGS_NONE,
                                                 came, left, link, NULL);
  return link;
}

void
eppd_hold_link_free(EppdHoldLink *link)
{
  g_bus_unwatch_name(link->name_id);
  forget_owner(link);
  g_hash_table_unref(link->holds);
  g_object_unref(link->bus);
  g_free(link);
}

EppdLinkHold *
eppd_hold_link_take(
    EppdHoldLink *link, const char *label, GVariant *parameters, int pidfd, bool is_dropped)
{
  EppdLinkHold *hold = g_new0(EppdLinkHold, 1);

  hold->link = link;
  hold->label = g_strdup(label);
  hold->parameters = g_variant_ref_sink(parameters);
  hold->pidfd = pidfd >= 0 ? fcntl(pidfd, F_DUPFD_CLOEXEC, 0) : -1;
  hold->state = is_dropped ? STATE_DROPPED : STATE_WAITING;
  g_hash_table_add(link->holds, hold);
  if (link->owner && !is_dropped)
    ask(hold);
  return hold;
}

void
eppd_hold_link_release(EppdLinkHold *hold)
{
  EppdHoldLink *link = hold->link;

  if (hold->state == STATE_HELD) {
    give_back(link, link->owner, hold->cookie);
    eppd_info(link->service->topic, "no longer held for '%s'", hold->label);
  }
  forget_question(hold);
  g_hash_table_remove(link->holds, hold);
  g_variant_unref(hold->parameters);
  if (hold->pidfd >= 0)
    close(hold->pidfd);
  g_free(hold->label);
  g_free(hold);
}

bool
eppd_hold_link_is_dropped(const EppdLinkHold *hold)
{
  return hold->state == STATE_DROPPED;
}

void
eppd_hold_link_retry(EppdHoldLink *link)
{
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init(&iter, link->holds);
  while (link->owner && g_hash_table_iter_next(&iter, &key, NULL)) {
    if (((EppdLinkHold *)key)->state == STATE_REFUSED)
      ask(key);
  }
}

bool
eppd_hold_link_has_refused(const EppdHoldLink *link)
{
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init(&iter, link->holds);
  while (g_hash_table_iter_next(&iter, &key, NULL)) {
    if (((const EppdLinkHold *)key)->state == STATE_REFUSED)
      return true;
  }
  return false;
}
