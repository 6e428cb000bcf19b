/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/controller.h"

/* What org.eppd.Eppd1 shows of the controller; floating variants. The keys are those of
 * data/org.eppd.Eppd1.xml. */

/* aa{sv} */
GVariant *eppd_views_policies(EppdController *controller);
/* a{sv}; NULL with G_DBUS_ERROR_INVALID_ARGS for a CPU that no policy has. */
GVariant *eppd_views_explain(EppdController *controller, guint cpu, GError **error);
/* a{sv} */
GVariant *eppd_views_statistics(EppdController *controller);
/* aa{sv}; cookies only to @caller's own. */
GVariant *eppd_views_holds(EppdController *controller, const char *caller);
/* au */
GVariant *eppd_views_boosted_cpus(EppdController *controller);
