/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <gio/gio.h>
#include <stdbool.h>

/* The unique bus names that something depends on, watched from before their first request is even
 * authorised, so that a caller who dies meanwhile leaves nothing behind. */
typedef struct _EppdClients EppdClients;

typedef void (*EppdClientsVanished)(const char *name, gpointer data);

/* @vanished is called once for a name that leaves the bus while it is referenced, after which
 * is_alive() is false; never from within ref() or unref(). */
EppdClients *eppd_clients_new(GDBusConnection *bus, EppdClientsVanished vanished, gpointer data);
void eppd_clients_free(EppdClients *clients);

/* Counted: the name is watched while its count is above 0. The watch asks the bus too whether the
 * name is there at all, so that one which left before ref() is noticed. */
void eppd_clients_ref(EppdClients *clients, const char *name);
void eppd_clients_unref(EppdClients *clients, const char *name);
/* False once it has vanished (while still referenced), or if it is not referenced. */
bool eppd_clients_is_alive(EppdClients *clients, const char *name);
guint eppd_clients_count(EppdClients *clients);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdClients, eppd_clients_free)
