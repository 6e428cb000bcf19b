/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/machine-keeper.h"
#include "daemon/profile-keeper.h"
#include "daemon/tuner.h"

/* Whether the machine carries the profile in effect: brings what was chosen, the power source and
 * the machine's news together, and has the tuner write what differs. Owns the three. */
typedef struct _EppdProfileControl EppdProfileControl;

typedef struct {
  /* The profile, its source, the drivers or what degrades it: something that is shown, and that the
   * boost depends on. */
  void (*changed)(gpointer data);
  void (*released)(const EppdProfileHold *hold, gpointer data); /* before changed() */
} EppdProfileControlListener;

/* Borrowed during the call alone. */
typedef struct {
  const char *state_dir;
  const char *const *blocked_drivers; /* names, or NULL */
  const char *const *blocked_actions; /* names, or NULL */
  GDBusConnection *upower_bus;        /* NULL: UPower is not asked */
} EppdProfileControlOptions;

/* Borrows @root, @machine, @keeper, @clients and @config, which must outlive it. Writes nothing. */
EppdProfileControl *eppd_profile_control_new(EppdSysRoot *root,
                                             EppdMachine *machine,
                                             EppdMachineKeeper *keeper,
                                             EppdClients *clients,
                                             const EppdProfileControlOptions *options,
                                             const EppdConfig *config,
                                             const EppdProfileControlListener *listener,
                                             gpointer data);
void eppd_profile_control_free(EppdProfileControl *control);

/* The start: applies for the first time. */
void eppd_profile_control_begin(EppdProfileControl *control);

/* A fresh look at the machine; new policies get the profile, refused ones are tried again. */
void eppd_profile_control_look(EppdProfileControl *control);
/* Borrows @config in the place of the one before, for which the machine was looked at anew, and
 * applies it. */
void eppd_profile_control_reload(EppdProfileControl *control, const EppdConfig *config);
/* The machine woke up: all is read and written again. */
void eppd_profile_control_resume(EppdProfileControl *control);
/* A uevent of @subsystem, CPUs aside. */
void eppd_profile_control_note_device(EppdProfileControl *control, const char *subsystem);

void eppd_profile_control_set_battery_aware(EppdProfileControl *control, bool battery_aware);
/* The switch is saved. Errors: see eppd_actions_set_enabled(). */
gboolean eppd_profile_control_set_action_enabled(EppdProfileControl *control,
                                                 const char *name,
                                                 bool enabled,
                                                 GError **error);

EppdProfileKeeper *eppd_profile_control_keeper(EppdProfileControl *control);
EppdActions *eppd_profile_control_actions(EppdProfileControl *control);
/* The one in effect. */
EppdProfile eppd_profile_control_profile(const EppdProfileControl *control);
EppdPowerSource eppd_profile_control_source(const EppdProfileControl *control);
/* The source that the profile follows: AC also where it is not to follow any (BatteryAware). */
EppdPowerSource eppd_profile_control_followed_source(const EppdProfileControl *control);
/* Bits of EppdDegraded. */
guint eppd_profile_control_degraded(const EppdProfileControl *control);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdProfileControl, eppd_profile_control_free)
