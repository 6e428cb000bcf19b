/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/policy-state.h"

#define SECOND G_USEC_PER_SEC

static EppdEpp
epp(const char *text)
{
  return eppd_epp_parse(text);
}

static EppdPolicyState
make_state(const char *wanted, const char *boost)
{
  EppdPolicyState state;
  EppdEpp wanted_epp = epp(wanted);
  EppdEpp boost_epp = epp(boost);

  eppd_policy_state_init(&state, &wanted_epp, &boost_epp);
  return state;
}

static void
assert_epp(const EppdEpp *value, const char *expected)
{
  char buffer[EPPD_EPP_TEXT_SIZE];

  g_assert_cmpstr(eppd_epp_text(value, buffer), ==, expected);
}

static void
assert_step(EppdStep step, EppdStepKind kind, const char *value)
{
  g_assert_cmpint((int)step.kind, ==, (int)kind);
  if (value)
    assert_epp(&step.value, value);
}

static EppdStep
busy(EppdPolicyState *state, const char *found, gint64 now_usec)
{
  EppdEpp found_epp = epp(found);

  return eppd_policy_state_busy_edge(state, &found_epp, now_usec);
}

static EppdStep
idle(EppdPolicyState *state, const char *found, gint64 now_usec)
{
  EppdEpp found_epp = epp(found);

  return eppd_policy_state_idle_edge(state, &found_epp, false, now_usec);
}

static EppdStep
idle_under_governor_performance(EppdPolicyState *state)
{
  EppdEpp found_epp = epp("performance");

  return eppd_policy_state_idle_edge(state, &found_epp, true, SECOND);
}

static EppdStep
set_wanted(EppdPolicyState *state, const char *wanted, const char *found, bool force)
{
  EppdEpp wanted_epp = epp(wanted);
  EppdEpp found_epp = epp(found);

  return eppd_policy_state_set_wanted(state, &wanted_epp, &found_epp, force);
}

static void
written(EppdPolicyState *state, EppdStepKind kind, const char *readback)
{
  EppdEpp readback_epp = epp(readback);

  eppd_policy_state_written(state, kind, &readback_epp);
}

/* Boosted over @base, both values read back as they were written. */
static EppdPolicyState
boosted_state(const char *base)
{
  EppdPolicyState state = make_state(base, "performance");

  assert_step(busy(&state, base, SECOND), EPPD_STEP_BOOST, "performance");
  written(&state, EPPD_STEP_BOOST, "performance");
  g_assert_true(state.boosted);
  return state;
}

static void
test_there_and_back(void)
{
  EppdPolicyState state = boosted_state("power");

  assert_step(busy(&state, "performance", SECOND), EPPD_STEP_NOTHING, NULL);
  assert_step(idle(&state, "performance", 2 * SECOND), EPPD_STEP_BASE, "power");
  g_assert_true(state.boosted);
  written(&state, EPPD_STEP_BASE, "power");
  g_assert_false(state.boosted);
  assert_step(idle(&state, "power", 2 * SECOND), EPPD_STEP_NOTHING, NULL);
  g_assert_cmpuint(state.foreign_writes, ==, 0);
}

