/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/amd-pstate.h"

#include "base/text-file.h"
#include "hardware/cpu-info.h"

#include <string.h>

/* The first line of a file below the root; NULL where it can't be read. */
static char *
read_line(EppdSysRoot *root, const char *file)
{
  g_autofree char *path = eppd_sys_root_path(root, "%s", file);

  return eppd_text_file_read_line(path, NULL);
}

static bool
read_cppc_flag(EppdSysRoot *root)
{
  g_autofree char *value = eppd_cpu_info_value(root, "flags");
  g_auto(GStrv) flags = g_strsplit(value ? value : "", " ", -1);

  return g_strv_contains((const char *const *)flags, "cppc");
}

void
eppd_amd_pstate_refresh_mode(EppdSysRoot *root, EppdAmdPstate *pstate)
{
  g_autofree char *status = read_line(root, "/sys/devices/system/cpu/amd_pstate/status");
  g_autofree char *dynamic = read_line(root, EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE);

  pstate->present = status != NULL;
  pstate->active = g_strcmp0(status, "active") == 0;
  pstate->has_dynamic_epp = dynamic != NULL;
  pstate->dynamic_epp_on = g_strcmp0(dynamic, EPPD_AMD_PSTATE_DYNAMIC_EPP_ON) == 0;
}

bool
eppd_amd_pstate_read_kernel_boost(EppdSysRoot *root, bool *on)
{
  g_autofree char *boost = read_line(root, EPPD_AMD_PSTATE_KERNEL_BOOST_FILE);

  if (boost)
    *on = strcmp(boost, EPPD_AMD_PSTATE_KERNEL_BOOST_ON) == 0;
  return boost != NULL;
}

void
eppd_amd_pstate_refresh(EppdSysRoot *root, EppdAmdPstate *pstate)
{
  eppd_amd_pstate_refresh_mode(root, pstate);
  pstate->kernel_boost_on = false;
  pstate->has_kernel_boost = eppd_amd_pstate_read_kernel_boost(root, &pstate->kernel_boost_on);
}

void
eppd_amd_pstate_read(EppdSysRoot *root, EppdAmdPstate *pstate)
{
  *pstate = (EppdAmdPstate){.has_cppc_flag = read_cppc_flag(root)};
  eppd_amd_pstate_refresh(root, pstate);
}

char *
eppd_amd_pstate_status_path(EppdSysRoot *root)
{
  return eppd_sys_root_path(root, "/sys/devices/system/cpu/amd_pstate/status");
}

static gboolean
update(EppdSysRoot *root, const char *file, const char *text, GError **error)
{
  g_autofree char *path = eppd_sys_root_path(root, "%s", file);

  return eppd_text_file_update(path, text, error);
}

const char *
eppd_amd_pstate_known_value(const char *path, const char *value)
{
  static const struct {
    const char *path;
    const char *values[2];
  } files[] = {
      {EPPD_AMD_PSTATE_KERNEL_BOOST_FILE,
       {EPPD_AMD_PSTATE_KERNEL_BOOST_ON, EPPD_AMD_PSTATE_KERNEL_BOOST_OFF}},
      {EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE,
       {EPPD_AMD_PSTATE_DYNAMIC_EPP_ON, EPPD_AMD_PSTATE_DYNAMIC_EPP_OFF}},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    for (gsize j = 0; j < G_N_ELEMENTS(files[i].values); j++) {
      if (strcmp(files[i].path, path) == 0 && g_strcmp0(files[i].values[j], value) == 0)
        return files[i].values[j];
    }
  }
  return NULL;
}

gboolean
eppd_amd_pstate_write_kernel_boost(EppdSysRoot *root, bool on, GError **error)
{
  return update(root, EPPD_AMD_PSTATE_KERNEL_BOOST_FILE,
                on ? EPPD_AMD_PSTATE_KERNEL_BOOST_ON : EPPD_AMD_PSTATE_KERNEL_BOOST_OFF, error);
}

gboolean
eppd_amd_pstate_write_dynamic_epp(EppdSysRoot *root, bool on, GError **error)
{
  return update(root, EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE,
                on ? EPPD_AMD_PSTATE_DYNAMIC_EPP_ON : EPPD_AMD_PSTATE_DYNAMIC_EPP_OFF, error);
}
