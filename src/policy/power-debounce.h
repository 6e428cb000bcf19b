/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/power-source.h"

#include <glib.h>
#include <stdbool.h>

/* A power source that flaps (a slow charger, a loose plug: every 10–30 s) is followed at once the
 * first time; further changes wait until the time after the last change has passed. */
typedef struct {
  EppdPowerSource source; /* what is followed */
  bool has_changed;
  gint64 changed_usec; /* when it was last followed */
} EppdPowerDebounce;

/* A reading of @source. True if it is followed now: @debounce->source is the new one. Else
 * @next_usec is when to read again (monotonic), or -1 if nothing waits. A clock that went back
 * counts as time passed. */
bool eppd_power_debounce_reading(EppdPowerDebounce *debounce,
                                 EppdPowerSource source,
                                 gint64 wait_usec,
                                 gint64 now_usec,
                                 gint64 *next_usec);
