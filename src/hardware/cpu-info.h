/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"

/* /proc/cpuinfo, of which the first CPU stands for all: vendor and features are the package's. */

/* The value of the first line whose key is @key ("flags", "vendor_id"), white space around it
 * stripped, "" where it has none; NULL where there is no such line. Only the first 64 KiB are
 * looked at. Owned by the caller. */
char *eppd_cpu_info_value(EppdSysRoot *root, const char *key);
