/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* The kernel's news of CPUs and power supplies, through udev. */
typedef struct _EppdUevents EppdUevents;

typedef void (*EppdUeventsChanged)(const char *subsystem, gpointer data);

/* Calls @changed ("cpu", "power_supply") from the thread-default main context. */
EppdUevents *eppd_uevents_new(EppdUeventsChanged changed, gpointer data);
void eppd_uevents_free(EppdUevents *uevents);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdUevents, eppd_uevents_free)
