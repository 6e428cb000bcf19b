/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* A GKeyFile that remembers where each key stood, so that a complaint can name file, line and key.
 */
typedef struct _EppdKeyFile EppdKeyFile;

/* A key file is at most this long; more is EPPD_ERROR_LIMIT. */
#define EPPD_KEY_FILE_MAX (1024 * 1024)

/* Reads @path. A file that does not exist is EPPD_ERROR_GONE. A line that is no key file syntax
 * does not lose the others: the file is read without it, and @bad_line is called for each (it may
 * be NULL); @why goes on where its @text ends: "is below no valid group". A later value of the same
 * group and key wins. Invalid UTF-8 counts as a bad line. NULL with @error only when nothing could
 * be read. */
typedef void (*EppdKeyFileBadLine)(
    const char *path, guint line, const char *text, const char *why, gpointer data);
EppdKeyFile *eppd_key_file_load(const char *path,
                                EppdKeyFileBadLine bad_line,
                                gpointer data,
                                GError **error);
void eppd_key_file_free(EppdKeyFile *file);

const char *eppd_key_file_path(EppdKeyFile *file);

/* The underlying key file; owned by @file. */
GKeyFile *eppd_key_file_get(EppdKeyFile *file);

/* The line (from 1) where @key of @group stands, 0 if it is not there. @key NULL: the group. */
guint eppd_key_file_line(EppdKeyFile *file, const char *group, const char *key);

/* The value of @key, without a comment behind it: key files have none, but people write "HoldMs=300
 * # 0..60000". NULL if it is not there; owned by the caller. */
char *eppd_key_file_value(EppdKeyFile *file, const char *group, const char *key);

/* The paths of @directory's *.conf, in the order of their names; empty where it can't be read.
 * Array of char *, owned by the caller. */
GPtrArray *eppd_key_file_paths(const char *directory);

/* true, yes, on, 1 and their opposites, in any case; false, and @value untouched, for another text.
 */
bool eppd_boolean_parse(const char *text, bool *value);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdKeyFile, eppd_key_file_free)
