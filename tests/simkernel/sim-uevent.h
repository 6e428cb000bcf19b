/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Device news as udev passes them on to libudev's monitors: multicast on the kernel's uevent
 * netlink. In a network namespace of its own alone: elsewhere the machine's programs would believe
 * them. */
typedef struct SimUevents SimUevents;

/* NULL with @error where this process may not send, or is not under it. */
SimUevents *sim_uevents_new(GError **error);
void sim_uevents_free(SimUevents *uevents);
/* @devpath: without /sys. @properties: "KEY=value", NULL-terminated, or NULL. Where nobody listens
 * it is lost. Not thread-safe. */
void sim_uevents_send(SimUevents *uevents,
                      const char *action,
                      const char *subsystem,
                      const char *devpath,
                      const char *const *properties);

/* The message; @seqnum ≥ 1. */
GByteArray *sim_uevent_message(guint64 seqnum,
                               const char *action,
                               const char *subsystem,
                               const char *devpath,
                               const char *const *properties);
/* What the monitors' socket filters compare: MurmurHash2 with the seed 0. */
guint32 sim_uevent_hash(const char *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SimUevents, sim_uevents_free)
