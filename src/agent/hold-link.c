/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/hold-link.h"

#include "base/log.h"
#include "bus/peer.h"

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
  guint n_retries; /* the link's, when it was asked */
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
  EppdPeer *peer;
  bool is_there;
  GHashTable *holds;
  guint n_retries; /* so often it was worth to ask again */
  char *said;      /* the last complaint: once is enough */
};

/* ---- questions ---- */

static Question *
question_new(EppdLinkHold *hold)
{
  Question *question = g_new0(Question, 1);

  question->link = hold->link;
  question->hold = hold;
  question->owner = g_strdup(eppd_peer_owner(hold->link->peer));
  question->n_retries = hold->link->n_retries;
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

static void ask(EppdLinkHold *hold);

static void
got_cookie(GObject *source, GAsyncResult *result, gpointer data)
{
  Question *question = data;
  EppdHoldLink *link = question->link;
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply = g_dbus_connection_call_with_unix_fd_list_finish(
      G_DBUS_CONNECTION(source), NULL, result, &error);
  g_autofree char *owner = g_strdup(question->owner);
  bool is_overtaken = question->n_retries != link->n_retries;
  EppdLinkHold *hold = question_end(question);
  guint32 cookie = 0;

  if (reply)
    g_variant_get(reply, "(u)", &cookie);
  if (!hold) {
    if (reply)
      give_back(link, owner, cookie);
    return;
  }
  if (is_overtaken && g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED)) {
    ask(hold); /* what was refused may be allowed by now */
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
      link->bus, eppd_peer_owner(link->peer), service->path, service->interface,
      service->hold_method, hold->parameters, G_VARIANT_TYPE("(u)"),
      G_DBUS_CALL_FLAGS_NO_AUTO_START, G_MAXINT, fds, NULL, got_cookie, question_new(hold));
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
  const EppdHoldLink *link = hold->link;
  const EppdHoldService *service = link->service;

  hold->state = STATE_WAITING;
  g_dbus_connection_call(link->bus, eppd_peer_owner(link->peer), service->path,
                         "org.freedesktop.DBus.Properties", "Get",
                         g_variant_new("(ss)", service->interface, service->probe_property),
                         G_VARIANT_TYPE("(v)"), G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL,
                         got_probe, question_new(hold));
}

static void
on_released(GVariant *parameters, gpointer data)
{
  EppdHoldLink *link = data;
  GHashTableIter iter;
  gpointer key;
  guint32 cookie;

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
came(gpointer data)
{
  EppdHoldLink *link = data;
  const EppdHoldService *service = link->service;
  const EppdPeerObject object = {service->path, service->interface};
  GHashTableIter iter;
  gpointer key;

  link->is_there = true;
  if (service->released_signal)
    eppd_peer_listen(link->peer, &object, service->released_signal, "(u)", on_released, link);
  g_hash_table_iter_init(&iter, link->holds);
  while (g_hash_table_iter_next(&iter, &key, NULL)) {
    if (((EppdLinkHold *)key)->state != STATE_DROPPED)
      ask(key);
  }
}

static void
left(gpointer data)
{
  EppdHoldLink *link = data;
  GHashTableIter iter;
  gpointer key;

  if (link->is_there && g_hash_table_size(link->holds) > 0)
    eppd_notice(link->service->topic, "holding again when %s is back", link->service->name);
  link->is_there = false;
  g_clear_pointer(&link->said, g_free);
  g_hash_table_iter_init(&iter, link->holds);
  while (g_hash_table_iter_next(&iter, &key, NULL)) {
    EppdLinkHold *hold = key;

    forget_question(hold);
    if (hold->state != STATE_DROPPED)
      hold->state = STATE_WAITING;
  }
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
  link->peer = eppd_peer_new(bus, service->topic, service->name, came, left, link);
  return link;
}

void
eppd_hold_link_free(EppdHoldLink *link)
{
  eppd_peer_free(link->peer);
  g_free(link->said);
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
  if (link->is_there && !is_dropped)
    ask(hold);
  return hold;
}

void
eppd_hold_link_release(EppdLinkHold *hold)
{
  EppdHoldLink *link = hold->link;

  if (hold->state == STATE_HELD) {
    give_back(link, eppd_peer_owner(link->peer), hold->cookie);
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

  link->n_retries++;
  g_hash_table_iter_init(&iter, link->holds);
  while (link->is_there && g_hash_table_iter_next(&iter, &key, NULL)) {
    if (((EppdLinkHold *)key)->state == STATE_REFUSED)
      ask(key);
  }
}
