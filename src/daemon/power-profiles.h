/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/clients.h"
#include "daemon/controller.h"
#include "daemon/request-queue.h"

/* power-profiles-daemon's interface, by its two names, each at a path of its own. */

#define EPPD_POWER_PROFILES_MODERN_NAME "org.freedesktop.UPower.PowerProfiles"
#define EPPD_POWER_PROFILES_LEGACY_NAME "net.hadess.PowerProfiles"

typedef struct _EppdPowerProfiles EppdPowerProfiles;

/* Borrows @clients and @queue. As org.eppd.Eppd1, the objects exist before the daemon controls
 * anything, and calls wait for the controller. */
EppdPowerProfiles *eppd_power_profiles_new(GDBusConnection *bus,
                                           EppdClients *clients,
                                           EppdRequestQueue *queue,
                                           GError **error);
void eppd_power_profiles_free(EppdPowerProfiles *self);

/* From here on calls are answered. Borrowed; NULL before it is stopped. */
void eppd_power_profiles_set_controller(EppdPowerProfiles *self, EppdController *controller);

/* Something of the controller's state changed: PropertiesChanged of each interface, with what is
 * its own and differs. */
void eppd_power_profiles_changed(EppdPowerProfiles *self);
/* @hold was released: its owner is told, on the interface that it used. */
void eppd_power_profiles_released(EppdPowerProfiles *self, const EppdProfileHold *hold);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdPowerProfiles, eppd_power_profiles_free)
