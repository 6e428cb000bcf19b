/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "sim-tree.h"

/* The power supplies below /sys/class/power_supply, each a device of a parent of its own. */
typedef struct SimSupplies SimSupplies;

/* After a supply's news: it came, went, or is another. */
typedef void (*SimSuppliesChanged)(gpointer data);

SimSupplies *sim_supplies_new(SimTree *tree);
/* After the tree no longer has their files. */
void sim_supplies_free(SimSupplies *supplies);
void sim_supplies_set_changed(SimSupplies *supplies, SimSuppliesChanged changed, gpointer data);

/* @type: "Mains", "Battery", "USB"…: all but batteries have `online`, at 1. False: it is there
 * already, or @name is no file's. */
bool sim_supplies_add(SimSupplies *supplies, const char *name, const char *type);
/* This and the ones below: false where there is no such supply. */
bool sim_supplies_remove(SimSupplies *supplies, const char *name);
/* False too: it has no such file. */
bool sim_supplies_set_online(SimSupplies *supplies, const char *name, const char *online);
/* One of its files, made if it is missing: `charge_type` one that can be written; "device/…": of
 * its parent. By the kernel itself, without a uevent. */
bool sim_supplies_set(SimSupplies *supplies, const char *name, const char *file, const char *text);

/* The kernel's power_supply_is_system_supplied(). */
bool sim_supplies_are_feeding(const SimSupplies *supplies);
