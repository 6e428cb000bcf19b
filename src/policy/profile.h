/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/* The three profiles of power-profiles-daemon, in its order. */
typedef enum {
  EPPD_PROFILE_POWER_SAVER,
  EPPD_PROFILE_BALANCED,
  EPPD_PROFILE_PERFORMANCE,
} EppdProfile;

#define EPPD_N_PROFILES 3

bool eppd_profile_parse(const char *text, EppdProfile *profile);
const char *eppd_profile_text(EppdProfile profile);
