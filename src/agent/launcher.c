/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/launcher.h"

#include <string.h>

static const struct {
  EppdIdentityKind kind;
  const char *id;
} launchers[] = {
    {EPPD_IDENTITY_DESKTOP_ID, "com.heroicgameslauncher.hgl"},
    {EPPD_IDENTITY_DESKTOP_ID, "com.valvesoftware.Steam"},
    {EPPD_IDENTITY_DESKTOP_ID, "heroic"},
    {EPPD_IDENTITY_DESKTOP_ID, "lutris"},
    {EPPD_IDENTITY_DESKTOP_ID, "net.lutris.Lutris"},
    {EPPD_IDENTITY_DESKTOP_ID, "steam"},
    {EPPD_IDENTITY_DESKTOP_ID, "steam-native"},
    {EPPD_IDENTITY_FLATPAK, "com.heroicgameslauncher.hgl"},
    {EPPD_IDENTITY_FLATPAK, "com.valvesoftware.Steam"},
    {EPPD_IDENTITY_FLATPAK, "net.lutris.Lutris"},
    {EPPD_IDENTITY_PROGRAM, "heroic"},
    {EPPD_IDENTITY_PROGRAM, "lutris"},
    {EPPD_IDENTITY_PROGRAM, "steam"},
    {EPPD_IDENTITY_PROGRAM, "steam-native"},
    {EPPD_IDENTITY_PROGRAM, "steam-runtime"},
    {EPPD_IDENTITY_SNAP, "steam.steam"},
};

bool
eppd_launcher_is_one(const EppdGameIdentity *identity)
{
  const char *id = identity->id;

  if (identity->kind == EPPD_IDENTITY_PROGRAM && strchr(id, '/'))
    id = strrchr(id, '/') + 1;
  for (guint i = 0; i < G_N_ELEMENTS(launchers); i++) {
    if (launchers[i].kind == identity->kind && strcmp(launchers[i].id, id) == 0)
      return true;
  }
  return false;
}

bool
eppd_launcher_is_game(const EppdGameIdentity *identity)
{
  switch (identity->kind) {
  case EPPD_IDENTITY_STEAM:
  case EPPD_IDENTITY_LUTRIS_NUMBER:
  case EPPD_IDENTITY_LUTRIS_SLUG:
  case EPPD_IDENTITY_LUTRIS_NAME:
  case EPPD_IDENTITY_HEROIC:
    return true;
  case EPPD_IDENTITY_DESKTOP_ID:
  case EPPD_IDENTITY_DESKTOP_FILE:
  case EPPD_IDENTITY_FLATPAK:
  case EPPD_IDENTITY_SNAP:
  case EPPD_IDENTITY_LUTRIS_RUN:
  case EPPD_IDENTITY_PROGRAM:
    return false;
  }
  return false;
}
