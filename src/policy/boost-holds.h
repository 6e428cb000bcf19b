/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/app-rule.h"
#include "policy/trigger.h"

#include <glib.h>
#include <sys/types.h>

/* Who holds the boost. The table of holds knows nothing of the bus, processes or cgroups: cookies,
 * times and owners are handed in. */

#define EPPD_BOOST_HOLDS_PER_USER 64

typedef struct {
  guint32 cookie;
  char *owner; /* unique bus name */
  uid_t uid;
  char *app_id;
  char *reason;
  EppdTrigger trigger;     /* asked for */
  guint threshold_percent; /* 1..100; 0: the configuration's */
  pid_t pid;               /* 0: none given */
  char *cgroup;            /* absolute path below the v2 root; NULL: none given */
  guint64 cgroup_id;       /* the inode number of its directory; 0: none given */
  gint64 since_usec;       /* monotonic */
  bool has_app_place; /* the table's own: of trigger app, and among those that can be watched */
} EppdBoostHold;

typedef struct _EppdBoostHolds EppdBoostHolds;

EppdBoostHolds *eppd_boost_holds_new(void);
void eppd_boost_holds_free(EppdBoostHolds *holds);

/* Copies @hold. EPPD_ERROR_LIMIT past EPPD_BOOST_HOLDS_PER_USER of its uid; EPPD_ERROR_BUSY if the
 * cookie is taken (draw again) or 0. The stored hold is returned, owned by @holds. */
const EppdBoostHold *eppd_boost_holds_add(EppdBoostHolds *holds,
                                          const EppdBoostHold *hold,
                                          GError **error);

/* NULL if there is none. */
const EppdBoostHold *eppd_boost_holds_lookup(const EppdBoostHolds *holds, guint32 cookie);

/* The oldest hold with trigger app whose cgroup is @cgroup_id, and is watched; NULL if there is
 * none. */
const EppdBoostHold *eppd_boost_holds_of_app(const EppdBoostHolds *holds, guint64 cgroup_id);

/* By its owner: EPPD_ERROR_INVALID «No boost hold with cookie N» if there is none,
 * EPPD_ERROR_DENIED if it is another's. */
gboolean eppd_boost_holds_release(EppdBoostHolds *holds,
                                  guint32 cookie,
                                  const char *owner,
                                  GError **error);

/* By the daemon: the owner left the bus, the process ended, the cgroup is empty. False if there was
 * none. */
bool eppd_boost_holds_drop(EppdBoostHolds *holds, guint32 cookie);

guint eppd_boost_holds_count(const EppdBoostHolds *holds);
/* All holds, oldest first: EppdBoostHold pointers; owned by @holds, valid until it changes. */
const GPtrArray *eppd_boost_holds_list(const EppdBoostHolds *holds);

/* The threshold of the trigger core for them all: the lowest of the holds' whose effective trigger
 * is core (one without a threshold, and one that asked for app, count as @default_percent).
 * @app_as_core: the source can't tell applications apart. 0 with no such hold. */
guint eppd_boost_holds_core_threshold_percent(const EppdBoostHolds *holds,
                                              guint default_percent,
                                              bool app_as_core);

/* The rules of the holds whose effective trigger is app, where the source can tell applications
 * apart: one for each cgroup, with the lowest of its holds' thresholds (@default_percent for one
 * without). Their number. */
guint eppd_boost_holds_app_rules(const EppdBoostHolds *holds,
                                 guint default_percent,
                                 EppdAppRule rules[EPPD_APP_RULES_MAX]);

/* The trigger that a hold really has, and why it is not the one asked for (constant text; NULL if
 * it is; @why may be NULL): app needs a cgroup, a source that can tell applications apart, and to
 * be among the EPPD_APP_RULES_MAX cgroups that were named first. */
EppdTrigger eppd_boost_hold_effective_trigger(const EppdBoostHold *hold,
                                              bool source_knows_apps,
                                              const char **why);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdBoostHolds, eppd_boost_holds_free)
