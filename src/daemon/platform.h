/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"
#include "policy/profile.h"

#include <glib.h>

/* The platform's half of a profile: the platform_profile driver or the placeholder, late arrival,
 * what the firmware changes by itself, and the lap. Owns the GSources that watch for these. */
typedef struct _EppdPlatform EppdPlatform;

/* Never called from within a function below. */
typedef struct {
  void (*driver_changed)(gpointer data);                      /* it came, or went */
  void (*firmware_chose)(EppdProfile profile, gpointer data); /* e.g. by an Fn key */
  void (*lap_changed)(gpointer data);
} EppdPlatformListener;

/* @blocked: --block-driver platform_profile. Looks at once, writes nothing. */
EppdPlatform *eppd_platform_new(EppdSysRoot *root,
                                bool blocked,
                                const EppdPlatformListener *listener,
                                gpointer data);
void eppd_platform_free(EppdPlatform *platform);

/* EPPD_DRIVER_PLATFORM_PROFILE once it has usable choices, else EPPD_DRIVER_PLACEHOLDER. */
const char *eppd_platform_driver(const EppdPlatform *platform);

/* Writes unless it is at @profile already (see eppd_platform_choice_is_at(): cool stays in
 * balanced, quiet and custom do not). What it writes is not the firmware's change. The error names
 * the file. With the placeholder: nothing to do. */
gboolean eppd_platform_apply(EppdPlatform *platform, EppdProfile profile, GError **error);

/* A uevent ("platform-profile", "platform") or a resume: looks for the driver, its value and the
 * lap again; news reach the listener from the main loop, after this. */
void eppd_platform_look_again(EppdPlatform *platform);

/* Only with the platform_profile driver, as in power-profiles-daemon. */
bool eppd_platform_is_on_lap(const EppdPlatform *platform);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdPlatform, eppd_platform_free)
