/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/authority.h"

/* Operations that need authorisation, in the order in which they were called: the checks run at
 * once (64 of them, the bus bears no more), but an operation is carried out only after those before
 * it were carried out or refused, so that two Sets can't overtake each other. */
typedef struct _EppdRequestQueue EppdRequestQueue;

/* Carries an authorised request out and answers @invocation (which it owns from here on). The
 * caller may have left the bus since it was identified: EppdClients knows. It may push, but not
 * free the queue. */
typedef void (*EppdRequestFunc)(const EppdCaller *caller,
                                GDBusMethodInvocation *invocation,
                                gpointer data);

/* @authority is borrowed: free it after the queue. */
EppdRequestQueue *eppd_request_queue_new(EppdAuthority *authority);
/* Requests still waiting are answered with an error, at once. */
void eppd_request_queue_free(EppdRequestQueue *queue);

/* Takes @invocation. @action_id NULL: only the order and the caller's identity matter. A refusal is
 * answered by the queue itself. At most 256 requests of one caller wait: LimitsExceeded for more.
 * @destroy (may be NULL) frees @data once @func has run or never will. */
void eppd_request_queue_push(EppdRequestQueue *queue,
                             GDBusMethodInvocation *invocation,
                             const char *action_id,
                             EppdRequestFunc func,
                             gpointer data,
                             GDestroyNotify destroy);

/* While not open (the start), requests wait; opening runs them. */
void eppd_request_queue_open(EppdRequestQueue *queue);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdRequestQueue, eppd_request_queue_free)
