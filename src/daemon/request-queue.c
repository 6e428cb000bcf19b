/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/request-queue.h"

#include "base/log.h"

#include <stdbool.h>

#define TOPIC "requests"

#define REQUESTS_PER_CALLER 256

/* The system bus lets a connection wait for 128 answers at a time and fails its further calls: one
 * flooding caller would have everybody's requests refused. Half of it is left to the rest of the
 * daemon. */
#define CHECKS_AT_ONCE 64

struct _EppdRequestQueue {
  EppdAuthority *authority;
  GQueue requests;    /* in the order of the calls */
  GList *unchecked;   /* of those, the first whose check has not begun; NULL: none */
  GHashTable *counts; /* caller's name → how many of its requests wait */
  guint n_checking;
  bool is_open;
};

typedef struct {
  EppdRequestQueue *queue; /* NULL: it is gone, and only the check's end is awaited */
  GDBusMethodInvocation *invocation;
  char *action_id;
  EppdRequestFunc func;
  gpointer data;
  GDestroyNotify destroy;
  bool is_checking;
  /* The verdict, one of the two once there is one. */
  EppdCaller *caller;
  GError *error;
} Request;

/* The caller's name; "" on a connection without a bus. */
static const char *
sender_of(GDBusMethodInvocation *invocation)
{
  const char *sender = g_dbus_method_invocation_get_sender(invocation);

  return sender ? sender : "";
}

static guint
change_count(EppdRequestQueue *queue, const char *sender, int by)
{
  guint count = GPOINTER_TO_UINT(g_hash_table_lookup(queue->counts, sender)) + (guint)by;

  if (count > 0)
    g_hash_table_insert(queue->counts, g_strdup(sender), GUINT_TO_POINTER(count));
  else
    g_hash_table_remove(queue->counts, sender);
  return count;
}

static void
request_free(Request *request)
{
  g_clear_pointer(&request->caller, eppd_caller_free);
  g_clear_error(&request->error);
  g_free(request->action_id);
  g_free(request);
}

static void
release_data(Request *request)
{
  if (request->destroy)
    request->destroy(request->data);
}

static void
refuse(GDBusMethodInvocation *invocation, const GError *error)
{
  eppd_info(TOPIC, "refused %s of %s: %s", g_dbus_method_invocation_get_method_name(invocation),
            sender_of(invocation), error->message);
  g_dbus_method_invocation_return_gerror(invocation, error);
}

/* Carries out, or refuses, all that nothing waits before. */
static void
run_ready(EppdRequestQueue *queue)
{
  while (queue->is_open && !g_queue_is_empty(&queue->requests)) {
    Request *request = g_queue_peek_head(&queue->requests);

    if (!request->caller && !request->error)
      break;
    g_queue_pop_head(&queue->requests);
    change_count(queue, sender_of(request->invocation), -1);

    if (request->caller)
      request->func(request->caller, request->invocation, request->data);
    else
      refuse(request->invocation, request->error);
    release_data(request);
    request_free(request);
  }
}

static void start_checks(EppdRequestQueue *queue);

static void
checked(GObject *source, GAsyncResult *result, gpointer data)
{
  Request *request = data;
  EppdRequestQueue *queue = request->queue;

  request->caller = eppd_authority_check_finish(result, &request->error);
  request->is_checking = false;
  if (!queue) {
    request_free(request);
    return;
  }
  queue->n_checking--;
  start_checks(queue);
  run_ready(queue);
}

static void
start_checks(EppdRequestQueue *queue)
{
  while (queue->unchecked && queue->n_checking < CHECKS_AT_ONCE) {
    Request *request = queue->unchecked->data;

    queue->unchecked = queue->unchecked->next;
    queue->n_checking++;
    request->is_checking = true;
    eppd_authority_check_async(queue->authority, sender_of(request->invocation), request->action_id,
                               checked, request);
  }
}

EppdRequestQueue *
eppd_request_queue_new(EppdAuthority *authority)
{
  EppdRequestQueue *queue = g_new0(EppdRequestQueue, 1);

  queue->authority = authority;
  queue->counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_queue_init(&queue->requests);
  return queue;
}

void
eppd_request_queue_free(EppdRequestQueue *queue)
{
  Request *request;

  while ((request = g_queue_pop_head(&queue->requests))) {
    g_dbus_method_invocation_return_error_literal(request->invocation, G_DBUS_ERROR,
                                                  G_DBUS_ERROR_FAILED, "eppd is stopping");
    release_data(request);
    request->queue = NULL;
    if (!request->is_checking)
      request_free(request);
  }
  g_hash_table_unref(queue->counts);
  g_free(queue);
}

void
eppd_request_queue_push(EppdRequestQueue *queue,
                        GDBusMethodInvocation *invocation,
                        const char *action_id,
                        EppdRequestFunc func,
                        gpointer data,
                        GDestroyNotify destroy)
{
  const char *sender = sender_of(invocation);
  Request *request;

  if (change_count(queue, sender, +1) > REQUESTS_PER_CALLER) {
    g_autoptr(GError) error =
        g_error_new(G_DBUS_ERROR, G_DBUS_ERROR_LIMITS_EXCEEDED,
                    "%d requests of this caller wait already", REQUESTS_PER_CALLER);

    change_count(queue, sender, -1);
    refuse(invocation, error);
    if (destroy)
      destroy(data);
    return;
  }

  request = g_new0(Request, 1);
  request->queue = queue;
  request->invocation = invocation;
  request->action_id = g_strdup(action_id);
  request->func = func;
  request->data = data;
  request->destroy = destroy;
  g_queue_push_tail(&queue->requests, request);
  if (!queue->unchecked)
    queue->unchecked = g_queue_peek_tail_link(&queue->requests);
  start_checks(queue);
}

void
eppd_request_queue_open(EppdRequestQueue *queue)
{
  if (queue->is_open)
    return;
  queue->is_open = true;
  run_ready(queue);
}
