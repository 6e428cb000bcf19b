/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/policy-state.h"

static bool
is_known(const EppdEpp *epp)
{
  return epp->kind != EPPD_EPP_UNKNOWN;
}

static bool
is_dynamic(const EppdEpp *epp)
{
  return epp->kind == EPPD_EPP_DYNAMIC;
}

/* Whether it can be told what the file holds: it can be read, and was not cut short meanwhile. */
static bool
is_told(const EppdPolicyState *state, const EppdEpp *found)
{
  return is_known(found) && (!eppd_epp_is_cut(found) || eppd_epp_twin_holds(&state->base, found) ||
                             eppd_epp_twin_holds(&state->boost, found));
}

/* Whether it is neither a preference nor a number, and not what ours reads back as: nobody could
 * put it back, so it is nobody's base. */
static bool
is_no_epp(const EppdPolicyState *state, const EppdEpp *found)
{
  return found->kind == EPPD_EPP_OTHER && !eppd_epp_twin_holds(&state->base, found) &&
         !eppd_epp_twin_holds(&state->boost, found);
}

/* Where base and boost are the same value, what is known of one is known of the other. */
static void
share_readback(EppdPolicyState *state)
{
  if (!eppd_epp_equal(&state->base.written, &state->boost.written))
    return;
  if (!eppd_epp_twin_is_learned(&state->base))
    state->base.readback = state->boost.readback;
  else
    state->boost.readback = state->base.readback;
}

static void
set_base(EppdPolicyState *state, const EppdEpp *base)
{
  eppd_epp_twin_set(&state->base, base);
  share_readback(state);
}

static EppdEppTwin *
twin_of(EppdPolicyState *state, EppdStepKind kind)
{
  if (kind == EPPD_STEP_BOOST)
    return &state->boost;
  return kind == EPPD_STEP_BASE ? &state->base : NULL;
}

/* A boost goes there and back: "dynamic" resets the kernel's profile each time, and what can't be
 * written can't be put back. */
static bool
can_alternate(const EppdEpp *epp)
{
  return eppd_epp_is_writable(epp) && !is_dynamic(epp);
}

/* Whether the file of a boosted policy still holds the boost. Where that could not be read after it
 * was written, a value that it may well read back as counts too: to leave a core boosted for good
 * would be worse than to replace another program's value once. */
static bool
holds_our_boost(const EppdPolicyState *state, const EppdEpp *found)
{
  if (!state->boosted)
    return false;
  return eppd_epp_twin_holds(&state->boost, found) ||
         (!eppd_epp_twin_is_learned(&state->boost) && !eppd_epp_twin_holds(&state->base, found) &&
          eppd_epp_may_read_back_as(&state->boost.written, found));
}

/* While a restore is pending: whether the file still holds what the refused write was to replace;
 * not known means that anything may be replaced. */
static bool
holds_what_is_due(const EppdPolicyState *state, const EppdEpp *found)
{
  return !is_known(&state->due_over) || eppd_epp_equal(found, &state->due_over) ||
         holds_our_boost(state, found);
}

static void
settle(EppdPolicyState *state)
{
  state->boosted = false;
  state->restore_pending = false;
}

static EppdStep
step(EppdStepKind kind)
{
  return (EppdStep){.kind = kind};
}

static EppdStep
base_is_due(EppdPolicyState *state, const EppdEpp *over)
{
  state->due_over = *over;
  return (EppdStep){.kind = EPPD_STEP_BASE, .value = state->base.written};
}

static bool
all_within_span(const EppdPolicyState *state, gint64 now_usec)
{
  for (guint i = 0; i < G_N_ELEMENTS(state->foreign_usec); i++) {
    gint64 when_usec = state->foreign_usec[i];

    if (when_usec == 0 || when_usec > now_usec || now_usec - when_usec > EPPD_FOREIGN_SPAN_USEC)
      return false;
  }
  return true;
}

static void
count_foreign(EppdPolicyState *state, gint64 now_usec)
{
  state->foreign_writes++;
  state->foreign_usec[state->foreign_next] = MAX(now_usec, 1); /* 0 stands for none */
  state->foreign_next = (state->foreign_next + 1) % G_N_ELEMENTS(state->foreign_usec);

  if (!all_within_span(state, now_usec))
    return;
  state->rest_until_usec = now_usec > G_MAXINT64 - EPPD_FOREIGN_REST_USEC
                               ? G_MAXINT64
                               : now_usec + EPPD_FOREIGN_REST_USEC;
  for (guint i = 0; i < G_N_ELEMENTS(state->foreign_usec); i++)
    state->foreign_usec[i] = 0;
}

