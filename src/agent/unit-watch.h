/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <gio/gio.h>
#include <stdbool.h>

/* The application units of the systemd user manager, on the bus that it is on, and the cgroup of
 * each. Nothing is asked again and again: it tells. */
typedef struct _EppdUnitWatch EppdUnitWatch;

typedef struct {
  /* @is_there: a manager is on the bus, or not (any more). Told once at first. What units there
   * were before is void when it says true. */
  void (*manager)(bool is_there, gpointer data);
  /* @cgroup: path below the v2 root; NULL: it has none, or is gone. Told again where it may have
   * changed. */
  void (*unit)(const char *name, const char *cgroup, gpointer data);
} EppdUnitListener;

/* @listener must outlive it. Units that are named as no application's are never told. */
EppdUnitWatch *eppd_unit_watch_new(GDBusConnection *bus,
                                   const EppdUnitListener *listener,
                                   gpointer data);
void eppd_unit_watch_free(EppdUnitWatch *watch);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdUnitWatch, eppd_unit_watch_free)
