/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "sim-tree.h"

/* The platform profile: handlers, each with choices of its own, the class's device of each, and the
 * legacy files that stand for all of them. */
typedef struct SimPlatform SimPlatform;
typedef struct SimPlatformHandler SimPlatformHandler;

/* In the kernel's order. */
typedef enum {
  SIM_PLATFORM_LOW_POWER,
  SIM_PLATFORM_COOL,
  SIM_PLATFORM_QUIET,
  SIM_PLATFORM_BALANCED,
  SIM_PLATFORM_BALANCED_PERFORMANCE,
  SIM_PLATFORM_PERFORMANCE,
  SIM_PLATFORM_MAX_POWER,
  SIM_PLATFORM_CUSTOM,
} SimPlatformProfile;

#define SIM_PLATFORM_BIT(profile) (1u << (profile))

typedef struct {
  const char *name;
  const char *parent; /* its device's, below /sys */
  guint choices;      /* SIM_PLATFORM_BIT()s */
  SimPlatformProfile profile;
  bool has_device; /* of the class */
  /* Before it has @profile, or an errno and it does not; may be NULL. */
  int (*set)(SimPlatformProfile profile, gpointer data);
  gpointer data;
} SimPlatformOptions;

SimPlatform *sim_platform_new(SimTree *tree);
/* After the tree no longer has its files; the handlers go with it. */
void sim_platform_free(SimPlatform *platform);

/* Transfer none. The strings are copied. */
SimPlatformHandler *sim_platform_register(SimPlatform *platform, const SimPlatformOptions *options);
void sim_platform_unregister(SimPlatformHandler *handler);
SimPlatformProfile sim_platform_handler_profile(const SimPlatformHandler *handler);

/* A handler of the firmware's, with @choices separated by spaces, at balanced or else at its first.
 * False: they are none. */
bool sim_platform_add_firmware(SimPlatform *platform, const char *choices, bool has_device);
/* The last one; false: there is none. */
bool sim_platform_remove_firmware(SimPlatform *platform);
/* A key of the keyboard: the first one of the firmware has another profile. False: it can't. */
bool sim_platform_press_key(SimPlatform *platform, const char *profile);
