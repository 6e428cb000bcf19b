/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/profile-control.h"

/* What power-profiles-daemon's interfaces show of the controller; floating variants. The keys are
 * those of data/org.freedesktop.UPower.PowerProfiles.xml; Waybar wants every value of a profile's
 * dictionary to be a string. */

GVariant *eppd_profile_views_profiles(EppdProfileControl *profiles);     /* aa{sv} */
GVariant *eppd_profile_views_holds(EppdProfileControl *profiles);        /* aa{sv} */
GVariant *eppd_profile_views_actions(EppdProfileControl *profiles);      /* as */
GVariant *eppd_profile_views_actions_info(EppdProfileControl *profiles); /* aa{sv} */
GVariant *eppd_profile_views_degraded(EppdProfileControl *profiles);     /* s */
