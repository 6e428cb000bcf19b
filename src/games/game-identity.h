/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* By what a running game and its desktop entry can be known as the same: an entry has some of
 * these, a unit or a process shows some of these, and equal ones belong together. */

typedef enum {
  EPPD_IDENTITY_DESKTOP_ID,    /* a desktop file's id without ".desktop" */
  EPPD_IDENTITY_DESKTOP_FILE,  /* a desktop file's absolute path */
  EPPD_IDENTITY_FLATPAK,       /* a flatpak's application id */
  EPPD_IDENTITY_SNAP,          /* a snap's NAME.APP, both parts even where they are the same */
  EPPD_IDENTITY_STEAM,         /* an app id: 32 bits, decimal; of non-Steam games too */
  EPPD_IDENTITY_LUTRIS_NUMBER, /* Lutris's own number for it: shortcuts alone know it */
  EPPD_IDENTITY_LUTRIS_SLUG,   /* likewise */
  EPPD_IDENTITY_LUTRIS_NAME,   /* the name that it has in Lutris: the shortcut's Name= as well */
  EPPD_IDENTITY_LUTRIS_RUN,    /* a UUID of this one run: some game of Lutris, no entry has it */
  EPPD_IDENTITY_HEROIC,        /* the store's name for it (appName) */
  EPPD_IDENTITY_PROGRAM,       /* a program, as Exec= has it: a name or a path */
} EppdIdentityKind;

/* "steam", "flatpak", … */
const char *eppd_identity_kind_text(EppdIdentityKind kind);

typedef struct {
  EppdIdentityKind kind;
  char *id; /* not empty, valid UTF-8, without control characters */
} EppdGameIdentity;

/* Longer ids are none: a path is the longest that is sensible. */
#define EPPD_GAME_IDENTITY_MAX 4096

/* NULL where @id (may be NULL) can be no id: empty, too long, not UTF-8, with control characters.
 * Owned by the caller. */
EppdGameIdentity *eppd_game_identity_new(EppdIdentityKind kind, const char *id);

/* Of @text, a Steam app id or game id, decimal; NULL for 0, which is Steam's "unknown", and for
 * what is no number. A game id of more than 32 bits is a non-Steam game's: its upper half is the
 * app id. */
EppdGameIdentity *eppd_game_identity_new_steam(const char *text);

void eppd_game_identity_free(EppdGameIdentity *identity);

/* For a hash table, keyed by EppdGameIdentity. */
guint eppd_game_identity_hash(gconstpointer identity);
gboolean eppd_game_identity_equal(gconstpointer a, gconstpointer b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdGameIdentity, eppd_game_identity_free)

/* An array that owns its identities. */
GPtrArray *eppd_game_identities_new(void);

/* Adds @identity and takes it; NULL, and one that is there already, are dropped. */
void eppd_game_identities_take(GPtrArray *identities, EppdGameIdentity *identity);
