/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* GSources of the thread-default main context, as the daemon uses them. */

/* Edges go before all else: a game is waiting for its core. Then the machine's own news, so that no
 * flood of calls can keep the daemon from it; the bus has the default. */
#define EPPD_PRIORITY_EDGES   G_PRIORITY_HIGH
#define EPPD_PRIORITY_MACHINE (G_PRIORITY_HIGH + 50)

/* @func when @fd meets @condition (a GUnixFDSourceFunc). The reference is the caller's. */
GSource *eppd_event_source_fd(
    int fd, GIOCondition condition, int priority, GSourceFunc func, gpointer data);

/* A timer in monotonic microseconds: g_source_set_ready_time() sets it, once each; it costs nothing
 * while that is -1. The reference is the caller's. */
GSource *eppd_event_source_timer(int priority, GSourceFunc func, gpointer data);

/* Destroys *@source, if there is one, also from within its own callback. */
void eppd_event_source_clear(GSource **source);
