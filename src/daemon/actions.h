/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"
#include "policy/action-settings.h"

/* power-profiles-daemon's actions: trickle_charge, amdgpu_panel_power, amdgpu_dpm. They only warn
 * where they fail. */
typedef struct _EppdActions EppdActions;

typedef struct {
  EppdProfile profile;
  EppdPowerSource source;
  double battery_percent; /* or EPPD_BATTERY_UNKNOWN */
} EppdActionInput;

typedef struct {
  const char *name;
  const char *description; /* English */
  bool enabled;
} EppdActionInfo;

/* @blocked: names of --block-action, or NULL: these stay disabled. Every action is there on every
 * machine; where it has no hardware (amdgpu's on another vendor's) it does nothing. trickle_charge
 * starts enabled, the others not. Writes nothing. */
EppdActions *eppd_actions_new(EppdSysRoot *root, const char *const *blocked);
void eppd_actions_free(EppdActions *actions);

guint eppd_actions_count(const EppdActions *actions);
const EppdActionInfo *eppd_actions_info(const EppdActions *actions, guint index);

/* EPPD_ERROR_INVALID «No such action 'NAME'», EPPD_ERROR_FAILED «Action 'NAME' is blocked
 * (--block-action)»; @changed is untouched then. A switch takes effect at once with the last input;
 * switched off, what it set is put back to what the balanced profile on AC would have. */
gboolean eppd_actions_set_enabled(
    EppdActions *actions, const char *name, bool enabled, bool *changed, GError **error);

/* The profile, the power source or the battery changed, or (same @input) the machine resumed: each
 * enabled action writes what differs. */
void eppd_actions_apply(EppdActions *actions, const EppdActionInput *input);
/* A uevent of "power_supply" or "drm": devices may be new. Applies the last input, if there was
 * one. */
void eppd_actions_device_changed(EppdActions *actions, const char *subsystem);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdActions, eppd_actions_free)
