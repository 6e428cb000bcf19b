/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <gio/gio.h>
#include <stdbool.h>

/* A real dbus-daemon of a test's own, to which any user may connect; it dies with the test.
 * Failures end the test. */
typedef struct _PrivateBus PrivateBus;

PrivateBus *private_bus_new(void);
/* One on which a connection may wait for at most @max_replies answers; 128 on a system bus. */
PrivateBus *private_bus_new_with_replies(guint max_replies);
void private_bus_free(PrivateBus *bus);

/* A connection of its own, as the test's user. */
GDBusConnection *private_bus_connect(PrivateBus *bus);

/* The same as @uid, which the bus sees in the socket's credentials: only root may ask for another
 * user's. */
GDBusConnection *private_bus_connect_as(PrivateBus *bus, uid_t uid);

/* A user who is not root: "nobody" where the test runs as root, else the test's own. */
uid_t private_bus_plain_uid(void);

/* The connection leaves the bus, as that of a process that was killed does, and is released. */
void private_bus_disconnect(GDBusConnection *connection);

/* @connection has @name from here on; it is taken over from whoever had it. */
void private_bus_own_name(GDBusConnection *connection, const char *name);

/* Answers @invocation (taken) with @body (sunk), of whatever type: past the introspection data,
 * which would not let a wrong one through. */
void private_bus_answer(GDBusMethodInvocation *invocation, GVariant *body);

/* Waits until all that the bus had for @connection by now was dispatched. */
void private_bus_settle(GDBusConnection *connection);

/* Runs the default main context until *@flag. */
void private_bus_wait(const bool *flag);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PrivateBus, private_bus_free)
