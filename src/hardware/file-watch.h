/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Writes to a set of files, by inotify (facts: sysfs reports writes from user space as IN_MODIFY,
 * and no change that the kernel makes). The owner polls the descriptor. */
typedef struct _EppdFileWatch EppdFileWatch;

EppdFileWatch *eppd_file_watch_new(GError **error);
void eppd_file_watch_free(EppdFileWatch *watch);
int eppd_file_watch_fd(const EppdFileWatch *watch);
/* @tag comes back from drain(). The same path may have several tags. A path that can't be watched
 * is an error that need not stop anyone. A file that vanishes is no longer watched: add its path
 * again once it is back. */
gboolean eppd_file_watch_add(EppdFileWatch *watch, const char *path, guint tag, GError **error);
/* Takes what has happened, without waiting: the tags of the files written or vanished, each once,
 * ascending; all tags where the kernel lost events. @vanished: whether any of them vanished, or may
 * have. Owned by the caller: a GArray of guint. */
GArray *eppd_file_watch_drain(EppdFileWatch *watch, bool *vanished);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdFileWatch, eppd_file_watch_free)
