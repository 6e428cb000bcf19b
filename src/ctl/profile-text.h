/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* The texts of powerprofilesctl 0.30, byte for byte, for scripts that parse them: never translated.
 * What came over the bus is made safe to print; a field that is missing or of another type is
 * empty. */

/* Of `list`: @profiles is the property Profiles (aa{sv}), in the daemon's order; @active and
 * @degraded are ActiveProfile and PerformanceDegraded. Owned by the caller. */
char *eppd_profile_list_text(GVariant *profiles, const char *active, const char *degraded);

/* Of `list-holds`: @holds is ActiveProfileHolds (aa{sv}). "" if there are none. */
char *eppd_profile_holds_text(GVariant *holds);

/* Of `list-actions`: @actions is ActionsInfo (aa{sv}). "" if there are none. */
char *eppd_profile_actions_text(GVariant *actions);

/* "True" or "False". */
const char *eppd_profile_flag_text(gboolean flag);
