/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* Files below a directory of the user's. @directory may be reached by links, and is made if need
 * be; below it none is followed: not in the directories of @relative, and a link in the file's own
 * place is taken for the file; `..` is EPPD_ERROR_INVALID. So nothing outside is ever written. */

/* Puts a new file in the place of @directory/@relative, all of it or (with @error, by errno)
 * nothing; it is on the disk before the old one goes. It keeps the mode of a regular file that was
 * there. Directories of @relative are made. */
gboolean eppd_user_file_replace(
    const char *directory, const char *relative, const char *bytes, gsize length, GError **error);

/* Removes the file; it is an error (EPPD_ERROR_GONE) if it is not there. */
gboolean eppd_user_file_remove(const char *directory, const char *relative, GError **error);
