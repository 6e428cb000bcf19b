/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "games/desktop-entry.h"
#include "games/game-identity.h"

/* By what the application of a desktop entry can be recognised: its @id (without ".desktop"; may be
 * NULL), its @path (likewise), the flatpak or snap that it says it is of, and what its Exec=
 * starts; not the latter where it is DBusActivatable=, since then nobody need run it. Array of
 * EppdGameIdentity, owned by the caller. */
GPtrArray *eppd_entry_identities(const char *id, const char *path, const EppdDesktopEntry *entry);
