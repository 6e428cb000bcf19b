/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/boost-state.h"

/* A hold of no time would end before it began, over and over. */
static gint64
hold_usec(const EppdBoostParams *params)
{
  return MAX(params->hold_usec, 1);
}

/* Whether @later is at least @span_usec after @earlier. Unsigned, since two absurd times may be
 * further apart than a gint64 can tell. */
static bool
is_past(gint64 later_usec, gint64 earlier_usec, gint64 span_usec)
{
  return later_usec >= earlier_usec &&
         (guint64)later_usec - (guint64)earlier_usec >= (guint64)span_usec;
}

/* A clock that went back counts as no time passed. */
static bool
hold_has_passed(const EppdBoostState *state, const EppdBoostParams *params, gint64 now_usec)
{
  return is_past(now_usec, state->last_busy_usec, hold_usec(params));
}

/* News from a little later than @now_usec is no wonder where both were read one after the other;
 * from more than a hold later, the clock went back. */
static bool
clock_went_back(const EppdBoostState *state, const EppdBoostParams *params, gint64 now_usec)
{
  return is_past(state->last_busy_usec, now_usec, hold_usec(params));
}

void
eppd_boost_state_note_busy(EppdBoostState *state, gint64 when_usec)
{
  if (state->boosted && when_usec > state->last_busy_usec)
    state->last_busy_usec = when_usec;
}

EppdEdge
eppd_boost_state_busy(EppdBoostState *state, gint64 when_usec)
{
  if (state->boosted) {
    eppd_boost_state_note_busy(state, when_usec);
    return EPPD_EDGE_NONE;
  }
  state->boosted = true;
  state->last_busy_usec = when_usec;
  return EPPD_EDGE_BUSY;
}

EppdEdge
eppd_boost_state_sample(EppdBoostState *state,
                        const EppdBoostParams *params,
                        guint busy_permille,
                        gint64 when_usec)
{
  state->has_sample = true;
  state->busy_permille = busy_permille;
  state->sample_usec = when_usec;

  if (busy_permille >= params->threshold_permille)
    return eppd_boost_state_busy(state, when_usec);
  if (!state->boosted || !hold_has_passed(state, params, when_usec))
    return EPPD_EDGE_NONE;
  state->boosted = false;
  return EPPD_EDGE_IDLE;
}

EppdEdge
eppd_boost_state_expire(EppdBoostState *state, const EppdBoostParams *params, gint64 now_usec)
{
  if (!state->boosted)
    return EPPD_EDGE_NONE;
  if (clock_went_back(state, params, now_usec)) {
    state->last_busy_usec = now_usec;
    return EPPD_EDGE_NONE;
  }
  if (!hold_has_passed(state, params, now_usec))
    return EPPD_EDGE_NONE;
  state->boosted = false;
  return EPPD_EDGE_IDLE;
}

gint64
eppd_boost_state_deadline_usec(const EppdBoostState *state, const EppdBoostParams *params)
{
  if (!state->boosted)
    return -1;
  if (state->last_busy_usec > G_MAXINT64 - hold_usec(params))
    return G_MAXINT64;
  return state->last_busy_usec + hold_usec(params);
}

bool
eppd_boost_state_is_due(const EppdBoostState *state, const EppdBoostParams *params, gint64 now_usec)
{
  return state->boosted &&
         (hold_has_passed(state, params, now_usec) || clock_went_back(state, params, now_usec));
}

EppdEdge
eppd_boost_state_reset(EppdBoostState *state)
{
  EppdEdge edge = state->boosted ? EPPD_EDGE_IDLE : EPPD_EDGE_NONE;

  *state = (EppdBoostState){0};
  return edge;
}
