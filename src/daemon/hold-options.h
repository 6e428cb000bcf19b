/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/trigger.h"

#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <sys/types.h>

/* The options of HoldBoost, checked: nothing in them is believed. */
typedef struct {
  EppdTrigger trigger;
  guint threshold_percent; /* 0: not given */
  int pidfd;               /* -1: not given; owned */
  pid_t pid;               /* of the pidfd; 0: not given */
  char *cgroup;         /* normalised path below the v2 root, "/user.slice/…"; NULL: not given */
  guint64 cgroup_id;    /* the inode number of its directory; 0: not given */
  int cgroup_events_fd; /* its cgroup.events, open for reading; -1: none; owned */
} EppdHoldOptions;

/* Nothing given: what an unset variable starts from, so that clearing it closes no descriptor. */
#define EPPD_HOLD_OPTIONS_INIT                                                                     \
  {                                                                                                \
    .pidfd = -1, .cgroup_events_fd = -1                                                            \
  }

/* @fds may be NULL. @uid: the caller's. @default_trigger: where the options do not say.
 * All errors are G_DBUS_ERROR_INVALID_ARGS or ACCESS_DENIED (LIMITS_EXCEEDED where the daemon has
 * no descriptor left) and name the option. @options needs no initialisation and is untouched on
 * failure.
 *  - unknown option, one given twice, wrong type, threshold out of 1..100, unknown trigger;
 *  - pidfd: a handle without an fd list or past its end, a descriptor that is no pidfd (its fdinfo
 * has no Pid ≥ 1), a process that is dead, or that is another user's (its real uid; root may name
 * any); checked to be alive after that;
 *  - cgroup: must resolve beneath the v2 root without links or "..", below
 * user.slice/user-UID.slice of the caller, neither that slice itself nor user@UID.service (root may
 * name any but the root cgroup itself); and be populated. */
gboolean eppd_hold_options_parse(EppdHoldOptions *options,
                                 GVariant *dict,
                                 GUnixFDList *fds,
                                 uid_t uid,
                                 EppdTrigger default_trigger,
                                 GError **error);
void eppd_hold_options_clear(EppdHoldOptions *options);

/* Whether cgroup.events, read anew from @cgroup_events_fd, says populated 0 (or the cgroup is
 * gone). False where the file can't be read for another reason: nothing is known then. */
bool eppd_cgroup_is_empty(int cgroup_events_fd);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(EppdHoldOptions, eppd_hold_options_clear)
