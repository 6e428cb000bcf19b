/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "ctl/client.h"

#include <glib.h>
#include <stdbool.h>

/* What eppd says of itself at one moment, as it came from the bus. */
typedef struct {
  GVariant *properties; /* a{sv} */
  GVariant *policies;   /* aa{sv} */
  GVariant *statistics; /* a{sv}; NULL if it was not asked for */
} EppdSnapshot;

gboolean eppd_snapshot_take(EppdSnapshot *snapshot,
                            EppdClient *client,
                            bool with_statistics,
                            GError **error);
void eppd_snapshot_clear(EppdSnapshot *snapshot);

/* One a{sv} of the properties, "Policies" and "Statistics"; owned by the caller. */
GVariant *eppd_snapshot_pack(const EppdSnapshot *snapshot);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(EppdSnapshot, eppd_snapshot_clear)
