/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/profile.h"

/* What a profile means for one policy besides its EPP. */

/* Everything besides EPP that power-profiles-daemon switches (facts: power-profiles-daemon section
 * 2). */
typedef struct {
  const char *governor; /* "powersave" or "performance"; NULL: leave alone */
  int core_boost;       /* 0, 1; -1: leave alone */
  enum { EPPD_FLOOR_LEAVE, EPPD_FLOOR_CPUINFO_MIN, EPPD_FLOOR_LOWEST_NONLINEAR } floor;
} EppdProfileSettings;

/* @manage_*: the configuration's Governor, CoreBoost, FrequencyFloor. */
EppdProfileSettings eppd_decide_profile_settings(EppdProfile profile,
                                                 bool manage_governor,
                                                 bool manage_core_boost,
                                                 bool manage_floor);
