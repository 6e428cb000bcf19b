/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "sim-policy.h"

/* The driver acpi-cpufreq: without EPP, and several CPUs may share a policy. */
extern const SimPolicyDriver sim_acpi_cpufreq_driver;
