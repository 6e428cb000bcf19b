/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <gio/gio.h>

/* The connection to eppd on the system bus. Opened by the first call, so that `--help` and a wrong
 * argument cost no bus. Calls block: eppctl has nothing else to do. */

#define EPPD_BUS_NAME    "org.eppd.Eppd1"
#define EPPD_OBJECT_PATH "/org/eppd/Eppd1"
#define EPPD_INTERFACE   "org.eppd.Eppd1"

/* The bus's own default; for calls where a person waits. */
#define EPPD_CALL_TIMEOUT_MS 25000

typedef struct {
  GDBusConnection *bus; /* NULL until first used */
} EppdClient;

/* An interface of an object on the bus. */
typedef struct {
  const char *bus_name;
  const char *path;
  const char *interface;
} EppdRemote;

void eppd_client_clear(EppdClient *client);

/* The connection; owned by @client. NULL with a message that is fit for a person. The end of the
 * bus does not end the process. */
GDBusConnection *eppd_client_bus(EppdClient *client, GError **error);

/* Calls @method of @remote. @parameters: a tuple (sunk), or NULL. @reply_type: the type of the
 * whole reply; another one is an error. Owned by the caller. Errors are those of GDBus, word for
 * word. */
GVariant *eppd_client_call_remote(EppdClient *client,
                                  const EppdRemote *remote,
                                  const char *method,
                                  GVariant *parameters,
                                  const char *reply_type,
                                  GDBusCallFlags flags,
                                  int timeout_ms,
                                  GError **error);

/* Calls @method of org.eppd.Eppd1. @parameters: a tuple (sunk), or NULL. @reply_type: the type of
 * the whole reply, e.g. "(aa{sv})"; another reply is an error. Owned by the caller. Errors are
 * those of GDBus with messages fit for a person. */
GVariant *eppd_client_call(EppdClient *client,
                           const char *method,
                           GVariant *parameters,
                           const char *reply_type,
                           GDBusCallFlags flags,
                           int timeout_ms,
                           GError **error);

/* All properties of org.eppd.Eppd1, an a{sv} owned by the caller. */
GVariant *eppd_client_properties(EppdClient *client, int timeout_ms, GError **error);

/* @method without parameters, whose reply is one value of @type, e.g. "aa{sv}": that value, owned
 * by the caller. */
GVariant *eppd_client_get(EppdClient *client, const char *method, const char *type, GError **error);

/* Rewrites a call's error into what happened, to what, and what to do. Takes @error. */
GError *eppd_client_explain_error(GError *error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(EppdClient, eppd_client_clear)
