/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/clients.h"
#include "daemon/controller.h"
#include "daemon/request-queue.h"

#include <gio/gio.h>

#define EPPD1_BUS_NAME    "org.eppd.Eppd1"
#define EPPD1_OBJECT_PATH "/org/eppd/Eppd1"

/* The object /org/eppd/Eppd1. It exists before the daemon controls anything, so that nobody who
 * finds the name finds no object; calls wait until there is a controller. */
typedef struct _EppdEppd1 EppdEppd1;

/* Borrows @clients and @queue. */
EppdEppd1 *eppd_eppd1_new(GDBusConnection *bus,
                          EppdClients *clients,
                          EppdRequestQueue *queue,
                          GError **error);
void eppd_eppd1_free(EppdEppd1 *eppd1);

/* From here on calls are answered. Borrowed; NULL before it is stopped. */
void eppd_eppd1_set_controller(EppdEppd1 *eppd1, EppdController *controller);

/* Something of the controller's state changed: PropertiesChanged with what differs. */
void eppd_eppd1_changed(EppdEppd1 *eppd1);
/* The set of boosted CPUs changed: the watchers are told, at most ten times a second. */
void eppd_eppd1_edges(EppdEppd1 *eppd1);
/* @name left the bus: it watches no more. */
void eppd_eppd1_client_vanished(EppdEppd1 *eppd1, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdEppd1, eppd_eppd1_free)
