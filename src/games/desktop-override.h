/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "games/desktop-dirs.h"
#include "games/game-rule.h"

/* Opting a game in and out by its desktop entry. It is the user's file that is written, a copy of
 * the system's where there was none, and of it nothing is changed but eppd's four keys in
 * [Desktop Entry]: all other bytes stay. */

/* @bytes, a desktop file, with just the @keys; owned by the caller, *@new_length bytes and a NUL. A
 * key that is there already is changed where its last line is, or kept byte for byte if it says so
 * already; its other lines go. A new one goes behind the header, with that line's end. NULL with
 * @error: EPPD_ERROR_INVALID for a text without [Desktop Entry] or with nothing behind it,
 * EPPD_ERROR_LIMIT for one that is, or would be, longer than EPPD_DESKTOP_TEXT_MAX. */
char *eppd_desktop_override_text(
    const char *bytes, gsize length, const EppdBoostKeys *keys, gsize *new_length, GError **error);

typedef enum {
  EPPD_OVERRIDE_UNCHANGED, /* it was so already */
  EPPD_OVERRIDE_WRITTEN,
  EPPD_OVERRIDE_REMOVED, /* the user's copy would say what the system's file says */
} EppdOverrideResult;

/* Sets the keys of the entry @id to just these, in the user's file. That is written at once or not
 * at all (a new file in its place), below the user's applications directory at the path that gives
 * the same id; links below that directory are never followed, and a link in the file's place is
 * replaced, not written through. A user's file that would come to be equal to the system's is
 * removed instead. @result and @path (the user's file, or the file that counts if nothing changed;
 * may be NULL, owned by the caller) are set on success. @error: as eppd_desktop_dirs_find(),
 * eppd_desktop_text_read() and above, and by errno. */
gboolean eppd_desktop_override_set(const EppdDesktopDirs *dirs,
                                   const char *id,
                                   const EppdBoostKeys *keys,
                                   EppdOverrideResult *result,
                                   char **path,
                                   GError **error);

/* Takes the keys out of the user's file, so that a copy which was made for them goes. Where the
 * entry would still be opted in, by the system's file or by a category of @settings, it says
 * X-Eppd-Boost=false; where it says that already, as people write it against GameMode, it stays.
 * Else as above. */
gboolean eppd_desktop_override_disable(const EppdDesktopDirs *dirs,
                                       const char *id,
                                       const EppdGameSettings *settings,
                                       EppdOverrideResult *result,
                                       char **path,
                                       GError **error);
