/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/intel-pstate.h"

#include "base/text-file.h"

#define INTEL_PSTATE "/sys/devices/system/cpu/intel_pstate/"

/* The number in a file of the directory; 0 where it is none of 0..@max. */
static gint64
read_number(EppdSysRoot *root, const char *file, gint64 max)
{
  g_autofree char *path = eppd_sys_root_path(root, INTEL_PSTATE "%s", file);
  gint64 number = 0;

  eppd_text_file_read_number(path, 0, max, &number, NULL);
  return number;
}

bool
eppd_intel_pstate_turbo_is_off(EppdSysRoot *root)
{
  return read_number(root, "turbo_pct", 100) > 0 && read_number(root, "no_turbo", 1) == 1;
}

bool
eppd_intel_pstate_hwp_boost_is_on(EppdSysRoot *root)
{
  return read_number(root, "hwp_dynamic_boost", 1) == 1;
}

char *
eppd_intel_pstate_no_turbo_path(EppdSysRoot *root)
{
  return eppd_sys_root_path(root, INTEL_PSTATE "no_turbo");
}
