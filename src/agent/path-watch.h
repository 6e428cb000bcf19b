/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* News of files and directories by one inotify instance, which the owner polls. Not GFileMonitor:
 * while a path does not exist that looks for it every few seconds, and wakes a second thread. */
typedef struct _EppdPathWatch EppdPathWatch;

/* @mask: as in inotify(7). @name: of what is in a watched directory, else NULL. After IN_IGNORED
 * the path is no longer watched; IN_Q_OVERFLOW comes where the kernel lost events: anything may
 * have happened. May add and remove watches. */
typedef void (*EppdPathEvent)(guint32 mask, const char *name, gpointer data);

EppdPathWatch *eppd_path_watch_new(GError **error);
void eppd_path_watch_free(EppdPathWatch *watch);
int eppd_path_watch_fd(const EppdPathWatch *watch);

/* One path may be watched several times. An id for remove(), never 0; 0 with @error (by errno). */
guint eppd_path_watch_add(EppdPathWatch *watch,
                          const char *path,
                          guint32 mask,
                          EppdPathEvent event,
                          gpointer data,
                          GError **error);
/* No effect for 0 and for one that ended by IN_IGNORED. */
void eppd_path_watch_remove(EppdPathWatch *watch, guint id);

/* Takes what has happened, without waiting, and tells it. */
void eppd_path_watch_dispatch(EppdPathWatch *watch);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdPathWatch, eppd_path_watch_free)
