/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The bytes of a desktop file, line by line: so that what is not understood is skipped, and what is
 * not ours can be kept as it is. GKeyFile refuses a whole file for one bad line.
 *
 * The syntax is GKeyFile's: white space around lines, keys and values does not count, `#` starts a
 * comment, groups of one name are one group. A line end is \n or \r\n, a byte order mark before the
 * first line is skipped. Keys below a bad group header belong to no group. */

/* A desktop file is at most this long. */
#define EPPD_DESKTOP_TEXT_MAX (1024 * 1024)

typedef enum {
  EPPD_DESKTOP_LINE_OTHER, /* blank, a comment, or no line of a desktop file; NUL bytes make it so
                            */
  EPPD_DESKTOP_LINE_GROUP,
  EPPD_DESKTOP_LINE_KEY,
} EppdDesktopLineKind;

/* The texts belong to the bytes that are read, and have no NUL behind them. */
typedef struct {
  EppdDesktopLineKind kind;
  guint number;    /* from 1 */
  gsize start;     /* offset of its first byte */
  gsize end;       /* …of the byte behind its line end */
  bool in_entry;   /* it is below [Desktop Entry], or that header itself */
  const char *key; /* of a key: its name with the locale, "Name[de]" */
  gsize key_length;
  const char *value;
  gsize value_length;
} EppdDesktopLine;

/* A place in the bytes, which must outlive it. */
typedef struct {
  const char *bytes;
  gsize length;
  gsize offset;
  guint number;
  bool in_entry;
} EppdDesktopText;

/* @bytes may be anything, and NULL where @length is 0. */
void eppd_desktop_text_init(EppdDesktopText *text, const char *bytes, gsize length);

/* The next line; false, and @line untouched, behind the last one. */
bool eppd_desktop_text_next(EppdDesktopText *text, EppdDesktopLine *line);

/* Whether the line sets @key. */
bool eppd_desktop_line_is_key(const EppdDesktopLine *line, const char *key);

/* All of a desktop file, with a NUL behind it that does not count; NULL with @error: by errno,
 * EPPD_ERROR_INVALID for what is no regular file, EPPD_ERROR_LIMIT for one that is longer than
 * EPPD_DESKTOP_TEXT_MAX. Never blocks on a FIFO; links are followed. Owned by the caller. */
char *eppd_desktop_text_read(const char *path, gsize *length, GError **error);
