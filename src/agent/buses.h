/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <gio/gio.h>

/* The two buses of the agent: that of the system, without which there is nothing to do, and that of
 * the session, which there may be none of. */
typedef struct _EppdBuses EppdBuses;

/* One of @opened and @ended follows, and @ended after @opened; not from within new(). @opened:
 * both are there, owned by the buses; @session may be NULL. @ended: one could not be opened, or has
 * gone; @exit_status: the agent's. */
EppdBuses *eppd_buses_new(void (*opened)(GDBusConnection *system,
                                         GDBusConnection *session,
                                         gpointer data),
                          void (*ended)(int exit_status, gpointer data),
                          gpointer data);
/* What was sent goes out first. Its main context must not run again: a bus may still be opening. */
void eppd_buses_free(EppdBuses *buses);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdBuses, eppd_buses_free)
