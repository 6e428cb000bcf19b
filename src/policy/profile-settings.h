/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/epp.h"
#include "policy/profile.h"

/* What a profile means for one policy besides its EPP, as power-profiles-daemon 0.30 has it. */
typedef struct {
  const char *governor; /* "powersave" or "performance"; NULL: leave alone */
  int core_boost;       /* 0, 1; -1: leave alone */
  enum { EPPD_FLOOR_LEAVE, EPPD_FLOOR_CPUINFO_MIN, EPPD_FLOOR_LOWEST_NONLINEAR } floor;
} EppdProfileSettings;

/* Which of these the configuration lets a profile switch. */
typedef struct {
  bool governor;
  bool core_boost;
  bool floor;
} EppdProfileScope;

/* @driver: the policy's scaling_driver; NULL where unknown. Settings are for amd-pstate in active
 * mode; intel_pstate keeps its governor at powersave in every profile, since EPP is refused under
 * its performance; all else is left alone in other drivers. For the same reason amd-pstate's
 * is performance only where @epp, the one that goes with the profile, is. */
EppdProfileSettings eppd_decide_profile_settings(EppdProfile profile,
                                                 const char *driver,
                                                 const EppdEpp *epp,
                                                 const EppdProfileScope *scope);
