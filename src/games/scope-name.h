/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "games/game-identity.h"

/* What application a systemd unit is of, by its name:
 *
 *   app[-LAUNCHER]-ID-RANDOM.scope         desktops and launchers; RANDOM may be a pid
 *   app[-LAUNCHER]-ID[@RANDOM].service     KDE; @autostart
 *   app-flatpak-ID-INSTANCE.scope          a flatpak
 *   app-steam-appN-PID.scope               a game of Steam
 *   snap.NAME.APP.UUID.scope               a snap; newer ones have a `-` before the UUID
 *   dbus-:1.N-NAME@M.service               what dbus-broker started, for a DBusActivatable entry
 *
 * LAUNCHER and ID are escaped: all but letters, digits and `:_.` is \xNN, `-` too. Where that was
 * done the first reading is right. Where it was not, a dash may be of either. */

typedef enum {
  EPPD_SCOPE_KIND_SCOPE,
  EPPD_SCOPE_KIND_SERVICE,
} EppdScopeKind;

/* One way to read the name. */
typedef struct {
  EppdGameIdentity *identity; /* desktop id, flatpak, snap, or game of Steam */
  char *launcher;             /* unescaped; NULL if there is none */
  char *instance;             /* RANDOM, PID, INSTANCE, UUID, "autostart"; NULL if there is none */
} EppdScopeReading;

typedef struct {
  EppdScopeKind kind;
  /* Of EppdScopeReading *, one at least: to be tried in this order against the applications that
   * are known. The first is what the rules say. */
  GPtrArray *readings;
} EppdScopeName;

/* Reads a unit's name, or the path of a cgroup: its innermost part that is an application's unit.
 * NULL for what is no application: other units, slices, templates, bad escapes, names that are too
 * long to be a unit's. Owned by the caller. */
EppdScopeName *eppd_scope_name_parse(const char *text);
void eppd_scope_name_free(EppdScopeName *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdScopeName, eppd_scope_name_free)