static void
adopt_foreign(EppdPolicyState *state, const EppdEpp *found, gint64 now_usec)
{
  bool keeps_base = eppd_epp_twin_holds(&state->base, found) || is_no_epp(state, found);

  settle(state);
  state->taken_over = false;
  if (!keeps_base) {
    set_base(state, found);
    state->base_is_foreign = !eppd_epp_equal(found, &state->wanted);
  }
  count_foreign(state, now_usec);
}

/* It reads dynamic on an edge. Somebody gave it to the kernel, which counts as a write. */
static EppdStep
leave_to_kernel(EppdPolicyState *state, gint64 now_usec)
{
  settle(state);
  if (!state->kernel_managed)
    count_foreign(state, now_usec);
  state->kernel_managed = true;
  return step(EPPD_STEP_LEFT_TO_KERNEL);
}

void
eppd_policy_state_init(EppdPolicyState *state, const EppdEpp *wanted, const EppdEpp *boost)
{
  *state = (EppdPolicyState){
      .wanted = *wanted,
      .base = {.written = *wanted},
      .boost = {.written = *boost},
      .kernel_managed = is_dynamic(wanted),
  };
}

void
eppd_policy_state_note_found(EppdPolicyState *state, const EppdEpp *found)
{
  if (is_known(found))
    state->kernel_managed = is_dynamic(found);
}

EppdStep
eppd_policy_state_set_wanted(EppdPolicyState *state,
                             const EppdEpp *wanted,
                             const EppdEpp *found,
                             bool force)
{
  if (!eppd_epp_is_writable(wanted))
    return step(EPPD_STEP_NOTHING);

  state->wanted = *wanted;
  set_base(state, wanted);
  state->base_is_foreign = false;
  eppd_policy_state_note_found(state, found);
  if (state->kernel_managed) {
    settle(state);
    return step(EPPD_STEP_LEFT_TO_KERNEL);
  }

  if (state->boosted && !state->restore_pending &&
      (!is_told(state, found) || eppd_epp_twin_holds(&state->boost, found)))
    return step(EPPD_STEP_NOTHING);

  if (!force && eppd_epp_twin_holds(&state->base, found)) {
    settle(state);
    return step(EPPD_STEP_NOTHING);
  }
  /* Another program wrote over the boost, and a profile change overrides it. */
  if (!state->restore_pending)
    state->boosted = false;
  return base_is_due(state, found);
}

EppdStep
eppd_policy_state_take_over(EppdPolicyState *state)
{
  const EppdEpp dynamic = eppd_epp_named(EPPD_EPP_DYNAMIC);

  if (!can_alternate(&state->base.written))
    return step(EPPD_STEP_NOTHING);
  state->kernel_managed = false;
  state->taken_over = true;
  return base_is_due(state, &dynamic);
}

EppdStep
eppd_policy_state_give_back(EppdPolicyState *state, const EppdEpp *found)
{
  if (!state->taken_over)
    return step(EPPD_STEP_NOTHING);
  if (is_told(state, found) && !eppd_epp_twin_holds(&state->base, found) &&
      !holds_our_boost(state, found)) {
    state->taken_over = false;
    return step(EPPD_STEP_NOTHING);
  }
  return (EppdStep){.kind = EPPD_STEP_DYNAMIC, .value = eppd_epp_named(EPPD_EPP_DYNAMIC)};
}

void
eppd_policy_state_set_boost(EppdPolicyState *state, const EppdEpp *boost)
{
  g_return_if_fail(!state->boosted || state->restore_pending);

  eppd_epp_twin_set(&state->boost, boost);
  share_readback(state);
}

EppdStep
eppd_policy_state_busy_edge(EppdPolicyState *state, const EppdEpp *found, gint64 now_usec)
{
  if (state->boosted && !state->restore_pending)
    return step(EPPD_STEP_NOTHING);
  if (eppd_policy_state_is_resting(state, now_usec))
    return step(EPPD_STEP_RESTING);
  if (is_dynamic(found))
    return leave_to_kernel(state, now_usec);
  eppd_policy_state_note_found(state, found);
  if (is_no_epp(state, found))
    return step(EPPD_STEP_LEFT_TO_OTHERS);

  if (eppd_epp_twin_holds(&state->base, found)) {
    settle(state);
  } else if (is_known(found) && !(state->restore_pending && holds_what_is_due(state, found))) {
    adopt_foreign(state, found, now_usec);
    if (eppd_policy_state_is_resting(state, now_usec))
      return step(EPPD_STEP_RESTING);
    if (eppd_epp_twin_holds(&state->boost, found))
      return step(EPPD_STEP_ALREADY_BOOST);
  }

  if (!can_alternate(&state->base.written))
    return step(EPPD_STEP_LEFT_TO_OTHERS);
  /* While a restore is pending the file may hold the boost value without its being the base. */
  if (!state->restore_pending && (eppd_epp_equal(&state->base.written, &state->boost.written) ||
                                  eppd_epp_twin_holds(&state->boost, found)))
    return step(EPPD_STEP_SAME_AS_BASE);
  if (!can_alternate(&state->boost.written))
    return step(EPPD_STEP_NOTHING);
  return (EppdStep){.kind = EPPD_STEP_BOOST, .value = state->boost.written};
}

