/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/power-debounce.h"

bool
eppd_power_debounce_reading(EppdPowerDebounce *debounce,
                            EppdPowerSource source,
                            gint64 wait_usec,
                            gint64 now_usec,
                            gint64 *next_usec)
{
  gint64 since_usec = now_usec - debounce->changed_usec;

  *next_usec = -1;
  if (source == debounce->source)
    return false;
  if (debounce->has_changed && since_usec >= 0 && since_usec < wait_usec) {
    *next_usec = debounce->changed_usec + wait_usec;
    return false;
  }
  debounce->source = source;
  debounce->has_changed = true;
  debounce->changed_usec = now_usec;
  return true;
}
