/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/governor-trail.h"

void
eppd_governor_trail_look(EppdGovernorTrail *trail, bool is_performance)
{
  if (trail->was_performance && !is_performance)
    trail->has_left = true;
  trail->was_performance = is_performance;
}

void
eppd_governor_trail_note_write(EppdGovernorTrail *trail, bool is_performance)
{
  if (!is_performance)
    trail->has_left = true;
}

bool
eppd_governor_trail_take(EppdGovernorTrail *trail, bool boosted)
{
  bool has_left = trail->has_left;

  trail->has_left = false;
  if (boosted && has_left)
    trail->left_in_boost = true;
  return has_left;
}

void
eppd_governor_trail_forget_left(EppdGovernorTrail *trail)
{
  trail->has_left = false;
}

void
eppd_governor_trail_forget_boost(EppdGovernorTrail *trail)
{
  trail->left_in_boost = false;
}
