/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "games/game-identity.h"

#include <gio/gio.h>
#include <sys/types.h>

/* What programs start by GLib's application launcher (gio launch, file managers, most panels), of
 * which it tells on the session bus: org.gtk.gio.DesktopAppInfo.Launched. The only news of what
 * gets no unit of its own. */
typedef struct _EppdLaunchWatch EppdLaunchWatch;

/* @identity: the desktop file or id; owned by the caller. */
EppdLaunchWatch *eppd_launch_watch_new(GDBusConnection *bus,
                                       void (*launched)(pid_t pid,
                                                        const EppdGameIdentity *identity,
                                                        gpointer data),
                                       gpointer data);
void eppd_launch_watch_free(EppdLaunchWatch *watch);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdLaunchWatch, eppd_launch_watch_free)
