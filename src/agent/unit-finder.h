/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "agent/app-units.h"

#include <gio/gio.h>
#include <sys/types.h>

/* Finds the units of the user's applications: told by the systemd user manager, or where there is
 * none by the tree of cgroups. What the one has found stays while the other takes over. */
typedef struct _EppdUnitFinder EppdUnitFinder;

/* @session_bus: NULL where there is none. @root: the v2 root. @changed: the list, or what it says
 * of a unit; also from within new(). */
EppdUnitFinder *eppd_unit_finder_new(GDBusConnection *session_bus,
                                     const char *root,
                                     uid_t uid,
                                     EppdPathWatch *paths,
                                     void (*changed)(gpointer data),
                                     gpointer data);
void eppd_unit_finder_free(EppdUnitFinder *finder);

/* As of eppd_app_units_list(). */
const GPtrArray *eppd_unit_finder_list(const EppdUnitFinder *finder);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdUnitFinder, eppd_unit_finder_free)
