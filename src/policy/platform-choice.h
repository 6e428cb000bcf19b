/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/profile.h"

#include <glib.h>

/* What the firmware's platform_profile may be (the kernel's ABI, 6.14), and how profiles map to it
 * and back (as in power-profiles-daemon 0.30, which knows no balanced-performance and max-power).
 */
typedef enum {
  EPPD_PLATFORM_LOW_POWER,
  EPPD_PLATFORM_COOL,
  EPPD_PLATFORM_QUIET,
  EPPD_PLATFORM_BALANCED,
  EPPD_PLATFORM_BALANCED_PERFORMANCE,
  EPPD_PLATFORM_PERFORMANCE,
  EPPD_PLATFORM_MAX_POWER,
  EPPD_PLATFORM_CUSTOM,
} EppdPlatformChoice;

/* "low-power", "cool", … */
bool eppd_platform_choice_parse(const char *text, EppdPlatformChoice *choice);
const char *eppd_platform_choice_text(EppdPlatformChoice choice);

/* A list as platform_profile_choices has it, as bits (1 << EppdPlatformChoice); unknown names are
 * skipped, NULL is none. */
guint eppd_platform_choices_parse(const char *text);

/* Whether the three profiles can be made of them: balanced and performance are there. Else the
 * driver waits for more. */
bool eppd_platform_choices_are_usable(guint choices);

/* What to write for @profile. Power-saver is low-power, else quiet, else (emulated) balanced. Only
 * for usable @choices. */
EppdPlatformChoice eppd_platform_choice_for(guint choices, EppdProfile profile);

/* The profile that @choice, read back, tells: low-power, quiet → power-saver; cool, balanced,
 * balanced-performance → balanced; performance, max-power → performance. False for custom: that is
 * no profile of ours. */
bool eppd_platform_choice_profile(EppdPlatformChoice choice, EppdProfile *profile);

/* Whether a platform that reads @choice is at @profile already: it tells that profile, or @profile
 * is power-saver, emulated, and it reads what emulates it. */
bool eppd_platform_choice_is_at(guint choices, EppdPlatformChoice choice, EppdProfile profile);
