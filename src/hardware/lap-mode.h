/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"

#include <stdbool.h>

/* Whether a ThinkPad feels that it lies on a lap, and therefore holds its power down:
 * /sys/devices/platform/thinkpad_acpi/dytc_lapmode. */

/* Opens the file, and reads it by that descriptor, which from then on raises POLLPRI (| POLLERR)
 * for a change that the kernel tells; a plain file that stands for it never does. @on_lap: false
 * also where there is no such file, or it says nothing that makes sense; untouched where the file
 * is empty, as a plain one is while somebody writes it. Returns -1 where there is none; else the
 * descriptor is the caller's to close. */
int eppd_lap_mode_open(EppdSysRoot *root, bool *on_lap);

/* Its directory, there or not, to watch by inotify; owned by the caller. */
char *eppd_lap_mode_directory(EppdSysRoot *root);
