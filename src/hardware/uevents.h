/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* The kernel's news, through udev, of CPUs, power supplies, GPUs and their connectors, and of what
 * may bring or take a platform profile: its class, thinkpad_acpi (the lap), and the platform
 * drivers that bind to their devices (before the class, 6.14, no other news told it). */
typedef struct _EppdUevents EppdUevents;

/* @name: the device's ("cpu3"). */
typedef void (*EppdUeventsChanged)(const char *subsystem, const char *name, gpointer data);

/* Calls @changed ("cpu", "power_supply", "drm", "platform-profile", "platform") from the
 * thread-default main context. */
EppdUevents *eppd_uevents_new(EppdUeventsChanged changed, gpointer data);
void eppd_uevents_free(EppdUevents *uevents);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdUevents, eppd_uevents_free)
