/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "agent/path-watch.h"
#include "games/scope-name.h"

#include <glib.h>
#include <stdbool.h>

/* The user's applications that have a cgroup of their own, as whoever watches them tells
 * (unit-watch, cgroup-tree), and whether a process is in it, which the kernel tells. */

typedef struct {
  char *name;   /* the unit's, or its cgroup's path where there is no unit manager */
  char *cgroup; /* path below the v2 root: "/user.slice/…/app-x.scope" */
  EppdScopeName *scope;
  bool is_populated;
  /* Another number since it may have been empty for a moment, or its cgroup is made anew: what was
   * held for it has ended with that. */
  guint run;
} EppdAppUnit;

typedef struct _EppdAppUnits EppdAppUnits;

/* @root: the v2 root. @changed: a unit was filled or emptied, or its cgroup went and it with that;
 * not from within the functions below. */
EppdAppUnits *eppd_app_units_new(const char *root,
                                 EppdPathWatch *watch,
                                 void (*changed)(gpointer data),
                                 gpointer data);
void eppd_app_units_free(EppdAppUnits *units);

/* The unit @name is in @cgroup now; NULL: in none. True where that changes anything. What is named
 * as no application, and a cgroup that is not there, are ignored. A cgroup is one unit's: of
 * several names it has the last. */
bool eppd_app_units_set(EppdAppUnits *units, const char *name, const char *cgroup);

/* Of EppdAppUnit; owned by @units, valid until they change. In no order. */
const GPtrArray *eppd_app_units_list(const EppdAppUnits *units);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdAppUnits, eppd_app_units_free)
