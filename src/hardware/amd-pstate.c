/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/amd-pstate.h"

#include "base/text-file.h"
#include "hardware/cpufreq-policy.h"
#include "policy/epp.h"

#include <string.h>

/* The first line of a file below the root; NULL where it can't be read. */
static char *
read_line(EppdSysRoot *root, const char *file)
{
  g_autofree char *path = eppd_sys_root_path(root, "%s", file);

  return eppd_text_file_read_line(path, NULL);
}

/* The first CPU's flags stand for all: the feature is the package's. */
static bool
read_cppc_flag(EppdSysRoot *root)
{
  g_autofree char *path = eppd_sys_root_path(root, "/proc/cpuinfo");
  g_autofree char *text = eppd_text_file_read_start(path, NULL);
  g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

  for (guint i = 0; lines[i]; i++) {
    g_auto(GStrv) sides = g_strsplit(lines[i], ":", 2);

    if (!sides[0] || !sides[1] || strcmp(g_strchomp(sides[0]), "flags") != 0)
      continue;
    g_clear_pointer(&text, g_free);
    text = g_strconcat(" ", sides[1], " ", NULL);
    return strstr(text, " cppc ") != NULL;
  }
  return false;
}

/* 7.3 and later have no global file: a policy is dynamic by what its EPP file reads. */
static bool
is_any_policy_dynamic(EppdSysRoot *root)
{
  g_autoptr(GArray) numbers = eppd_cpufreq_policy_numbers(root);

  for (guint i = 0; i < numbers->len; i++) {
    g_autofree char *path = eppd_sys_root_path(
        root, "/sys/devices/system/cpu/cpufreq/policy%u/energy_performance_preference",
        g_array_index(numbers, guint, i));
    g_autofree char *text = eppd_text_file_read_line(path, NULL);

    if (text && eppd_epp_parse(text).kind == EPPD_EPP_DYNAMIC)
      return true;
  }
  return false;
}

void
eppd_amd_pstate_read(EppdSysRoot *root, EppdAmdPstate *pstate)
{
  g_autofree char *status = read_line(root, "/sys/devices/system/cpu/amd_pstate/status");
  g_autofree char *dynamic = read_line(root, EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE);
  g_autofree char *boost = read_line(root, EPPD_AMD_PSTATE_KERNEL_BOOST_FILE);

  *pstate = (EppdAmdPstate){
      .present = status != NULL,
      .active = g_strcmp0(status, "active") == 0,
      .has_cppc_flag = read_cppc_flag(root),
      .has_dynamic_epp = dynamic != NULL,
      .dynamic_epp_on = g_strcmp0(dynamic, EPPD_AMD_PSTATE_DYNAMIC_EPP_ON) == 0,
      .has_kernel_boost = boost != NULL,
      .kernel_boost_on = g_strcmp0(boost, EPPD_AMD_PSTATE_KERNEL_BOOST_ON) == 0,
  };
  if (pstate->active && !pstate->has_dynamic_epp)
    pstate->dynamic_epp_on = is_any_policy_dynamic(root);
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
