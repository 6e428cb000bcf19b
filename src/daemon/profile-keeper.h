/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/clients.h"
#include "policy/profile-drivers.h"
#include "policy/profile-holds.h"

/* Which profile is in effect: what was selected, what is held, what was saved. It decides and
 * remembers; the switch itself is the listener's. */
typedef struct _EppdProfileKeeper EppdProfileKeeper;

typedef struct {
  /* Carries a switch to @profile out (it may be the one in effect: then what differs is written).
   * @strict: somebody waits for an answer: on failure all is as it was, and @error says why. Else:
   * as much as can be done is done, failures are logged, and it returns TRUE. Must not call the
   * keeper. */
  gboolean (*apply)(EppdProfile profile, bool strict, gpointer data, GError **error);
  /* The active profile or the holds changed; after apply. */
  void (*changed)(gpointer data);
  /* @hold was released, by whatever cause: before the releasing call returns. */
  void (*released)(const EppdProfileHold *hold, gpointer data);
} EppdProfileKeeperListener;

/* Borrows @clients, which must outlive it; each hold references its owner there. Reads the saved
 * state (see eppd_state_load()), and saves an imported one at once as our own. Before set_drivers()
 * nothing is applied, and no profile is available. */
EppdProfileKeeper *eppd_profile_keeper_new(EppdClients *clients,
                                           const char *state_dir,
                                           const char *import_file,
                                           const EppdProfileKeeperListener *listener,
                                           gpointer data);
void eppd_profile_keeper_free(EppdProfileKeeper *keeper);

/* At the start, and whenever a driver may have come or gone. @default_profile: where none was
 * chosen. The first call applies, and each that changes the drivers or the profile. The saved
 * profile is used only with the drivers that it was chosen with: until they are there
 * @default_profile is, and what was saved stays saved unless somebody selects another. Once in use,
 * or selected, it stays so over a driver that comes or goes, for a user's choice sticks; a profile
 * that is no longer available gives way to balanced until it is again. Holds of one that is not are
 * released. Writes no state. */
void eppd_profile_keeper_set_drivers(EppdProfileKeeper *keeper,
                                     const EppdProfileDrivers *drivers,
                                     EppdProfile default_profile);

const EppdProfileDrivers *eppd_profile_keeper_drivers(const EppdProfileKeeper *keeper);
/* The one in effect. */
EppdProfile eppd_profile_keeper_active(const EppdProfileKeeper *keeper);
/* EppdProfileHold, oldest first. */
const GPtrArray *eppd_profile_keeper_holds(const EppdProfileKeeper *keeper);

/* A user's choice: drops all holds, also where the profile is the one in effect, and is saved.
 * EPPD_ERROR_FAILED «Invalid profile name 'X'», «Cannot switch to unavailable profile 'X'»; or what
 * the switch failed with: then nothing changed, holds included. */
gboolean eppd_profile_keeper_select(EppdProfileKeeper *keeper, const char *name, GError **error);
/* The firmware's choice (an Fn key), which is a user's too, and is saved: the other drivers follow,
 * as far as they can. Holds stay, and count again once one is added or ends. */
void eppd_profile_keeper_follow(EppdProfileKeeper *keeper, EppdProfile profile);

/* EPPD_ERROR_INVALID «Only profiles 'performance' and 'power-saver' can be a hold profile» (unknown
 * names too), «Cannot hold profile 'X' as it is not available»; EPPD_ERROR_LIMIT; EPPD_ERROR_GONE
 * where @owner has left the bus meanwhile; or what the switch failed with. Texts are cut at 256
 * bytes at a character boundary. The cookie is random and never 0. */
gboolean eppd_profile_keeper_hold(EppdProfileKeeper *keeper,
                                  const char *owner,
                                  uid_t uid,
                                  const char *name,
                                  const char *reason,
                                  const char *app_id,
                                  guint via,
                                  guint32 *cookie,
                                  GError **error);
/* See eppd_profile_holds_take(). */
gboolean eppd_profile_keeper_release(EppdProfileKeeper *keeper,
                                     guint32 cookie,
                                     const char *owner,
                                     GError **error);
/* @owner left the bus. */
void eppd_profile_keeper_drop_owner(EppdProfileKeeper *keeper, const char *owner);

/* The daemon ends: so do all holds, and their owners are told. */
void eppd_profile_keeper_end_holds(EppdProfileKeeper *keeper);

/* Saved at once; a failure to save is logged. */
bool eppd_profile_keeper_battery_aware(const EppdProfileKeeper *keeper);
void eppd_profile_keeper_set_battery_aware(EppdProfileKeeper *keeper, bool battery_aware);
/* The saved switch of an action; false (and @enabled untouched) where nobody switched it. */
bool eppd_profile_keeper_action(const EppdProfileKeeper *keeper, const char *name, bool *enabled);
void eppd_profile_keeper_set_action(EppdProfileKeeper *keeper, const char *name, bool enabled);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdProfileKeeper, eppd_profile_keeper_free)
