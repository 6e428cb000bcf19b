/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "games/boost-keys.h"

#include <glib.h>
#include <stdbool.h>

/* What matters of a desktop entry: of the group [Desktop Entry] alone, without translations. Of a
 * key that is there twice the last one counts, as in GKeyFile: if its value is wrong, none does. */
typedef struct {
  /* NULL where the key is not there. All but @exec are valid UTF-8, with U+FFFD for what was not;
   * of the characters that they may hold a terminal should be spared some (base/printable.h). */
  char *type;
  char *name;
  char *exec; /* bytes; the general escapes are undone, the quoting is not: games/exec-line.h */
  char *startup_wm_class;
  char *flatpak;       /* X-Flatpak: the application's id */
  char *snap_instance; /* X-SnapInstanceName: the snap */
  char *snap_app;      /* X-SnapAppName: its application */
  char **categories;   /* never NULL */
  bool hidden;         /* as if the entry were not there */
  bool no_display;
  bool dbus_activatable; /* Exec= is for those who can't do D-Bus */
  bool prefers_non_default_gpu;
  EppdBoostKeys keys;
  GPtrArray *problems; /* of char *: what is wrong with eppd's keys, "line 4: X-Eppd-Boost=maybe:
                        * expected true or false; ignoring it"; safe to print, 16 at most */
} EppdDesktopEntry;

/* Reads an entry from @bytes, which may be anything. NULL with @error: EPPD_ERROR_LIMIT for more
 * than EPPD_DESKTOP_TEXT_MAX bytes, EPPD_ERROR_INVALID where there is no group [Desktop Entry].
 * Owned by the caller. */
EppdDesktopEntry *eppd_desktop_entry_parse(const char *bytes, gsize length, GError **error);

/* The same of a file; the errors of eppd_desktop_text_read() too. @error names the file. */
EppdDesktopEntry *eppd_desktop_entry_load(const char *path, GError **error);

void eppd_desktop_entry_free(EppdDesktopEntry *entry);

/* An application, and not deleted: what an entry that can be started is. */
bool eppd_desktop_entry_is_application(const EppdDesktopEntry *entry);

/* Whether it is of @category; exact, as the menu specification has it. */
bool eppd_desktop_entry_has_category(const EppdDesktopEntry *entry, const char *category);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdDesktopEntry, eppd_desktop_entry_free)
