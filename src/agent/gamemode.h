/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <gio/gio.h>
#include <stdbool.h>
#include <sys/types.h>

/* The games that registered with GameMode, on the session bus. It is never started by us. */
typedef struct _EppdGamemode EppdGamemode;

/* @registered: whether @pid is registered now. All are not when GameMode leaves. */
EppdGamemode *eppd_gamemode_new(GDBusConnection *bus,
                                void (*changed)(pid_t pid, bool registered, gpointer data),
                                gpointer data);
void eppd_gamemode_free(EppdGamemode *gamemode);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdGamemode, eppd_gamemode_free)
