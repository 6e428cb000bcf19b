/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "sim-tree.h"

/* RAPL's package below /sys/class/powercap, which uses 10 W all the time. */
typedef struct SimPowercap SimPowercap;

/* Its counter wraps past this: what Intel's packages have. */
#define SIM_POWERCAP_MAX_UJ G_GUINT64_CONSTANT(262143328850)
#define SIM_POWERCAP_WATTS  10

SimPowercap *sim_powercap_new(SimTree *tree);
/* After the tree no longer has its files. */
void sim_powercap_free(SimPowercap *powercap);
/* As if so much more had been used, so that the wrap can be had at once. */
void sim_powercap_use(SimPowercap *powercap, guint64 energy_uj);
/* What energy_uj reads after @energy_uj in all. */
guint64 sim_powercap_wrap(guint64 energy_uj);
