/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/profile.h"

#include <glib.h>

/* STATE_DIR/state.ini: what was chosen, kept over restarts. */

/* Sets @profile to the saved one; false (and untouched) where none is saved. What is wrong in the
 * file is logged with file, line and key, and ignored. */
bool eppd_state_load_profile(const char *state_dir, EppdProfile *profile);
