/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "agent/desktop-index.h"
#include "agent/path-watch.h"
#include "agent/process-table.h"

/* The search for what runs and nobody told of: processes of the user that a desktop entry has
 * started, as the launcher's environment or the command line shows. Searched when the program of an
 * entry was opened, and a little later. Has one source, a timer while something is due. */
typedef struct _EppdProcessSearch EppdProcessSearch;

/* Of the processes of one entry no more are tracked: each takes a descriptor. When one of them
 * ends, search soon(): another takes its place. */
#define EPPD_PROCESS_SEARCH_MAX 16

/* What is found goes into @table as launched. @searched: the table may have changed. @replaced: a
 * program is another file now, and watch() is due. All three that it is given must outlive it. */
EppdProcessSearch *eppd_process_search_new(EppdPathWatch *paths,
                                           EppdDesktopIndex *index,
                                           uid_t uid,
                                           EppdProcessTable *table,
                                           void (*searched)(gpointer data),
                                           void (*replaced)(gpointer data),
                                           gpointer data);
void eppd_process_search_free(EppdProcessSearch *search);

/* The programs, of char *, whose opening tells of a start; no others from now on. */
void eppd_process_search_watch(EppdProcessSearch *search, const GPtrArray *files);

void eppd_process_search_now(EppdProcessSearch *search);
/* As when a program was opened. */
void eppd_process_search_soon(EppdProcessSearch *search);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdProcessSearch, eppd_process_search_free)
