/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "sim-tree.h"

/* The parameter of the epp_boost RFC, which is there whatever the mode and the machine. */
typedef struct SimEppBoost SimEppBoost;

SimEppBoost *sim_epp_boost_new(SimTree *tree);
/* After the tree no longer has its file. */
void sim_epp_boost_free(SimEppBoost *boost);
/* False: it is (not) there already. A new one is off. */
bool sim_epp_boost_add(SimEppBoost *boost);
bool sim_epp_boost_remove(SimEppBoost *boost);
