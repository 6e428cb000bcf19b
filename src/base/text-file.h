/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* Small text files of the kernel: read in one go, at most EPPD_TEXT_FILE_MAX bytes, surrounding
 * white space stripped. */
#define EPPD_TEXT_FILE_MAX 65536

/* The text of @path; NULL with @error (code by errno; EPPD_ERROR_EMPTY for a file that holds only
 * white space, EPPD_ERROR_INVALID for NUL bytes, EPPD_ERROR_LIMIT for a longer file). Never blocks
 * on a FIFO. Owned by the caller. */
char *eppd_text_file_read(const char *path, GError **error);

/* The same from an open descriptor, at offset 0 (sysfs files are read anew by each pread there).
 * @path is for messages. At most 4 KiB. */
char *eppd_text_file_pread(int fd, const char *path, GError **error);

/* The file's decimal number within @min..@max; EPPD_ERROR_INVALID otherwise. */
gboolean eppd_text_file_read_number(
    const char *path, gint64 min, gint64 max, gint64 *value, GError **error);

/* Writes @text to an existing file, in one write(2); never creates or truncates. */
gboolean eppd_text_file_write(const char *path, const char *text, GError **error);

/* The same at offset 0 of an open descriptor. */
gboolean eppd_text_file_pwrite(int fd, const char *path, const char *text, GError **error);
