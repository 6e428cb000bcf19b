/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"
#include "daemon/journal.h"
#include "hardware/amd-pstate.h"

/* What we change in the kernel besides EPP (its own epp_boost, dynamic_epp on take-over): the value
 * found is kept, and journalled, and put back. What another program sets against us stays so until
 * we no longer want anything, or are told to try again. */
typedef struct _EppdKernelSettings EppdKernelSettings;

/* Borrows both. */
EppdKernelSettings *eppd_kernel_settings_new(EppdSysRoot *root, EppdJournal *journal);
void eppd_kernel_settings_free(EppdKernelSettings *settings);

/* The kernel's own boost on or off while something here wants that; true where there is none.
 * False, and logged, where the file refuses, or another program has set it against us meanwhile. */
bool eppd_kernel_settings_want_boost(EppdKernelSettings *settings, bool on);
/* Whether it is that: another program's doing. */
bool eppd_kernel_settings_boost_is_overruled(const EppdKernelSettings *settings, bool on);
/* The value found is put back, where the file still holds ours. */
void eppd_kernel_settings_release_boost(EppdKernelSettings *settings);

/* DynamicEpp=take-over: the global file (7.1–7.2), which reads enabled, is switched off; the kernel
 * makes all policies anew then. False if it could not be, or if it was before and another program
 * has switched it on again. */
bool eppd_kernel_settings_take_over_dynamic_epp(EppdKernelSettings *settings);
bool eppd_kernel_settings_dynamic_epp_is_overruled(const EppdKernelSettings *settings);
/* True if it was written. */
bool eppd_kernel_settings_release_dynamic_epp(EppdKernelSettings *settings);

/* A person asks for it: what another program has set against us is tried once more. */
void eppd_kernel_settings_try_again(EppdKernelSettings *settings);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdKernelSettings, eppd_kernel_settings_free)
