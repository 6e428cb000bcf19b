/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"

#include <stdbool.h>

/* The directories in which the kernel lists its devices. */

/* The names in the directory @path (absolute, below the root), sorted by strcmp(). Empty where
 * there is no such directory. A GPtrArray of char*, owned by the caller. */
GPtrArray *eppd_directory_names(EppdSysRoot *root, const char *path);

/* Whether @name is @prefix and a number, as "cpu12" is with "cpu". */
bool eppd_directory_name_is_numbered(const char *name, const char *prefix);
