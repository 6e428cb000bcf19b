/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/machine.h"

/* What others do to governors, to the driver's mode and to the kernel's own boost. Watching costs
 * no wake-up until it happens. A base that the kernel refused is tried again now and then besides,
 * for a refusal that ends without news. */
typedef struct _EppdMachineWatch EppdMachineWatch;

/* @changed: look at the machine again, and try refused bases again. @mode_changed: policies may
 * have been made anew with the driver's mode. It is to note that, and act later. */
typedef void (*EppdMachineWatchChanged)(bool mode_changed, gpointer data);

EppdMachineWatch *eppd_machine_watch_new(EppdMachine *machine,
                                         EppdMachineWatchChanged changed,
                                         gpointer data);
void eppd_machine_watch_free(EppdMachineWatch *watch);

/* After each change. @retry: something else than a base failed, and is to be tried again. */
void eppd_machine_watch_update(EppdMachineWatch *watch, bool retry);
/* Before policies are looked for: what was told until now is known with that. True where the mode
 * may have been switched. */
bool eppd_machine_watch_take_news(EppdMachineWatch *watch);
/* The policies are others now; the next update watches their files, and until then the old ones
 * tell what happens meanwhile. */
void eppd_machine_watch_reset(EppdMachineWatch *watch);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdMachineWatch, eppd_machine_watch_free)
