/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* The bytes of a file, with a NUL behind them that does not count; owned by the caller. NULL with
 * @error (code by errno), and @length untouched, where it can't be read. Never blocks on a FIFO;
 * links are followed. */

/* The first @max of a file of any kind that may be longer. */
char *eppd_file_bytes_start(const char *path, gsize max, gsize *length, GError **error);

/* All of a regular file; EPPD_ERROR_INVALID for another kind, EPPD_ERROR_LIMIT for more than @max,
 * also where it grows meanwhile. */
char *eppd_file_bytes_all(const char *path, gsize max, gsize *length, GError **error);
