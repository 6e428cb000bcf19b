/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/profile-drivers.h"

#include <glib.h>

/* STATE_DIR/state.ini: what was chosen, kept over restarts. The file is the daemon's own: keys and
 * groups that it does not know are gone with the next save. */
typedef struct {
  bool has_profile;
  EppdProfile profile;
  /* The drivers with which it was chosen; NULL: any (a hand-written file), "": none. */
  char *cpu_driver;
  char *platform_driver;
  bool battery_aware;
  GHashTable *actions; /* name → GINT_TO_POINTER(0 or 1); only those that somebody switched */
  bool is_imported;    /* loaded from another daemon's file: not in ours before the next save */
} EppdState;

/* Nothing chosen, battery_aware on. */
EppdState *eppd_state_new(void);
void eppd_state_free(EppdState *state);

/* Never fails. What is wrong in the file is logged with file, line and key, and ignored. Where
 * there is no file, @import_file (NULL: none), power-profiles-daemon's own state.ini, is read
 * instead, and that is logged once. It names one driver of a kind, or (up to 0.12) the only one: of
 * the other kind it says nothing, so that any will do. */
EppdState *eppd_state_load(const char *state_dir, const char *import_file);

/* Atomic: the old file or the new one, also after a power cut (one fsync). Creates @state_dir where
 * it is missing. The error names the file. */
gboolean eppd_state_save(const EppdState *state, const char *state_dir, GError **error);

/* Whether the saved profile was chosen with these drivers; false where none is saved. */
bool eppd_state_matches(const EppdState *state, const EppdProfileDrivers *drivers);

/* In memory alone; true if that changed anything. @name: an action's own name. */
bool eppd_state_choose(EppdState *state, EppdProfile profile, const EppdProfileDrivers *drivers);
bool eppd_state_set_battery_aware(EppdState *state, bool battery_aware);
bool eppd_state_set_action(EppdState *state, const char *name, bool enabled);

/* False (and @enabled untouched) where nobody switched the action. */
bool eppd_state_action(const EppdState *state, const char *name, bool *enabled);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdState, eppd_state_free)
