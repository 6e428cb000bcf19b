/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/kernel-settings.h"
#include "daemon/machine.h"

/* Keeps what is known of the machine true: which news there is of it, and when it is looked at for
 * that. Where dynamic EPP is to be taken over, that is done with a look. */
typedef struct _EppdMachineKeeper EppdMachineKeeper;

typedef struct {
  /* It is time for a look: eppd_machine_keeper_look(), and all that follows from it. From the main
   * loop. */
  void (*look)(gpointer data);
  /* Policies are about to be looked for, or made anew: what is boosted is to be put back before. */
  void (*disarm)(gpointer data);
} EppdMachineKeeperListener;

/* Borrows both. */
EppdMachineKeeper *eppd_machine_keeper_new(EppdMachine *machine,
                                           EppdKernelSettings *kernel,
                                           const EppdMachineKeeperListener *listener,
                                           gpointer data);
void eppd_machine_keeper_free(EppdMachineKeeper *keeper);

/* News, each of which is followed by a look; may be told from anywhere. @may_be_new: policies that
 * look the same may have been made anew. */
void eppd_machine_keeper_note_news(EppdMachineKeeper *keeper, bool may_be_new);
/* A CPU device's uevent; @name: "cpuN". The look waits for the storm to pass. */
void eppd_machine_keeper_note_hotplug(EppdMachineKeeper *keeper, const char *name);
/* The machine slept: all policies may have been made anew. The caller looks. */
void eppd_machine_keeper_note_sleep(EppdMachineKeeper *keeper);

/* The looks; true where there are new policies, which a profile must be applied to. @take_over:
 * [Kernel] DynamicEpp. */
bool eppd_machine_keeper_look(EppdMachineKeeper *keeper, bool take_over);
/* At the start: what the scan that made the machine does not tell by itself. */
bool eppd_machine_keeper_begin(EppdMachineKeeper *keeper, bool take_over);
/* Before a profile is applied, for which somebody waits: at the driver's mode alone, and at what is
 * due already. A look follows where there are new policies. */
void eppd_machine_keeper_look_at_mode(EppdMachineKeeper *keeper, bool take_over);
/* A person asks: at all there is, and what other programs set against us is tried again. */
void eppd_machine_keeper_look_anew(EppdMachineKeeper *keeper, bool take_over);

/* After each change: what is watched, and whether something is to be tried again; @has_failed:
 * something is besides the machine's own. */
void eppd_machine_keeper_update(EppdMachineKeeper *keeper, bool has_failed);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdMachineKeeper, eppd_machine_keeper_free)
