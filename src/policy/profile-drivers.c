/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/profile-drivers.h"

#include <glib.h>

#define DRIVER_MULTIPLE "multiple"

const char *
eppd_profile_cpu_driver(const EppdProfileDrivers *drivers, EppdProfile profile)
{
  return drivers->cpu;
}

const char *
eppd_profile_platform_driver(const EppdProfileDrivers *drivers, EppdProfile profile)
{
  if (profile == EPPD_PROFILE_PERFORMANCE &&
      g_strcmp0(drivers->platform, EPPD_DRIVER_PLACEHOLDER) == 0)
    return NULL;
  return drivers->platform;
}

const char *
eppd_profile_driver(const EppdProfileDrivers *drivers, EppdProfile profile)
{
  const char *cpu = eppd_profile_cpu_driver(drivers, profile);
  const char *platform = eppd_profile_platform_driver(drivers, profile);

  if (cpu && platform)
    return DRIVER_MULTIPLE;
  return cpu ? cpu : platform;
}

bool
eppd_profile_is_available(const EppdProfileDrivers *drivers, EppdProfile profile)
{
  return eppd_profile_driver(drivers, profile) != NULL;
}
