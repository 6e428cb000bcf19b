/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"

#include <stdbool.h>

/* amd-pstate's files beside the policies: status, dynamic_epp, and the epp_boost parameter of the
 * kernel RFC. */

/* The two files of these that are written, below the root, and the values that they read back as.
 */
#define EPPD_AMD_PSTATE_KERNEL_BOOST_FILE "/sys/module/amd_pstate/parameters/epp_boost"
#define EPPD_AMD_PSTATE_KERNEL_BOOST_ON   "Y"
#define EPPD_AMD_PSTATE_KERNEL_BOOST_OFF  "N"
#define EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE  "/sys/devices/system/cpu/amd_pstate/dynamic_epp"
#define EPPD_AMD_PSTATE_DYNAMIC_EPP_ON    "enabled"
#define EPPD_AMD_PSTATE_DYNAMIC_EPP_OFF   "disabled"

typedef struct {
  bool present;          /* amd_pstate/status exists */
  bool active;           /* …and reads active */
  bool has_cppc_flag;    /* "cppc" among cpuinfo's flags: an MSR system */
  bool has_dynamic_epp;  /* the global file of 7.1–7.2 exists (7.3+: each policy's EPP tells) */
  bool dynamic_epp_on;   /* …and reads enabled */
  bool has_kernel_boost; /* /sys/module/amd_pstate/parameters/epp_boost exists */
  bool kernel_boost_on;
} EppdAmdPstate;

/* Whatever is missing or odd counts as not there. */
void eppd_amd_pstate_read(EppdSysRoot *root, EppdAmdPstate *pstate);

/* Likewise, but for what can't change: the CPU's flags. */
void eppd_amd_pstate_refresh(EppdSysRoot *root, EppdAmdPstate *pstate);
/* Only what two files tell: present, active, has_dynamic_epp, dynamic_epp_on. */
void eppd_amd_pstate_refresh_mode(EppdSysRoot *root, EppdAmdPstate *pstate);

/* The kernel's own boost as it is now; false where there is none. */
bool eppd_amd_pstate_read_kernel_boost(EppdSysRoot *root, bool *on);

char *eppd_amd_pstate_status_path(EppdSysRoot *root);

/* The constant text of @value, if @path is one of the two files that are written and @value one of
 * its values; else NULL: what comes from a file is no licence to write anything anywhere. */
const char *eppd_amd_pstate_known_value(const char *path, const char *value);

/* Each writes only a value that differs: the kernel refuses another enabled, or registers the
 * driver anew for it. */
gboolean eppd_amd_pstate_write_kernel_boost(EppdSysRoot *root, bool on, GError **error);
gboolean eppd_amd_pstate_write_dynamic_epp(EppdSysRoot *root, bool on, GError **error);
