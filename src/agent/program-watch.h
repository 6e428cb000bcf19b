/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "agent/path-watch.h"

/* Programs that are started: the kernel tells whoever watches a file that it is opened, as
 * execve(2) does, whoever does that. It does not tell by whom: that is to be looked for. A game may
 * also open its own file again and again, so that a file which was opened is not watched for a
 * while: each time longer, while it goes on. */
typedef struct _EppdProgramWatch EppdProgramWatch;

/* How long: at first, at most. */
#define EPPD_PROGRAM_REST_USEC     (1200 * G_GINT64_CONSTANT(1000))
#define EPPD_PROGRAM_REST_MAX_USEC (60 * G_USEC_PER_SEC)

/* Both from eppd_path_watch_dispatch(). @opened: a program is about to run, or is read; resume() is
 * due then. @replaced: a file is another now, and set() is due. */
EppdProgramWatch *eppd_program_watch_new(EppdPathWatch *watch,
                                         void (*opened)(gpointer data),
                                         void (*replaced)(gpointer data),
                                         gpointer data);
void eppd_program_watch_free(EppdProgramWatch *watch);

/* Watches @files (of char *) from now on, and no others. */
void eppd_program_watch_set(EppdProgramWatch *watch, const GPtrArray *files);

/* Watches again what has rested; when the next one has (monotonic, as @now_usec), -1 if none
 * rests. What was started meanwhile nobody told of. */
gint64 eppd_program_watch_resume(EppdProgramWatch *watch, gint64 now_usec);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdProgramWatch, eppd_program_watch_free)
