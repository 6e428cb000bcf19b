/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"

#include <stdbool.h>

/* Intel's energy performance bias, cpuN/power/energy_perf_bias, which is there with and without
 * EPP. Offline CPUs have no such file, or refuse it: they are skipped. */

/* Whether any CPU has one. */
bool eppd_energy_perf_bias_is_present(EppdSysRoot *root);
/* Writes @bias (0..15) to every CPU's file that does not read so already (a name that means it
 * counts too: performance 0, balance-performance 4, normal 6, balance-power 8, power 15). All are
 * tried; the first that is there and refuses is the error, which names the file. */
gboolean eppd_energy_perf_bias_write_all(EppdSysRoot *root, guint bias, GError **error);
