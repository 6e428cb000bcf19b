/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/profile.h"

/* Which drivers stand behind a profile, by power-profiles-daemon's names. */

#define EPPD_DRIVER_AMD_PSTATE       "amd_pstate"
#define EPPD_DRIVER_INTEL_PSTATE     "intel_pstate"
#define EPPD_DRIVER_PLATFORM_PROFILE "platform_profile"
#define EPPD_DRIVER_PLACEHOLDER      "placeholder"

/* One of a kind; constant texts. */
typedef struct {
  const char *cpu;      /* NULL: none */
  const char *platform; /* EPPD_DRIVER_PLATFORM_PROFILE or EPPD_DRIVER_PLACEHOLDER */
} EppdProfileDrivers;

/* Each NULL where no driver of that kind does @profile: the placeholder does no performance. */
const char *eppd_profile_cpu_driver(const EppdProfileDrivers *drivers, EppdProfile profile);
const char *eppd_profile_platform_driver(const EppdProfileDrivers *drivers, EppdProfile profile);
/* "multiple" where both do it, else the one that does; NULL where @profile is not available. */
const char *eppd_profile_driver(const EppdProfileDrivers *drivers, EppdProfile profile);
bool eppd_profile_is_available(const EppdProfileDrivers *drivers, EppdProfile profile);
