/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/profile.h"

#include <glib.h>
#include <sys/types.h>

/* Who holds a profile, as power-profiles-daemon's HoldProfile has it; apart from the boost's holds.
 * The table knows nothing of the bus: cookies and owners are handed in. */

#define EPPD_PROFILE_HOLDS_PER_USER 64

typedef struct {
  guint32 cookie;
  char *owner; /* unique bus name */
  uid_t uid;
  EppdProfile profile; /* performance or power-saver */
  char *reason;
  char *app_id;
  guint via; /* the interface by which it was asked for; not looked at here */
} EppdProfileHold;

typedef struct _EppdProfileHolds EppdProfileHolds;

EppdProfileHolds *eppd_profile_holds_new(void);
void eppd_profile_holds_free(EppdProfileHolds *holds);

/* Deep copies, for a hold that outlives the table. */
EppdProfileHold *eppd_profile_hold_copy(const EppdProfileHold *hold);
void eppd_profile_hold_free(EppdProfileHold *hold);

/* Copies @hold. EPPD_ERROR_LIMIT past EPPD_PROFILE_HOLDS_PER_USER of its uid; EPPD_ERROR_BUSY if
 * the cookie is taken (draw again) or 0; EPPD_ERROR_INVALID «Only profiles 'performance' and
 * 'power-saver' can be a hold profile» for balanced. */
gboolean eppd_profile_holds_add(EppdProfileHolds *holds,
                                const EppdProfileHold *hold,
                                GError **error);

/* Takes the hold out, for its owner alone. EPPD_ERROR_INVALID «No hold with cookie N» where there
 * is none, and also where it is another's: who may not release it need not learn that it is there.
 */
EppdProfileHold *eppd_profile_holds_take(EppdProfileHolds *holds,
                                         guint32 cookie,
                                         const char *owner,
                                         GError **error);
/* Takes the owner's oldest hold out; NULL when there is none (left). For an owner that left. */
EppdProfileHold *eppd_profile_holds_take_of_owner(EppdProfileHolds *holds, const char *owner);
/* Takes the oldest hold out; NULL when there is none (left). For a profile chosen by the user. */
EppdProfileHold *eppd_profile_holds_take_first(EppdProfileHolds *holds);

/* All holds, oldest first: EppdProfileHold pointers; owned by @holds, valid until it changes. */
const GPtrArray *eppd_profile_holds_list(const EppdProfileHolds *holds);

/* The profile in effect: a hold's, power-saver before performance; without holds @selected. */
EppdProfile eppd_profile_holds_effective(const EppdProfileHolds *holds, EppdProfile selected);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdProfileHolds, eppd_profile_holds_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdProfileHold, eppd_profile_hold_free)