static void
test_the_readback_is_what_counts_as_ours(void)
{
  static const struct {
    const char *base;
    const char *base_readback;
    const char *boost;
    const char *boost_readback;
  } cases[] = {
      {"balance_performance", "balance_performance", "performance", "performance"},
      {"balance_performance", "128", "performance", "0"},
      {"balance_performance", "102", "performance", "16"},
      {"128", "balance_performance", "0", "performance"},
      {"100", "100", "7", "7"},
      {"default", "balance_performance", "performance", "performance"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    EppdPolicyState state = make_state(cases[i].base, cases[i].boost);

    g_test_message("%s reads %s, %s reads %s", cases[i].base, cases[i].base_readback,
                   cases[i].boost, cases[i].boost_readback);
    assert_step(set_wanted(&state, cases[i].base, "power", false), EPPD_STEP_BASE, cases[i].base);
    g_assert_false(eppd_policy_state_knows_readback(&state, EPPD_STEP_BASE));
    written(&state, EPPD_STEP_BASE, cases[i].base_readback);
    g_assert_true(eppd_policy_state_knows_readback(&state, EPPD_STEP_BASE));

    g_assert_false(eppd_policy_state_knows_readback(&state, EPPD_STEP_BOOST));
    assert_step(busy(&state, cases[i].base_readback, SECOND), EPPD_STEP_BOOST, cases[i].boost);
    written(&state, EPPD_STEP_BOOST, cases[i].boost_readback);
    g_assert_true(eppd_policy_state_knows_readback(&state, EPPD_STEP_BOOST));

    assert_step(idle(&state, cases[i].boost_readback, SECOND), EPPD_STEP_BASE, cases[i].base);
    written(&state, EPPD_STEP_BASE, cases[i].base_readback);
    assert_step(busy(&state, cases[i].base_readback, SECOND), EPPD_STEP_BOOST, cases[i].boost);
    g_assert_cmpuint(state.foreign_writes, ==, 0);
  }
}

static void
test_a_value_written_in_between_is_not_learned(void)
{
  static const struct {
    const char *boost;
    const char *readback;
  } cases[] = {
      {"performance", "power"},
      {"7", "8"},
      {"performance", "dynamic(profile:power)"},
      {"performance", ""},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    EppdPolicyState state = make_state("balance_power", cases[i].boost);

    g_test_message("%s, reads %s", cases[i].boost, cases[i].readback);
    assert_step(busy(&state, "balance_power", SECOND), EPPD_STEP_BOOST, cases[i].boost);
    written(&state, EPPD_STEP_BOOST, cases[i].readback);
    g_assert_true(state.boosted);
    g_assert_false(eppd_policy_state_knows_readback(&state, EPPD_STEP_BOOST));
    assert_step(idle(&state, cases[i].boost, SECOND), EPPD_STEP_BASE, "balance_power");
  }
}

static void
test_a_policy_made_anew_starts_anew(void)
{
  EppdPolicyState state = make_state("power", "performance");

  busy(&state, "power", SECOND);
  written(&state, EPPD_STEP_BOOST, "0");
  idle(&state, "0", SECOND);
  eppd_policy_state_refused(&state, EPPD_STEP_BASE);
  eppd_policy_state_remade(&state);
  g_assert_false(eppd_policy_state_knows_readback(&state, EPPD_STEP_BOOST));
  g_assert_false(state.restore_pending);
  assert_step(idle(&state, "performance", SECOND), EPPD_STEP_NOTHING, NULL);
  /* What the kernel put there is nobody's choice. */
  assert_step(set_wanted(&state, "power", "performance", true), EPPD_STEP_BASE, "power");
  g_assert_false(state.base_is_foreign);
  g_assert_cmpuint(state.foreign_writes, ==, 0);
}

static void
test_a_profile_change(void)
{
  EppdPolicyState state = make_state("power", "performance");

  assert_step(set_wanted(&state, "power", "power", false), EPPD_STEP_NOTHING, NULL);
  assert_step(set_wanted(&state, "power", "power", true), EPPD_STEP_BASE, "power");
  assert_step(set_wanted(&state, "power", "default", false), EPPD_STEP_BASE, "power");
  assert_step(set_wanted(&state, "balance_power", "power", false), EPPD_STEP_BASE, "balance_power");
  assert_step(set_wanted(&state, "balance_power", "", false), EPPD_STEP_BASE, "balance_power");
}

static void
test_a_profile_change_during_a_boost_waits_for_its_end(void)
{
  EppdPolicyState state = boosted_state("power");

  assert_step(set_wanted(&state, "balance_power", "performance", false), EPPD_STEP_NOTHING, NULL);
  assert_step(set_wanted(&state, "balance_power", "", false), EPPD_STEP_NOTHING, NULL);
  g_assert_true(state.boosted);
  assert_step(idle(&state, "performance", SECOND), EPPD_STEP_BASE, "balance_power");
}

static void
test_a_profile_that_wants_the_boost_value_during_a_boost(void)
{
  EppdPolicyState state = boosted_state("power");

  assert_step(set_wanted(&state, "performance", "performance", false), EPPD_STEP_NOTHING, NULL);
  assert_step(idle(&state, "performance", SECOND), EPPD_STEP_NOTHING, NULL);
  g_assert_false(state.boosted);
  assert_step(busy(&state, "performance", SECOND), EPPD_STEP_SAME_AS_BASE, NULL);
  g_assert_cmpuint(state.foreign_writes, ==, 0);
}

static void
test_a_profile_change_overrides_what_was_written_over_the_boost(void)
{
  EppdPolicyState state = boosted_state("power");

  assert_step(set_wanted(&state, "balance_power", "default", false), EPPD_STEP_BASE,
              "balance_power");
  written(&state, EPPD_STEP_BASE, "balance_power");
  g_assert_false(state.boosted);
  assert_step(idle(&state, "balance_power", SECOND), EPPD_STEP_NOTHING, NULL);
}

static void
test_what_no_kernel_takes_is_not_wanted(void)
{
  EppdPolicyState state = make_state("power", "performance");

  assert_step(set_wanted(&state, "custom", "default", true), EPPD_STEP_NOTHING, NULL);
  assert_step(set_wanted(&state, "", "default", true), EPPD_STEP_NOTHING, NULL);
  assert_epp(&state.wanted, "power");
}

static void
test_a_foreign_value_found_becomes_the_base(void)
{
  EppdPolicyState state = make_state("power", "performance");

  assert_step(busy(&state, "balance_power", SECOND), EPPD_STEP_BOOST, "performance");
  written(&state, EPPD_STEP_BOOST, "performance");
  g_assert_true(state.base_is_foreign);
  g_assert_cmpuint(state.foreign_writes, ==, 1);
  assert_step(idle(&state, "performance", SECOND), EPPD_STEP_BASE, "balance_power");
  written(&state, EPPD_STEP_BASE, "balance_power");

  /* It is the base now, no news. */
  assert_step(busy(&state, "balance_power", SECOND), EPPD_STEP_BOOST, "performance");
  g_assert_cmpuint(state.foreign_writes, ==, 1);

  /* …until the next profile change, be it to the same. */
  assert_step(set_wanted(&state, "power", "balance_power", false), EPPD_STEP_BASE, "power");
  g_assert_false(state.base_is_foreign);
}

static void
test_the_boost_value_found_while_not_boosting_becomes_the_base(void)
{
  EppdPolicyState state = make_state("power", "performance");

  assert_step(busy(&state, "performance", SECOND), EPPD_STEP_ALREADY_BOOST, NULL);
  g_assert_false(state.boosted);
  assert_step(idle(&state, "performance", SECOND), EPPD_STEP_NOTHING, NULL);
  assert_step(busy(&state, "performance", SECOND), EPPD_STEP_SAME_AS_BASE, NULL);
  g_assert_cmpuint(state.foreign_writes, ==, 1);
}

static void
test_a_foreign_value_at_the_idle_edge_stays(void)
{
  EppdPolicyState state = boosted_state("power");

  assert_step(idle(&state, "balance_power", SECOND), EPPD_STEP_LEFT_TO_OTHERS, NULL);
  g_assert_false(state.boosted);
  g_assert_true(state.base_is_foreign);
  assert_epp(&state.base.written, "balance_power");
  g_assert_cmpuint(state.foreign_writes, ==, 1);
}

static void
test_the_base_written_by_another_is_counted_and_no_foreign_base(void)
{
  EppdPolicyState state = boosted_state("power");

  assert_step(idle(&state, "power", SECOND), EPPD_STEP_LEFT_TO_OTHERS, NULL);
  g_assert_false(state.boosted);
  g_assert_false(state.base_is_foreign);
  g_assert_cmpuint(state.foreign_writes, ==, 1);
}

static void
test_a_foreign_write_of_the_wanted_value_is_no_foreign_base(void)
{
  EppdPolicyState state = make_state("power", "performance");

  busy(&state, "balance_power", SECOND);
  g_assert_true(state.base_is_foreign);
  busy(&state, "power", SECOND);
  g_assert_false(state.base_is_foreign);
}

static void
test_an_unreadable_value_is_never_foreign(void)
{
  EppdPolicyState state = make_state("power", "performance");

  assert_step(busy(&state, "", SECOND), EPPD_STEP_BOOST, "performance");
  written(&state, EPPD_STEP_BOOST, "");
  assert_step(idle(&state, "", SECOND), EPPD_STEP_BASE, "power");
  written(&state, EPPD_STEP_BASE, "");
  g_assert_cmpuint(state.foreign_writes, ==, 0);
}

static void
test_a_boost_that_was_unreadable_is_restored_all_the_same(void)
{
  EppdPolicyState state = make_state("power", "performance");

  busy(&state, "power", SECOND);
  written(&state, EPPD_STEP_BOOST, "");
  assert_step(idle(&state, "16", SECOND), EPPD_STEP_BASE, "power");
  /* A name would have read back as that name, or as a number. */
  assert_step(idle(&state, "balance_power", SECOND), EPPD_STEP_LEFT_TO_OTHERS, NULL);
}

#define DYNAMIC "dynamic(profile:balance_performance)"

static void
test_what_can_not_be_put_back_is_not_boosted_over(void)
{
  EppdPolicyState state = make_state("power", "performance");

  assert_step(busy(&state, "custom", SECOND), EPPD_STEP_LEFT_TO_OTHERS, NULL);
  assert_step(busy(&state, "custom", SECOND), EPPD_STEP_LEFT_TO_OTHERS, NULL);
  g_assert_cmpuint(state.foreign_writes, ==, 1);
  assert_step(set_wanted(&state, "power", "custom", false), EPPD_STEP_BASE, "power");
}

/* A read that was cut short, or a kernel to come. */
static void
test_a_text_that_is_no_epp_is_nobodys_base(void)
{
  static const char *const found[] = {"b", "balance_performanc", "mystery", "256"};

  for (guint i = 0; i < G_N_ELEMENTS(found); i++) {
    EppdPolicyState state = make_state("power", "performance");

    g_test_message("%s", found[i]);
    assert_step(busy(&state, found[i], SECOND), EPPD_STEP_LEFT_TO_OTHERS, NULL);
    g_assert_false(state.base_is_foreign);
    g_assert_cmpuint(state.foreign_writes, ==, 0);
    assert_step(busy(&state, "power", SECOND), EPPD_STEP_BOOST, "performance");
    assert_step(set_wanted(&state, "power", found[i], false), EPPD_STEP_BASE, "power");
  }
}

static void
test_what_was_cut_short_does_not_end_a_boost_without_its_base(void)
{
  EppdPolicyState state = boosted_state("power");

  assert_step(set_wanted(&state, "balance_power", "perf", false), EPPD_STEP_NOTHING, NULL);
  g_assert_true(state.boosted);
  assert_step(idle(&state, "perf", SECOND), EPPD_STEP_BASE, "balance_power");
  written(&state, EPPD_STEP_BASE, "balance_power");
  g_assert_false(state.boosted);
  g_assert_cmpuint(state.foreign_writes, ==, 0);
}

static void
test_what_another_wrote_over_a_boost_is_left_to_it_whatever_it_is(void)
{
  EppdPolicyState state = boosted_state("power");

  assert_step(idle(&state, "mystery", SECOND), EPPD_STEP_LEFT_TO_OTHERS, NULL);
  g_assert_false(state.boosted);
  g_assert_false(state.base_is_foreign);
  g_assert_cmpuint(state.foreign_writes, ==, 1);
  assert_step(busy(&state, "power", SECOND), EPPD_STEP_BOOST, "performance");
}

static void
test_such_a_text_may_still_be_what_we_wrote(void)
{
  EppdPolicyState state = make_state("power", "performance");

  assert_step(busy(&state, "power", SECOND), EPPD_STEP_BOOST, "performance");
  written(&state, EPPD_STEP_BOOST, "performance+");
  assert_step(set_wanted(&state, "power", "performance+", false), EPPD_STEP_NOTHING, NULL);
  assert_step(idle(&state, "performance+", SECOND), EPPD_STEP_BASE, "power");
  written(&state, EPPD_STEP_BASE, "power+");
  assert_step(busy(&state, "power+", SECOND), EPPD_STEP_BOOST, "performance");
}

static void
test_what_was_taken_over_is_given_back_over_what_was_cut_short(void)
{
  EppdPolicyState state = make_state("power", "performance");
  EppdEpp cut = epp("p");

  set_wanted(&state, "power", DYNAMIC, false);
  assert_step(eppd_policy_state_take_over(&state), EPPD_STEP_BASE, "power");
  written(&state, EPPD_STEP_BASE, "power");
  assert_step(eppd_policy_state_give_back(&state, &cut), EPPD_STEP_DYNAMIC, "dynamic");
}

static void
test_a_dynamic_policy_is_left_to_the_kernel(void)
{
  static const char *const found[] = {"dynamic", DYNAMIC};

  for (guint i = 0; i < G_N_ELEMENTS(found); i++) {
    EppdPolicyState state = make_state("power", "performance");
    EppdEpp found_epp = epp(found[i]);

    g_test_message("%s", found[i]);
    assert_step(busy(&state, found[i], SECOND), EPPD_STEP_LEFT_TO_KERNEL, NULL);
    assert_step(busy(&state, found[i], SECOND), EPPD_STEP_LEFT_TO_KERNEL, NULL);
    g_assert_true(state.kernel_managed);
    g_assert_cmpuint(state.foreign_writes, ==, 1);
    g_assert_false(eppd_policy_state_is_foreign(&state, &found_epp));
    assert_epp(&state.base.written, "power");
    assert_step(set_wanted(&state, "balance_power", found[i], true), EPPD_STEP_LEFT_TO_KERNEL,
                NULL);
    assert_epp(&state.base.written, "balance_power");
    /* Also while it can't be read. */
    assert_step(set_wanted(&state, "balance_power", "", true), EPPD_STEP_LEFT_TO_KERNEL, NULL);
    assert_step(eppd_policy_state_governor_left(&state, &found_epp), EPPD_STEP_NOTHING, NULL);

    /* It left dynamic by another's static write, which is a choice. */
    assert_step(busy(&state, "power", SECOND), EPPD_STEP_BOOST, "performance");
    g_assert_false(state.kernel_managed);
    assert_epp(&state.base.written, "power");
    g_assert_cmpuint(state.foreign_writes, ==, 2);
  }
}

static void
test_a_boost_that_turned_dynamic_is_not_put_back(void)
{
  EppdPolicyState state = boosted_state("power");

  assert_step(idle(&state, DYNAMIC, SECOND), EPPD_STEP_LEFT_TO_KERNEL, NULL);
  g_assert_false(state.boosted);
  assert_epp(&state.base.written, "power");
  g_assert_cmpuint(state.foreign_writes, ==, 1);

  /* Nor a base that was refused before. */
  state = boosted_state("power");
  idle(&state, "performance", SECOND);
  eppd_policy_state_refused(&state, EPPD_STEP_BASE);
  assert_step(idle(&state, DYNAMIC, SECOND), EPPD_STEP_LEFT_TO_KERNEL, NULL);
  g_assert_false(state.restore_pending);
}

static EppdPolicyState
taken_over_state(void)
{
  EppdPolicyState state = make_state(DYNAMIC, "performance");

  assert_step(set_wanted(&state, "power", DYNAMIC, true), EPPD_STEP_LEFT_TO_KERNEL, NULL);
  assert_step(eppd_policy_state_take_over(&state), EPPD_STEP_BASE, "power");
  return state;
}

static EppdStep
give_back(EppdPolicyState *state, const char *found)
{
  EppdEpp found_epp = epp(found);

  return eppd_policy_state_give_back(state, &found_epp);
}

static void
test_what_was_taken_over_is_given_back(void)
{
  EppdPolicyState state = taken_over_state();

  written(&state, EPPD_STEP_BASE, "power");
  g_assert_true(state.taken_over);
  g_assert_false(state.kernel_managed);
  assert_step(busy(&state, "power", SECOND), EPPD_STEP_BOOST, "performance");
  written(&state, EPPD_STEP_BOOST, "performance");
  assert_step(give_back(&state, "performance"), EPPD_STEP_DYNAMIC, "dynamic");
  assert_step(give_back(&state, "power"), EPPD_STEP_DYNAMIC, "dynamic");
  assert_step(give_back(&state, ""), EPPD_STEP_DYNAMIC, "dynamic");
  written(&state, EPPD_STEP_DYNAMIC, "");
  g_assert_false(state.boosted);
  g_assert_true(state.kernel_managed);
  assert_step(give_back(&state, DYNAMIC), EPPD_STEP_NOTHING, NULL);
}

static void
test_another_s_value_ends_a_take_over(void)
{
  EppdPolicyState state = taken_over_state();

  written(&state, EPPD_STEP_BASE, "power");
  assert_step(give_back(&state, "balance_power"), EPPD_STEP_NOTHING, NULL);
  g_assert_false(state.taken_over);

  state = taken_over_state();
  written(&state, EPPD_STEP_BASE, "power");
  assert_step(busy(&state, "balance_power", SECOND), EPPD_STEP_BOOST, "performance");
  written(&state, EPPD_STEP_BOOST, "performance");
  assert_step(give_back(&state, "performance"), EPPD_STEP_NOTHING, NULL);

  /* Dynamic by another's hand needs no giving back. */
  state = taken_over_state();
  written(&state, EPPD_STEP_BASE, "power");
  assert_step(give_back(&state, DYNAMIC), EPPD_STEP_NOTHING, NULL);
}

static void
test_a_refused_take_over_is_tried_again(void)
{
  EppdPolicyState state = taken_over_state();

  eppd_policy_state_refused(&state, EPPD_STEP_BASE);
  assert_step(idle(&state, DYNAMIC, SECOND), EPPD_STEP_BASE, "power");
  assert_step(idle(&state, "dynamic(profile:power)", SECOND), EPPD_STEP_BASE, "power");
}

static void
test_dynamic_by_the_table_is_no_take_over(void)
{
  EppdPolicyState state = make_state("power", "performance");

  assert_step(set_wanted(&state, "dynamic", DYNAMIC, true), EPPD_STEP_LEFT_TO_KERNEL, NULL);
  assert_step(eppd_policy_state_take_over(&state), EPPD_STEP_NOTHING, NULL);
  g_assert_false(state.taken_over);
}

static void
test_no_boost_without_a_base_or_a_boost_value(void)
{
  EppdPolicyState state = make_state("", "performance");

  assert_step(busy(&state, "", SECOND), EPPD_STEP_LEFT_TO_OTHERS, NULL);
  assert_step(busy(&state, "power", SECOND), EPPD_STEP_BOOST, "performance");

  state = make_state("power", "mystery");
  assert_step(busy(&state, "power", SECOND), EPPD_STEP_NOTHING, NULL);
  state = make_state("power", "dynamic");
  assert_step(busy(&state, "power", SECOND), EPPD_STEP_NOTHING, NULL);
}

static void
test_base_and_boost_the_same(void)
{
  EppdPolicyState state = make_state("performance", "performance");

  assert_step(busy(&state, "performance", SECOND), EPPD_STEP_SAME_AS_BASE, NULL);
  assert_step(busy(&state, "", SECOND), EPPD_STEP_SAME_AS_BASE, NULL);
  assert_step(idle(&state, "performance", SECOND), EPPD_STEP_NOTHING, NULL);
  g_assert_cmpuint(state.foreign_writes, ==, 0);
}

static void
test_what_is_learned_of_the_boost_holds_for_the_same_base(void)
{
  EppdPolicyState state = make_state("power", "performance");

  busy(&state, "power", SECOND);
  written(&state, EPPD_STEP_BOOST, "0");
  assert_step(set_wanted(&state, "performance", "0", false), EPPD_STEP_NOTHING, NULL);
  assert_step(idle(&state, "0", SECOND), EPPD_STEP_NOTHING, NULL);
  assert_step(busy(&state, "0", SECOND), EPPD_STEP_SAME_AS_BASE, NULL);
  g_assert_cmpuint(state.foreign_writes, ==, 0);
}

static void
test_a_refused_boost_is_none(void)
{
  EppdPolicyState state = make_state("power", "performance");

  busy(&state, "power", SECOND);
  eppd_policy_state_refused(&state, EPPD_STEP_BOOST);
  g_assert_false(state.boosted);
  g_assert_false(state.restore_pending);
  assert_step(idle(&state, "power", SECOND), EPPD_STEP_NOTHING, NULL);
}

static void
test_a_refused_base_stays_due(void)
{
  EppdPolicyState state = boosted_state("power");

  assert_step(idle(&state, "performance", SECOND), EPPD_STEP_BASE, "power");
  eppd_policy_state_refused(&state, EPPD_STEP_BASE);
  g_assert_true(state.boosted);
  g_assert_true(state.restore_pending);

  assert_step(idle(&state, "performance", SECOND), EPPD_STEP_BASE, "power");
  written(&state, EPPD_STEP_BASE, "power");
  g_assert_false(state.boosted);
  g_assert_false(state.restore_pending);
}

static void
test_the_performance_governor_leaves_its_epp(void)
{
  EppdPolicyState state = boosted_state("power");
  EppdEpp found = eppd_epp_parse("performance");
  EppdEpp base = eppd_epp_parse("power");

  g_assert_cmpint((int)eppd_policy_state_governor_left(&state, &found).kind, ==, EPPD_STEP_NOTHING);
  written(&state, EPPD_STEP_BASE, "power");
  assert_step(eppd_policy_state_governor_left(&state, &found), EPPD_STEP_BASE, "power");
  g_assert_cmpint((int)eppd_policy_state_governor_left(&state, &base).kind, ==, EPPD_STEP_NOTHING);

  found = eppd_epp_parse("balance_power");
  g_assert_cmpint((int)eppd_policy_state_governor_left(&state, &found).kind, ==, EPPD_STEP_NOTHING);

  /* Another program's base is a base too. */
  found = eppd_epp_parse("performance");
  busy(&state, "balance_power", SECOND);
  assert_step(eppd_policy_state_governor_left(&state, &found), EPPD_STEP_BASE, "balance_power");
}

static EppdPolicyState
pending_state(void)
{
  EppdPolicyState state = boosted_state("power");

  idle(&state, "performance", SECOND);
  eppd_policy_state_refused(&state, EPPD_STEP_BASE);
  return state;
}

static void
test_a_busy_edge_takes_a_pending_restore_over(void)
{
  EppdPolicyState state = pending_state();

  assert_step(busy(&state, "performance", SECOND), EPPD_STEP_BOOST, "performance");
  eppd_policy_state_refused(&state, EPPD_STEP_BOOST);
  g_assert_true(state.restore_pending);

  assert_step(busy(&state, "", SECOND), EPPD_STEP_BOOST, "performance");
  written(&state, EPPD_STEP_BOOST, "performance");
  g_assert_true(state.boosted);
  g_assert_false(state.restore_pending);
  assert_step(idle(&state, "performance", SECOND), EPPD_STEP_BASE, "power");
  g_assert_cmpuint(state.foreign_writes, ==, 0);
}

static void
test_a_pending_restore_gives_way_to_others(void)
{
  EppdPolicyState state = pending_state();

  assert_step(idle(&state, "balance_power", SECOND), EPPD_STEP_LEFT_TO_OTHERS, NULL);
  g_assert_false(state.boosted);
  g_assert_false(state.restore_pending);

  state = pending_state();
  assert_step(busy(&state, "balance_power", SECOND), EPPD_STEP_BOOST, "performance");
  assert_epp(&state.base.written, "balance_power");
  g_assert_false(state.restore_pending);

  state = pending_state();
  assert_step(idle(&state, "power", SECOND), EPPD_STEP_NOTHING, NULL);
  g_assert_false(state.restore_pending);
}

static void
test_a_profile_change_is_due_over_a_pending_restore(void)
{
  EppdPolicyState state = pending_state();

  assert_step(set_wanted(&state, "balance_power", "performance", false), EPPD_STEP_BASE,
              "balance_power");
  /* Refused again, or not even tried: the file is still boosted. */
  eppd_policy_state_refused(&state, EPPD_STEP_BASE);
  g_assert_true(state.boosted);
  g_assert_true(state.restore_pending);
  assert_step(idle(&state, "performance", SECOND), EPPD_STEP_BASE, "balance_power");
  written(&state, EPPD_STEP_BASE, "balance_power");
  g_assert_false(state.boosted);
  g_assert_false(state.restore_pending);
}

static void
test_a_refused_profile_change_is_tried_again(void)
{
  EppdPolicyState state = make_state("power", "performance");

  assert_step(set_wanted(&state, "balance_power", "default", false), EPPD_STEP_BASE,
              "balance_power");
  eppd_policy_state_refused(&state, EPPD_STEP_BASE);
  g_assert_false(state.boosted);
  g_assert_true(state.restore_pending);

  /* What it was to replace is not foreign news. */
  assert_step(idle(&state, "default", SECOND), EPPD_STEP_BASE, "balance_power");
  assert_step(busy(&state, "default", SECOND), EPPD_STEP_BOOST, "performance");
  g_assert_cmpuint(state.foreign_writes, ==, 0);
  /* Another value is, the boost value among them. */
  assert_step(idle(&state, "performance", SECOND), EPPD_STEP_LEFT_TO_OTHERS, NULL);
  g_assert_false(state.restore_pending);
}

static void
test_governor_performance_keeps_the_restore_due(void)
{
  EppdPolicyState state = make_state("power", "balance_performance");

  busy(&state, "power", SECOND);
  written(&state, EPPD_STEP_BOOST, "balance_performance");
  assert_step(idle_under_governor_performance(&state), EPPD_STEP_BASE, "power");
  eppd_policy_state_refused(&state, EPPD_STEP_BASE);
  assert_step(idle_under_governor_performance(&state), EPPD_STEP_BASE, "power");
  eppd_policy_state_refused(&state, EPPD_STEP_BASE);

  /* The governor left, and the kernel leaves EPP at performance then. */
  assert_step(idle(&state, "performance", SECOND), EPPD_STEP_BASE, "power");
  g_assert_cmpuint(state.foreign_writes, ==, 0);
}

static void
test_a_new_boost_value(void)
{
  EppdPolicyState state = make_state("power", "performance");
  EppdEpp boost = epp("balance_performance");

  busy(&state, "power", SECOND);
  written(&state, EPPD_STEP_BOOST, "0");
  idle(&state, "0", SECOND);
  eppd_policy_state_refused(&state, EPPD_STEP_BASE);

  eppd_policy_state_set_boost(&state, &boost);
  g_assert_false(eppd_policy_state_knows_readback(&state, EPPD_STEP_BOOST));
  /* The file still holds the old one, and that is ours. */
  assert_step(idle(&state, "0", SECOND), EPPD_STEP_BASE, "power");
  written(&state, EPPD_STEP_BASE, "255");
  assert_step(busy(&state, "255", SECOND), EPPD_STEP_BOOST, "balance_performance");
}

static void
test_a_boost_value_is_not_changed_under_a_boost(void)
{
  if (g_test_subprocess()) {
    EppdPolicyState state = boosted_state("power");
    EppdEpp boost = epp("balance_performance");

    eppd_policy_state_set_boost(&state, &boost);
    return;
  }
  g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed();
  g_test_trap_assert_stderr("*restore_pending*");
}

static void
test_too_many_foreign_writes_bring_a_rest(void)
{
  EppdPolicyState state = make_state("power", "performance");
  gint64 now_usec = SECOND;

  for (guint i = 0; i < EPPD_FOREIGN_MAX; i++) {
    assert_step(busy(&state, i % 2 ? "100" : "101", now_usec), EPPD_STEP_BOOST, "performance");
    now_usec += SECOND;
  }
  assert_step(busy(&state, "102", now_usec), EPPD_STEP_RESTING, NULL);
  assert_epp(&state.base.written, "102");
  g_assert_true(eppd_policy_state_is_resting(&state, now_usec));

  /* Nothing is looked at meanwhile. */
  assert_step(busy(&state, "103", now_usec + SECOND), EPPD_STEP_RESTING, NULL);
  g_assert_cmpuint(state.foreign_writes, ==, EPPD_FOREIGN_MAX + 1);

  now_usec += EPPD_FOREIGN_REST_USEC;
  g_assert_true(eppd_policy_state_is_resting(&state, now_usec - 1));
  g_assert_false(eppd_policy_state_is_resting(&state, now_usec));
  assert_step(busy(&state, "102", now_usec), EPPD_STEP_BOOST, "performance");
}

static void
test_slow_foreign_writes_bring_no_rest(void)
{
  EppdPolicyState state = make_state("power", "performance");
  gint64 now_usec = 0;

  for (guint i = 0; i < 50; i++) {
    assert_step(busy(&state, i % 2 ? "100" : "101", now_usec), EPPD_STEP_BOOST, "performance");
    now_usec += EPPD_FOREIGN_SPAN_USEC / EPPD_FOREIGN_MAX + 1;
  }
  g_assert_cmpuint(state.foreign_writes, ==, 50);
}

static void
test_a_rest_ends_when_the_clock_goes_back(void)
{
  EppdPolicyState state = make_state("power", "performance");

  g_assert_false(eppd_policy_state_is_resting(&state, -1));
  for (guint i = 0; i <= EPPD_FOREIGN_MAX; i++)
    busy(&state, i % 2 ? "100" : "101", 1000 * SECOND);
  g_assert_true(eppd_policy_state_is_resting(&state, 1000 * SECOND));
  g_assert_false(eppd_policy_state_is_resting(&state, 10 * SECOND));
  g_assert_false(eppd_policy_state_is_resting(&state, G_MININT64));
}

static void
test_absurd_times_do_no_harm(void)
{
  EppdPolicyState state = make_state("power", "performance");

  for (guint i = 0; i < 20; i++) {
    busy(&state, i % 2 ? "100" : "101", G_MAXINT64);
    busy(&state, i % 2 ? "102" : "103", G_MININT64);
    busy(&state, i % 2 ? "104" : "105", 0);
  }
  for (guint i = 0; i < 20; i++)
    busy(&state, i % 2 ? "100" : "101", G_MAXINT64 - 1);
  g_assert_true(eppd_policy_state_is_resting(&state, G_MAXINT64 - 1));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func("/policy-state/" name, function)
  ADD("there-and-back", test_there_and_back);
  ADD("the-readback-is-what-counts-as-ours", test_the_readback_is_what_counts_as_ours);
  ADD("a-value-written-in-between-is-not-learned", test_a_value_written_in_between_is_not_learned);
  ADD("a-policy-made-anew-starts-anew", test_a_policy_made_anew_starts_anew);
  ADD("a-dynamic-policy-is-left-to-the-kernel", test_a_dynamic_policy_is_left_to_the_kernel);
  ADD("a-boost-that-turned-dynamic-is-not-put-back",
      test_a_boost_that_turned_dynamic_is_not_put_back);
  ADD("what-was-taken-over-is-given-back", test_what_was_taken_over_is_given_back);
  ADD("another-s-value-ends-a-take-over", test_another_s_value_ends_a_take_over);
  ADD("a-refused-take-over-is-tried-again", test_a_refused_take_over_is_tried_again);
  ADD("dynamic-by-the-table-is-no-take-over", test_dynamic_by_the_table_is_no_take_over);
  ADD("a-profile-change", test_a_profile_change);
  ADD("a-profile-change-during-a-boost-waits-for-its-end",
      test_a_profile_change_during_a_boost_waits_for_its_end);
  ADD("a-profile-that-wants-the-boost-value-during-a-boost",
      test_a_profile_that_wants_the_boost_value_during_a_boost);
  ADD("a-profile-change-overrides-what-was-written-over-the-boost",
      test_a_profile_change_overrides_what_was_written_over_the_boost);
  ADD("what-no-kernel-takes-is-not-wanted", test_what_no_kernel_takes_is_not_wanted);
  ADD("a-foreign-value-found-becomes-the-base", test_a_foreign_value_found_becomes_the_base);
  ADD("the-boost-value-found-while-not-boosting-becomes-the-base",
      test_the_boost_value_found_while_not_boosting_becomes_the_base);
  ADD("a-foreign-value-at-the-idle-edge-stays", test_a_foreign_value_at_the_idle_edge_stays);
  ADD("the-base-written-by-another-is-counted-and-no-foreign-base",
      test_the_base_written_by_another_is_counted_and_no_foreign_base);
  ADD("a-foreign-write-of-the-wanted-value-is-no-foreign-base",
      test_a_foreign_write_of_the_wanted_value_is_no_foreign_base);
  ADD("an-unreadable-value-is-never-foreign", test_an_unreadable_value_is_never_foreign);
  ADD("a-boost-that-was-unreadable-is-restored-all-the-same",
      test_a_boost_that_was_unreadable_is_restored_all_the_same);
  ADD("what-can-not-be-put-back-is-not-boosted-over",
      test_what_can_not_be_put_back_is_not_boosted_over);
  ADD("a-text-that-is-no-epp-is-nobodys-base", test_a_text_that_is_no_epp_is_nobodys_base);
  ADD("what-was-cut-short-does-not-end-a-boost-without-its-base",
      test_what_was_cut_short_does_not_end_a_boost_without_its_base);
  ADD("what-another-wrote-over-a-boost-is-left-to-it-whatever-it-is",
      test_what_another_wrote_over_a_boost_is_left_to_it_whatever_it_is);
  ADD("such-a-text-may-still-be-what-we-wrote", test_such_a_text_may_still_be_what_we_wrote);
  ADD("what-was-taken-over-is-given-back-over-what-was-cut-short",
      test_what_was_taken_over_is_given_back_over_what_was_cut_short);
  ADD("no-boost-without-a-base-or-a-boost-value", test_no_boost_without_a_base_or_a_boost_value);
  ADD("base-and-boost-the-same", test_base_and_boost_the_same);
  ADD("what-is-learned-of-the-boost-holds-for-the-same-base",
      test_what_is_learned_of_the_boost_holds_for_the_same_base);
  ADD("a-refused-boost-is-none", test_a_refused_boost_is_none);
  ADD("a-refused-base-stays-due", test_a_refused_base_stays_due);
  ADD("the-performance-governor-leaves-its-epp", test_the_performance_governor_leaves_its_epp);
  ADD("a-busy-edge-takes-a-pending-restore-over", test_a_busy_edge_takes_a_pending_restore_over);
  ADD("a-pending-restore-gives-way-to-others", test_a_pending_restore_gives_way_to_others);
  ADD("a-profile-change-is-due-over-a-pending-restore",
      test_a_profile_change_is_due_over_a_pending_restore);
  ADD("a-refused-profile-change-is-tried-again", test_a_refused_profile_change_is_tried_again);
  ADD("governor-performance-keeps-the-restore-due",
      test_governor_performance_keeps_the_restore_due);
  ADD("a-new-boost-value", test_a_new_boost_value);
  ADD("a-boost-value-is-not-changed-under-a-boost",
      test_a_boost_value_is_not_changed_under_a_boost);
  ADD("too-many-foreign-writes-bring-a-rest", test_too_many_foreign_writes_bring_a_rest);
  ADD("slow-foreign-writes-bring-no-rest", test_slow_foreign_writes_bring_no_rest);
  ADD("a-rest-ends-when-the-clock-goes-back", test_a_rest_ends_when_the_clock_goes_back);
  ADD("absurd-times-do-no-harm", test_absurd_times_do_no_harm);
  return g_test_run();
}
