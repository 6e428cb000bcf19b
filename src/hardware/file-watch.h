/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Writes to a set of files, by inotify. sysfs reports writes from user space as IN_MODIFY, and of
 * what the kernel changes only that for which it raises POLLPRI too. The owner polls the
 * descriptor. */
typedef struct _EppdFileWatch EppdFileWatch;

EppdFileWatch *eppd_file_watch_new(GError **error);
void eppd_file_watch_free(EppdFileWatch *watch);
int eppd_file_watch_fd(const EppdFileWatch *watch);
/* @tag comes back from drain(). The same path may have several tags. A path that can't be watched
 * is an error that need not stop anyone. A file that vanishes is no longer watched: add its path
 * again once it is back. */
gboolean eppd_file_watch_add(EppdFileWatch *watch, const char *path, guint tag, GError **error);
/* The same for all files in a directory, those below its own directories not among them: one that
 * is written, replaced, or that comes or goes, is news. (In sysfs files come and go without it:
 * uevents tell.) EPPD_ERROR_GONE for what is no directory. */
gboolean eppd_file_watch_add_directory(EppdFileWatch *watch,
                                       const char *path,
                                       guint tag,
                                       GError **error);
/* Takes what has happened, without waiting: the tags of what has news, each once, ascending; all
 * tags where the kernel lost events. @vanished: whether any file or directory that was added
 * vanished, or may have. Owned by the caller: a GArray of guint. */
GArray *eppd_file_watch_drain(EppdFileWatch *watch, bool *vanished);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdFileWatch, eppd_file_watch_free)
