/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"
#include "daemon/journal.h"
#include "hardware/amd-pstate.h"

/* What we change in the kernel besides EPP (its own epp_boost, dynamic_epp on take-over): the value
 * found is kept, and journalled, and put back. */
typedef struct _EppdKernelSettings EppdKernelSettings;

/* Borrows both. */
EppdKernelSettings *eppd_kernel_settings_new(EppdSysRoot *root, EppdJournal *journal);
void eppd_kernel_settings_free(EppdKernelSettings *settings);

/* The kernel's own boost on or off while something here wants that; @pstate tells what is there.
 * False, and logged, where the file refuses. */
bool eppd_kernel_settings_want_boost(EppdKernelSettings *settings,
                                     const EppdAmdPstate *pstate,
                                     bool on);
/* The value found is put back, where the file still holds ours. */
void eppd_kernel_settings_release_boost(EppdKernelSettings *settings);

/* DynamicEpp=take-over: the global file (7.1–7.2) is switched off. False if it could not be. */
bool eppd_kernel_settings_take_over_dynamic_epp(EppdKernelSettings *settings,
                                                const EppdAmdPstate *pstate);
void eppd_kernel_settings_release_dynamic_epp(EppdKernelSettings *settings);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdKernelSettings, eppd_kernel_settings_free)