EppdStep
eppd_policy_state_idle_edge(EppdPolicyState *state,
                            const EppdEpp *found,
                            bool governor_performance,
                            gint64 now_usec)
{
  if (!state->boosted && !state->restore_pending)
    return step(EPPD_STEP_NOTHING);
  if (is_dynamic(found) && !(state->restore_pending && state->taken_over))
    return leave_to_kernel(state, now_usec);
  /* Dynamic: a take-over that was refused is due again. */
  if (governor_performance || is_dynamic(found))
    return base_is_due(state, found);
  if (!is_told(state, found))
    return base_is_due(state, state->restore_pending ? &state->due_over
                                                     : eppd_epp_twin_expected(&state->boost));

  if (eppd_epp_twin_holds(&state->base, found) &&
      (state->restore_pending || eppd_epp_twin_holds(&state->boost, found))) {
    settle(state);
    return step(EPPD_STEP_NOTHING);
  }
  if (state->restore_pending ? holds_what_is_due(state, found) : holds_our_boost(state, found))
    return base_is_due(state, found);

  adopt_foreign(state, found, now_usec);
  return step(EPPD_STEP_LEFT_TO_OTHERS);
}

EppdStep
eppd_policy_state_governor_left(EppdPolicyState *state, const EppdEpp *found)
{
  if (state->boosted || state->restore_pending || !eppd_epp_may_be_left_over(found) ||
      eppd_epp_twin_holds(&state->base, found) || !can_alternate(&state->base.written))
    return step(EPPD_STEP_NOTHING);
  return base_is_due(state, found);
}

void
eppd_policy_state_written(EppdPolicyState *state, EppdStepKind kind, const EppdEpp *readback)
{
  EppdEppTwin *twin = twin_of(state, kind);

  if (kind == EPPD_STEP_DYNAMIC) {
    settle(state);
    state->taken_over = false;
    state->kernel_managed = true;
  }
  if (!twin)
    return;
  settle(state);
  state->boosted = kind == EPPD_STEP_BOOST;
  if (eppd_epp_may_read_back_as(&twin->written, readback)) {
    twin->readback = *readback;
    share_readback(state);
  }
}

void
eppd_policy_state_refused(EppdPolicyState *state, EppdStepKind kind)
{
  if (kind == EPPD_STEP_BASE)
    state->restore_pending = true;
}

bool
eppd_policy_state_knows_readback(const EppdPolicyState *state, EppdStepKind kind)
{
  switch (kind) {
  case EPPD_STEP_BOOST:
    return eppd_epp_twin_is_learned(&state->boost);
  case EPPD_STEP_BASE:
    return eppd_epp_twin_is_learned(&state->base);
  default:
    return true;
  }
}

void
eppd_policy_state_remade(EppdPolicyState *state)
{
  settle(state);
  state->kernel_managed = false;
  state->taken_over = false;
  state->base.readback = eppd_epp_named(EPPD_EPP_UNKNOWN);
  state->boost.readback = eppd_epp_named(EPPD_EPP_UNKNOWN);
}

bool
eppd_policy_state_is_foreign(const EppdPolicyState *state, const EppdEpp *found)
{
  return is_known(found) && !is_dynamic(found) && !eppd_epp_twin_holds(&state->base, found) &&
         !eppd_epp_equal(found, &state->base.written) &&
         !(state->boosted && (eppd_epp_twin_holds(&state->boost, found) ||
                              eppd_epp_equal(found, &state->boost.written)));
}

bool
eppd_policy_state_is_resting(const EppdPolicyState *state, gint64 now_usec)
{
  /* A rest that would last longer than a rest lasts is one from before the clock went back. */
  return state->rest_until_usec != 0 && now_usec < state->rest_until_usec &&
         (guint64)state->rest_until_usec - (guint64)now_usec <= EPPD_FOREIGN_REST_USEC;
}
