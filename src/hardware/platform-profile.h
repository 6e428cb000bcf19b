/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"
#include "policy/platform-choice.h"

/* The firmware's platform profile: /sys/firmware/acpi/platform_profile and _choices, and where
 * there is the class /sys/class/platform-profile (6.14 and later), what that tells more:
 *
 *  - The legacy file, where it exists, is what is read and written, with its own choices: they are
 *    those that all handlers have in common, and a write sets all of them.
 *  - It reads "custom" where the handlers differ. If then each of them tells the same profile of
 *    ours (one is at quiet, another at low-power), what the first of them is at is what is read.
 *    Else, and where any of them is at custom itself or can't be read, it is custom.
 *  - Where there is no legacy file (a kernel without ACPI's), a single device of the class is read
 *    and written in its place. Of several none is: what they have in common nobody tells, and one
 *    write would not set them all. */
typedef struct _EppdPlatformProfile EppdPlatformProfile;

/* Looks at once. */
EppdPlatformProfile *eppd_platform_profile_new(EppdSysRoot *root);
void eppd_platform_profile_free(EppdPlatformProfile *platform);

/* Looks for files and choices again: they may come late, or go. */
void eppd_platform_profile_refresh(EppdPlatformProfile *platform);

/* Bits (1 << EppdPlatformChoice); 0 where there is no such file, or none that could be read. */
guint eppd_platform_profile_choices(const EppdPlatformProfile *platform);

/* What it is at now. EPPD_ERROR_GONE where there is none; EPPD_ERROR_EMPTY, EPPD_ERROR_INVALID
 * where it says nothing that is known for the moment. Clears what the descriptor's POLLPRI told. */
gboolean eppd_platform_profile_read(EppdPlatformProfile *platform,
                                    EppdPlatformChoice *choice,
                                    GError **error);
/* The error's message names the file. */
gboolean eppd_platform_profile_write(EppdPlatformProfile *platform,
                                     EppdPlatformChoice choice,
                                     GError **error);

/* A descriptor to poll for POLLPRI (| POLLERR), which the kernel raises for every change, the
 * firmware's too, and on a descriptor that nobody has read by; a plain file that stands for the
 * kernel's never raises it. -1 where there is no file. Another one after each refresh. */
int eppd_platform_profile_fd(const EppdPlatformProfile *platform);
/* What to watch by inotify: the file itself, and the directory where the legacy file and its
 * choices are or would come late; both always given, in the memory of @platform, the file until the
 * next refresh. */
const char *eppd_platform_profile_path(const EppdPlatformProfile *platform);
const char *eppd_platform_profile_directory(const EppdPlatformProfile *platform);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdPlatformProfile, eppd_platform_profile_free)
