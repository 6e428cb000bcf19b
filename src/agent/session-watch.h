/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <gio/gio.h>

/* logind's news of sessions that become active or inactive, which decides what polkit allows. */
typedef struct _EppdSessionWatch EppdSessionWatch;

/* Which session it was is not looked at: who asks again is told by polkit. */
EppdSessionWatch *eppd_session_watch_new(GDBusConnection *system_bus,
                                         void (*changed)(gpointer data),
                                         gpointer data);
void eppd_session_watch_free(EppdSessionWatch *watch);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdSessionWatch, eppd_session_watch_free)
