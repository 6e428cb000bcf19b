/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/cpufreq-settings.h"

#include "base/error.h"
#include "base/log.h"

static void
warn_unless_set(EppdCpufreqPolicy *policy, const char *what, const GError *error)
{
  if (error && !g_error_matches(error, EPPD_ERROR, EPPD_ERROR_GONE))
    eppd_warning(eppd_cpufreq_policy_name(policy), "%s not set: %s; ignoring", what,
                 error->message);
}

void
eppd_cpufreq_settings_apply_governor(EppdCpufreqPolicy *policy, const char *governor)
{
  g_autoptr(GError) error = NULL;

  if (governor)
    eppd_cpufreq_policy_write_governor(policy, governor, &error);
  else
    eppd_cpufreq_policy_refresh_governor(policy);
  warn_unless_set(policy, "governor", error);
}

static void
apply_core_boost(EppdCpufreqPolicy *policy, const EppdProfileSettings *settings)
{
  g_autoptr(GError) error = NULL;

  if (settings->core_boost < 0)
    return;
  eppd_cpufreq_policy_write_core_boost(policy, settings->core_boost, &error);
  warn_unless_set(policy, "core boost", error);
}

static void
apply_floor(EppdCpufreqPolicy *policy, const EppdProfileSettings *settings)
{
  g_autoptr(GError) error = NULL;
  const char *file = NULL;

  switch (settings->floor) {
  case EPPD_FLOOR_LEAVE:
    return;
  case EPPD_FLOOR_CPUINFO_MIN:
    file = "cpuinfo_min_freq";
    break;
  case EPPD_FLOOR_LOWEST_NONLINEAR:
    file = "amd_pstate_lowest_nonlinear_freq";
    break;
  }
  eppd_cpufreq_policy_write_min_freq_from(policy, file, &error);
  warn_unless_set(policy, "frequency floor", error);
}

void
eppd_cpufreq_settings_apply_frequencies(EppdCpufreqPolicy *policy,
                                        const EppdProfileSettings *settings)
{
  apply_core_boost(policy, settings);
  apply_floor(policy, settings);
}
