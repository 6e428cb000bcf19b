/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <gio/gio.h>
#include <sys/types.h>

/* Applications with DBusActivatable=true have their desktop id as their name on the session bus,
 * whoever started them, and in whichever unit they are. */
typedef struct _EppdNameWatch EppdNameWatch;

/* @appeared: the application @id runs, as the process @pid. */
EppdNameWatch *eppd_name_watch_new(GDBusConnection *bus,
                                   void (*appeared)(const char *id, pid_t pid, gpointer data),
                                   gpointer data);
void eppd_name_watch_free(EppdNameWatch *watch);

/* Watches the applications @ids (of char *) from now on, and no others. What is no bus name is
 * ignored. */
void eppd_name_watch_set(EppdNameWatch *watch, const GPtrArray *ids);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdNameWatch, eppd_name_watch_free)
