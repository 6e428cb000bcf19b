/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "hardware/cpufreq-policy.h"
#include "policy/profile-settings.h"

/* What a profile sets in a cpufreq policy besides EPP. Best effort, and what fails is logged: newer
 * kernels and some parts refuse these, and the EPP is what counts. */

/* NULL: leave it. Either way it is known to @policy afterwards. */
void eppd_cpufreq_settings_apply_governor(EppdCpufreqPolicy *policy, const char *governor);
/* Core boost and the frequency floor. */
void eppd_cpufreq_settings_apply_frequencies(EppdCpufreqPolicy *policy,
                                             const EppdProfileSettings *settings);
