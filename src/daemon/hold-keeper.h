/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/clients.h"
#include "daemon/hold-options.h"
#include "policy/boost-holds.h"

/* The boost's holds and what they live by: a hold ends with its owner's bus name, its pidfd or its
 * empty cgroup, whichever comes first. */
typedef struct _EppdHoldKeeper EppdHoldKeeper;

/* @changed: the set of holds changed. Borrows @clients, which must outlive it; each hold references
 * its owner there. */
EppdHoldKeeper *eppd_hold_keeper_new(EppdClients *clients,
                                     void (*changed)(gpointer data),
                                     gpointer data);
void eppd_hold_keeper_free(EppdHoldKeeper *keeper);

/* Takes what it needs of @options. EPPD_ERROR_LIMIT for a user's 65th hold; EPPD_ERROR_GONE where
 * the owner has left the bus meanwhile. Texts are cut at 256 bytes at a
 * character boundary. The cookie is random and never 0. */
gboolean eppd_hold_keeper_take(EppdHoldKeeper *keeper,
                               const char *owner,
                               uid_t uid,
                               const char *app_id,
                               const char *reason,
                               EppdHoldOptions *options,
                               guint32 *cookie,
                               GError **error);
/* See eppd_boost_holds_release(). */
gboolean eppd_hold_keeper_release(EppdHoldKeeper *keeper,
                                  guint32 cookie,
                                  const char *owner,
                                  GError **error);
/* @owner left the bus. */
void eppd_hold_keeper_drop_owner(EppdHoldKeeper *keeper, const char *owner);

/* How many were taken since the start. */
guint64 eppd_hold_keeper_taken(const EppdHoldKeeper *keeper);

const EppdBoostHolds *eppd_hold_keeper_holds(const EppdHoldKeeper *keeper);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdHoldKeeper, eppd_hold_keeper_free)
