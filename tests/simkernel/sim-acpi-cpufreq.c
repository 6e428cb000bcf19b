/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-acpi-cpufreq.h"

static int
show_frequencies(const SimPolicy *policy, GString *text)
{
  g_string_append(text, "3300000 2400000 1400000 \n");
  return 0;
}

static const SimPolicyFile files[] = {
    {"scaling_available_frequencies", show_frequencies, NULL},
    {NULL},
};

const SimPolicyDriver sim_acpi_cpufreq_driver = {
    .name = "acpi-cpufreq",
    .has_core_boost = true,
    .min_khz = 1400000,
    .max_khz = 4400000,
    .nominal_khz = 3300000,
    .files = files,
};
