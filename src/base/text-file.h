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

/* The first line alone. Attributes hold one line; where a plain file stands for one, older and
 * longer bytes may follow it (see eppd_text_file_write()). EPPD_ERROR_EMPTY for a blank line. */
char *eppd_text_file_read_line(const char *path, GError **error);

/* The first EPPD_TEXT_FILE_MAX bytes of a file that may be longer. */
char *eppd_text_file_read_start(const char *path, GError **error);

/* The first line, at most 4 KiB, from an open descriptor at offset 0, by one pread(2) (sysfs files
 * are read anew by each pread there). @path is for messages. */
char *eppd_text_file_pread(int fd, const char *path, GError **error);

/* The first line's decimal number within @min..@max; EPPD_ERROR_INVALID otherwise. */
gboolean eppd_text_file_read_number(
    const char *path, gint64 min, gint64 max, gint64 *value, GError **error);

/* Writes @text and a newline to an existing file, in one pwrite(2) at offset 0; never creates or
 * truncates. The kernel takes the newline as it does from echo; in a plain file that stands for an
 * attribute it ends the value, where the rest of a longer one remains: "power" over
 * "balance_performance" would read back as "powerce_performance". */
gboolean eppd_text_file_write(const char *path, const char *text, GError **error);

/* The same by an open descriptor. */
gboolean eppd_text_file_pwrite(int fd, const char *path, const char *text, GError **error);

/* Writes @text unless the file's first line is @text already. */
gboolean eppd_text_file_update(const char *path, const char *text, GError **error);
