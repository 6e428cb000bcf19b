/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"

#include <stdbool.h>

/* intel_pstate's files beside the policies. */

/* Whether turbo is there and switched off, by the firmware or by somebody: no_turbo reads 1, and
 * means something since turbo_pct (which hybrid parts do not have) is there and not 0. Whatever is
 * missing or odd counts as not there. */
bool eppd_intel_pstate_turbo_is_off(EppdSysRoot *root);
/* Whether the kernel raises a core's minimum for some milliseconds after it waited for I/O
 * (hwp_dynamic_boost). Missing or odd: no. */
bool eppd_intel_pstate_hwp_boost_is_on(EppdSysRoot *root);
/* no_turbo's path, there or not; owned by the caller. */
char *eppd_intel_pstate_no_turbo_path(EppdSysRoot *root);
