/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <gio/gio.h>

/* The one gate for methods and property writes alike: who calls, and may they? Everything is
 * asynchronous and has a time limit. */
typedef struct _EppdAuthority EppdAuthority;

/* Who a caller is, by the bus's own credentials. */
typedef struct {
  char *name; /* unique bus name */
  uid_t uid;
} EppdCaller;
void eppd_caller_free(EppdCaller *caller);

EppdAuthority *eppd_authority_new(GDBusConnection *bus);
/* Checks that still run end with G_IO_ERROR_CANCELLED, from the main loop. */
void eppd_authority_free(EppdAuthority *authority);

/* How long the bus and polkit may each take to answer, for the checks that begin after this; at
 * least 1000. Ten seconds unless it is set: for tests. */
void eppd_authority_set_timeout_usec(EppdAuthority *authority, gint64 timeout_usec);

/* Asks the bus who @sender is and polkit whether it may do @action_id (NULL: anyone may, only the
 * identity is asked). uid 0 is always allowed, as polkit itself has it, so that root can work where
 * no polkit runs. The subject is the system bus name; no interaction. Denied:
 * G_DBUS_ERROR_ACCESS_DENIED «Not Authorized: ACTION». polkit missing, silent for ten seconds or in
 * error: ACCESS_DENIED, saying so after the action. The sender left the bus, or is no unique name:
 * ACCESS_DENIED too. */
void eppd_authority_check_async(EppdAuthority *authority,
                                const char *sender,
                                const char *action_id,
                                GAsyncReadyCallback callback,
                                gpointer data);
EppdCaller *eppd_authority_check_finish(GAsyncResult *result, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdAuthority, eppd_authority_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdCaller, eppd_caller_free)
