/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "sim-tree.h"

/* A simulated machine: its CPUs, cpufreq driver, firmware and power supplies, in a tree of files.
 * The rules are those of the kernels named; each model's test has their table. */
typedef struct SimMachine SimMachine;

/* By what amd-pstate's EPP files do. */
typedef enum {
  SIM_KERNEL_7_0, /* up to 7.0: names only */
  SIM_KERNEL_7_1, /* 7.1 and 7.2: raw numbers, the global dynamic_epp file */
  SIM_KERNEL_7_3, /* from 7.3: `dynamic` for each policy */
} SimKernelVersion;

typedef struct {
  guint n_cpus;
  guint cpus_per_policy; /* with amd-pstate 1 */
  const char *driver;    /* "amd-pstate", "intel_pstate", "acpi-cpufreq", or NULL: no cpufreq */
  const char *mode;      /* of the driver: "active", "passive", "guided" */
  SimKernelVersion kernel;
  bool has_cppc;      /* in /proc/cpuinfo: an MSR system */
  bool has_epp_boost; /* the RFC's parameter */
  bool has_epb;       /* energy_perf_bias of each CPU */
  bool has_battery;   /* besides the AC adapter */
  bool has_powercap;
  const char *platform_choices;  /* separated by spaces; NULL: no platform_profile */
  const char *platform_choices2; /* of a second handler; NULL: one */
  bool has_platform_class;       /* 6.14+: the class beside the legacy files */
} SimMachineOptions;

/* Borrows @tree, which must outlive it; all below its /sys and /proc is the machine's, and goes
 * with it. Strings are copied. What makes no sense (a mode that the driver has not, choices that
 * are no profiles) is left out. */
SimMachine *sim_machine_new(const SimMachineOptions *options, SimTree *tree);
void sim_machine_free(SimMachine *machine);

/* clang-format off */
/* What happens to the machine besides what is written into its files (whole words, one space
 * between):
 *   cpu N offline|online                       as a write to cpuN/online
 *   mode active|passive|guided|disable         as a write to amd_pstate/status, or intel_pstate's
 *   supply NAME online 0|1|2                   with a uevent
 *   supply NAME add TYPE | supply NAME remove  TYPE: Mains, Battery, USB …
 *   supply NAME set FILE TEXT                  silently; "device/…": of its parent
 *   platform firmware PROFILE                  a key of the keyboard: POLLPRI
 *   platform add CHOICES… | platform remove    a handler that comes late, or goes
 *   suspend                                    CPUs but 0 go as the kernel has them go: no uevents
 *   resume [epp-performance]                   with the bug of 6.15–6.16: every EPP at performance
 *   epp_boost add|remove                       the parameter of the RFC
 *   dynamic N                                  7.3+: policyN enters dynamic
 *   epp N VALUE                                amd-pstate: policyN's EPP, 0..255, by the hardware
 *                                              itself; without a name it reads as the kernel has it
 *   powercap use UJ                            so much energy more
 *   set PATH TEXT                              a constant text file, by the kernel itself
 * False with @error (transfer full, says what is wrong) where it makes no sense. */
/* clang-format on */
bool sim_machine_command(SimMachine *machine, const char *command, char **error);
