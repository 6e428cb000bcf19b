/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"

#include <stdbool.h>

/* amdgpu's power knobs, and whether the machine is AMD's at all. */

/* vendor_id in cpuinfo reads AuthenticAMD. */
bool eppd_amdgpu_is_amd_machine(EppdSysRoot *root);

/* The paths of panel_power_savings of the connected eDP connectors
 * (/sys/class/drm/cardN-eDP-M/amdgpu, status "connected"); a GPtrArray of char*, owned by the
 * caller. */
GPtrArray *eppd_amdgpu_panel_files(EppdSysRoot *root);

/* The paths of power_dpm_force_performance_level of the cards (/sys/class/drm/cardN/device), each
 * once; a GPtrArray of char*, owned by the caller. */
GPtrArray *eppd_amdgpu_dpm_files(EppdSysRoot *root);
