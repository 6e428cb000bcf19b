/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "sim-tree.h"

/* A device as sysfs shows it: its directory with the file uevent, a link to its subsystem, and the
 * subsystem's link back to it. */
typedef struct SimDevice SimDevice;

typedef enum { SIM_SUBSYSTEM_BUS, SIM_SUBSYSTEM_CLASS } SimSubsystemKind;

/* @devpath: below /sys, with the slash before. No uevent: that is the caller's, once its files are
 * there. */
SimDevice *sim_device_add(SimTree *tree,
                          const char *devpath,
                          const char *subsystem,
                          SimSubsystemKind kind);
/* From the tree too, without a uevent. */
void sim_device_remove(SimDevice *device);
/* Its memory alone: when the tree goes. */
void sim_device_free(SimDevice *device);

/* The properties of its uevents besides those that every one has, "KEY=value"; copied. */
void sim_device_set_properties(SimDevice *device, const char *const *properties);
void sim_device_uevent(const SimDevice *device, const char *action);

/* Without /sys before it. */
const char *sim_device_path(const SimDevice *device);
/* Transfer full: the path of one of its files in the tree. */
char *sim_device_file(const SimDevice *device, const char *name);
