/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/entry-identity.h"

#include "games/exec-line.h"

static void
take_exec(GPtrArray *identities, const EppdDesktopEntry *entry)
{
  EppdGameIdentity *identity = eppd_exec_line_identity(entry->exec);

  /* A game of Lutris knows neither the number nor the slug of its shortcut, only its name. */
  if (identity && (identity->kind == EPPD_IDENTITY_LUTRIS_NUMBER ||
                   identity->kind == EPPD_IDENTITY_LUTRIS_SLUG))
    eppd_game_identities_take(identities,
                              eppd_game_identity_new(EPPD_IDENTITY_LUTRIS_NAME, entry->name));
  eppd_game_identities_take(identities, identity);
}

GPtrArray *
eppd_entry_identities(const char *id, const char *path, const EppdDesktopEntry *entry)
{
  GPtrArray *identities = eppd_game_identities_new();

  eppd_game_identities_take(identities, eppd_game_identity_new(EPPD_IDENTITY_DESKTOP_ID, id));
  eppd_game_identities_take(identities, eppd_game_identity_new(EPPD_IDENTITY_DESKTOP_FILE, path));
  eppd_game_identities_take(identities,
                            eppd_game_identity_new(EPPD_IDENTITY_FLATPAK, entry->flatpak));
  if (entry->snap_instance && entry->snap_app) {
    g_autofree char *snap = g_strconcat(entry->snap_instance, ".", entry->snap_app, NULL);

    eppd_game_identities_take(identities, eppd_game_identity_new(EPPD_IDENTITY_SNAP, snap));
  }
  if (entry->exec && !entry->dbus_activatable)
    take_exec(identities, entry);
  return identities;
}
