/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"

#include <glib.h>
#include <stdbool.h>

/* Whether Intel's turbo is switched off though it is there (hardware/intel-pstate.h), which
 * power-profiles-daemon takes for a CPU that is too hot. Owns its GSource. */
typedef struct _EppdTurboWatch EppdTurboWatch;

/* Reads at once. @changed is never called from within a function below. */
EppdTurboWatch *eppd_turbo_watch_new(EppdSysRoot *root,
                                     void (*changed)(gpointer data),
                                     gpointer data);
void eppd_turbo_watch_free(EppdTurboWatch *watch);

bool eppd_turbo_watch_is_off(const EppdTurboWatch *watch);
/* The driver may be another, or the machine slept: reads again, and watches the file anew. */
void eppd_turbo_watch_look_again(EppdTurboWatch *watch);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdTurboWatch, eppd_turbo_watch_free)
