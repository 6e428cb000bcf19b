/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "games/game-identity.h"

#include <glib.h>
#include <sys/types.h>

#define EPPD_PROCESS_WORDS_MAX 64

/* A process of the user's, and what it shows of the game that it belongs to. */
typedef struct {
  pid_t pid;
  int pidfd;             /* owned */
  guint64 start_ticks;   /* since boot, as in /proc/PID/stat */
  char *name;            /* its comm, made valid UTF-8 */
  char **argv;           /* its first EPPD_PROCESS_WORDS_MAX words, as they are there */
  char *cgroup;          /* path below the v2 root; NULL: not known */
  GPtrArray *identities; /* of EppdGameIdentity, the surest first */
} EppdProcess;

/* Looks at @pid. All of it is of one process, which was alive after that: the pid was not another's
 * meanwhile. Of a command line and an environment the first EPPD_PROCESS_BLOCK_MAX bytes count.
 * NULL with @error: EPPD_ERROR_GONE where it has ended, EPPD_ERROR_DENIED for another user's (by
 * the real uid @uid), else by errno. Owned by the caller. */
#define EPPD_PROCESS_BLOCK_MAX (256 * 1024)
EppdProcess *eppd_process_look(pid_t pid, uid_t uid, GError **error);
void eppd_process_free(EppdProcess *process);

/* Looks again in which cgroup it is: launchers move what they have started. */
void eppd_process_update_cgroup(EppdProcess *process);

/* The processes in the cgroup whose directory is @path, and below it: array of pid_t, owned by the
 * caller; EPPD_PROCESSES_MAX at most. Empty where it is gone. */
#define EPPD_PROCESSES_MAX 4096
GArray *eppd_process_list_cgroup(const char *path);

/* All processes that /proc shows, likewise. */
GArray *eppd_process_list_all(void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdProcess, eppd_process_free)
