/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <gio/gio.h>
#include <stdbool.h>

/* logind's news of sleep. A delay inhibitor is held while awake, so that @sleeps has run before the
 * machine sleeps; it is taken again after each. Where there is no logind nothing happens. It is
 * never started by us; everything is asynchronous. */
typedef struct _EppdSleepWatch EppdSleepWatch;

/* @sleeps: true before, false after; also where logind goes while the machine sleeps, so that no
 * true stays without its false. A false may come alone: we started in the middle of it. @changed
 * must not free the watch. */
EppdSleepWatch *eppd_sleep_watch_new(GDBusConnection *bus,
                                     void (*changed)(bool sleeps, gpointer data),
                                     gpointer data);
void eppd_sleep_watch_free(EppdSleepWatch *watch);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdSleepWatch, eppd_sleep_watch_free)
