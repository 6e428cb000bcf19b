/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <gio/gio.h>

/* The bus of the user's session, on which his systemd and GameMode are: DBUS_SESSION_BUS_ADDRESS,
 * else the socket `bus` in XDG_RUNTIME_DIR. None is ever started. */

/* A connection of our own, within @timeout_ms; its end does not end the process. NULL with a
 * message that is fit for a person. Iterates the default main context meanwhile. Owned by the
 * caller. */
GDBusConnection *eppd_session_bus_open(int timeout_ms, GError **error);
