/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/boost-decision.h"

#include <string.h>

#define MS 1000

/* A machine and a configuration where this daemon boosts. */
static EppdBoostInput
armed_input(void)
{
  return (EppdBoostInput){
      .mode = EPPD_BOOST_MODE_OPT_IN,
      .backend = EPPD_BACKEND_AUTO,
      .suppress_in = 1u << EPPD_PROFILE_POWER_SAVER,
      .on_battery = true,
      .threshold_percent = 50,
      .sample_usec = 10 * MS,
      .hold_usec = 300 * MS,
      .boost_epp = {.kind = EPPD_EPP_PERFORMANCE},
      .n_holds = 2,
      .profile = EPPD_PROFILE_BALANCED,
      .source = EPPD_POWER_SOURCE_AC,
      .wanted_epp = {.kind = EPPD_EPP_BALANCE_PERFORMANCE},
      .n_policies_with_epp = 4,
      .amd_pstate_active = true,
      .has_cppc_flag = true,
      .epp_write_usec = 100,
      .residency_ready = true,
  };
}

static EppdBoostInput
kernel_input(void)
{
  EppdBoostInput input = armed_input();

  input.has_kernel_boost = true;
  return input;
}

static void
assert_decision(const EppdBoostInput *input, EppdBoostStatus status, const char *says)
{
  g_autofree char *reason = NULL;
  EppdBoostStatus decided = eppd_decide_boost(input, &reason);

  g_test_message("%s: %s", eppd_boost_status_text(decided), reason);
  g_assert_cmpint((int)decided, ==, (int)status);
  g_assert_nonnull(reason);
  g_assert_nonnull(strstr(reason, says));
}

static void
test_armed_says_who_when_and_how_long(void)
{
  EppdBoostInput input = armed_input();
  g_autofree char *reason = NULL;

  g_assert_cmpint((int)eppd_decide_boost(&input, &reason), ==, EPPD_BOOST_ARMED);
  g_assert_cmpstr(reason, ==,
                  "2 holds; a core that is at least 50 % busy gets performance until "
                  "300 ms after");

  input.n_holds = 1;
  input.threshold_percent = 35;
  assert_decision(&input, EPPD_BOOST_ARMED, "1 hold; a core that is at least 35 % busy");
  input.app_threshold_percent = 7;
  assert_decision(&input, EPPD_BOOST_ARMED,
                  "a core that is at least 35 % busy, or on which a holder's application runs at "
                  "least 7 % of the time gets");
  input.threshold_percent = 0;
  assert_decision(&input, EPPD_BOOST_ARMED,
                  "; a core on which a holder's application runs at least 7 % of the time gets");
  input.threshold_percent = 35;
  input.app_threshold_percent = 0;
  input.mode = EPPD_BOOST_MODE_ALWAYS;
  input.n_holds = 0;
  assert_decision(&input, EPPD_BOOST_ARMED, "Mode=always");
  assert_decision(&input, EPPD_BOOST_ARMED, "at least 35 %");
}

static void
test_off_and_idle(void)
{
  EppdBoostInput input = armed_input();

  input.mode = EPPD_BOOST_MODE_OFF;
  assert_decision(&input, EPPD_BOOST_OFF, "Mode=off");
  input.mode = EPPD_BOOST_MODE_OPT_IN;
  input.n_holds = 0;
  assert_decision(&input, EPPD_BOOST_IDLE, "no program holds the boost: ");
  input.profile = EPPD_PROFILE_POWER_SAVER;
  assert_decision(&input, EPPD_BOOST_IDLE,
                  "would have to wait: no boost in the profile power-saver");
  input.n_policies_with_epp = 0;
  assert_decision(&input, EPPD_BOOST_IDLE, "would have to wait: no CPU has");
}

static void
test_the_machine_blocks(void)
{
  EppdBoostInput input = armed_input();

  input.n_policies_with_epp = 0;
  assert_decision(&input, EPPD_BOOST_BLOCKED, "no CPU has an energy_performance_preference file");

  input = armed_input();
  input.dynamic_epp_on = true;
  assert_decision(&input, EPPD_BOOST_BLOCKED, "kernel dynamic EPP");
  input.dynamic_epp_take_over = true;
  assert_decision(&input, EPPD_BOOST_BLOCKED, "it could not be taken over");
  input.dynamic_epp_overruled = true;
  assert_decision(&input, EPPD_BOOST_BLOCKED, "another program switched it on again");
  input.dynamic_epp_on = false;
  assert_decision(&input, EPPD_BOOST_ARMED, "");

  input = armed_input();
  input.n_policies_dynamic = 4;
  assert_decision(&input, EPPD_BOOST_BLOCKED, "kernel dynamic EPP");
  input.n_policies_dynamic = 3;
  assert_decision(&input, EPPD_BOOST_ARMED,
                  "; not on 3 of 4 policies, which the kernel's dynamic EPP manages");

  input = armed_input();
  input.n_policies_with_epp = 0;
  input.amd_pstate_active = false;
  input.amd_pstate_passive = true;
  assert_decision(&input, EPPD_BOOST_BLOCKED, "/sys/devices/system/cpu/amd_pstate/status");

  input = armed_input();
  input.n_policies_governor_performance = 3;
  assert_decision(&input, EPPD_BOOST_ARMED,
                  "; not on 3 of 4 policies, where the governor is performance");
  input.n_policies_governor_performance = 4;
  assert_decision(&input, EPPD_BOOST_BLOCKED,
                  "the governor is performance on every policy: all cores already run at full "
                  "performance, there is nothing to boost");

  input = armed_input();
  input.wanted_epp = input.boost_epp;
  input.profile = EPPD_PROFILE_PERFORMANCE;
  assert_decision(&input, EPPD_BOOST_BLOCKED, "the profile performance already gives every core");
  input.wanted_epp = eppd_epp_named(EPPD_EPP_UNKNOWN);
  assert_decision(&input, EPPD_BOOST_ARMED, "");

  input = armed_input();
  input.epp_write_usec = EPPD_SLOW_EPP_WRITE_USEC;
  assert_decision(&input, EPPD_BOOST_ARMED, "looks every 200 ms, since a write of EPP takes 20 ms");
  input.epp_write_usec = EPPD_SLOW_EPP_WRITE_USEC + 500;
  assert_decision(&input, EPPD_BOOST_BLOCKED, "slow EPP: one write of EPP takes 20.5 ms");
}

static void
test_the_user_suppresses(void)
{
  EppdBoostInput input = armed_input();

  input.profile = EPPD_PROFILE_POWER_SAVER;
  assert_decision(&input, EPPD_BOOST_SUPPRESSED, "no boost in the profile power-saver");
  input.suppress_in = 0;
  assert_decision(&input, EPPD_BOOST_ARMED, "");

  input = armed_input();
  input.source = EPPD_POWER_SOURCE_BATTERY;
  assert_decision(&input, EPPD_BOOST_ARMED, "");
  input.on_battery = false;
  assert_decision(&input, EPPD_BOOST_SUPPRESSED, "no boost on battery");
}

static void
test_residency_blocks(void)
{
  EppdBoostInput input = armed_input();

  input.residency_ready = false;
  assert_decision(&input, EPPD_BOOST_BLOCKED, "not ready yet");
  input.residency_problem = "none of the sources works";
  assert_decision(&input, EPPD_BOOST_BLOCKED, "none of the sources works");
  /* The kernel needs no source of ours. */
  input.has_kernel_boost = true;
  assert_decision(&input, EPPD_BOOST_KERNEL, "epp_boost");
}

static void
test_a_journal_that_cant_be_written_blocks(void)
{
  EppdBoostInput input = armed_input();

  input.journal_problem = "Could not write /run/eppd/restore.ini: No space left on device";
  assert_decision(&input, EPPD_BOOST_BLOCKED, "restore.ini: No space left");
  /* The kernel's own boost needs no flags of ours. */
  input.has_kernel_boost = true;
  assert_decision(&input, EPPD_BOOST_KERNEL, "epp_boost");
}

static void
test_the_kernel_does_it_where_it_means_the_same(void)
{
  EppdBoostInput input = kernel_input();

  assert_decision(&input, EPPD_BOOST_KERNEL, "2 holds; the kernel");
  input.backend = EPPD_BACKEND_KERNEL;
  assert_decision(&input, EPPD_BOOST_KERNEL, "epp_boost");
  input.backend = EPPD_BACKEND_USER;
  assert_decision(&input, EPPD_BOOST_ARMED, " busy gets ");

  input = kernel_input();
  input.mode = EPPD_BOOST_MODE_ALWAYS;
  input.n_holds = 0;
  assert_decision(&input, EPPD_BOOST_KERNEL, "Mode=always");
}

typedef void (*Spoil)(EppdBoostInput *input);

static void
spoil_mode(EppdBoostInput *input)
{
  input->amd_pstate_active = false;
}

static void
spoil_cppc(EppdBoostInput *input)
{
  input->has_cppc_flag = false;
}

static void
spoil_parameter(EppdBoostInput *input)
{
  input->has_kernel_boost = false;
}

static void
spoil_threshold(EppdBoostInput *input)
{
  input->threshold_percent = 51;
}

static void
spoil_sample(EppdBoostInput *input)
{
  input->sample_usec = 11 * MS;
}

static void
spoil_hold(EppdBoostInput *input)
{
  input->hold_usec = 301 * MS;
}

static void
spoil_epp(EppdBoostInput *input)
{
  input->boost_epp = eppd_epp_raw(16);
}

static void
spoil_siblings(EppdBoostInput *input)
{
  input->siblings = true;
}

static void
spoil_trigger(EppdBoostInput *input)
{
  input->threshold_percent = 0;
  input->app_threshold_percent = 10;
}

static void
test_any_difference_keeps_the_kernel_out(void)
{
  static const struct {
    Spoil spoil;
    const char *says;
  } cases[] = {
      {spoil_mode, "not in active mode"},
      {spoil_cppc, "no cppc flag"},
      {spoil_parameter, "no epp_boost"},
      {spoil_threshold, "not 51 %"},
      {spoil_sample, "SampleMs="},
      {spoil_hold, "HoldMs="},
      {spoil_epp, "not 16"},
      {spoil_siblings, "Siblings=true"},
      {spoil_trigger, "trigger app"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    EppdBoostInput input = kernel_input();

    cases[i].spoil(&input);
    assert_decision(&input, EPPD_BOOST_ARMED, " gets ");
    input.backend = EPPD_BACKEND_KERNEL;
    assert_decision(&input, EPPD_BOOST_BLOCKED, cases[i].says);
    assert_decision(&input, EPPD_BOOST_BLOCKED, "Backend=auto");
  }
}

/* Each obstacle is added before those that it comes before, so that each must win over them all. */
static void
test_order_of_the_reasons(void)
{
  EppdBoostInput input = armed_input();

  input.residency_ready = false;
  assert_decision(&input, EPPD_BOOST_BLOCKED, "not ready yet");
  input.has_kernel_boost = true;
  assert_decision(&input, EPPD_BOOST_KERNEL, "epp_boost");
  input.source = EPPD_POWER_SOURCE_BATTERY;
  input.on_battery = false;
  assert_decision(&input, EPPD_BOOST_SUPPRESSED, "battery");
  input.profile = EPPD_PROFILE_POWER_SAVER;
  assert_decision(&input, EPPD_BOOST_SUPPRESSED, "power-saver");
  input.epp_write_usec = G_MAXINT64;
  assert_decision(&input, EPPD_BOOST_BLOCKED, "slow EPP");
  input.wanted_epp = input.boost_epp;
  assert_decision(&input, EPPD_BOOST_BLOCKED, "already gives every core");
  input.n_policies_governor_performance = 4;
  assert_decision(&input, EPPD_BOOST_BLOCKED, "the governor is performance");
  input.dynamic_epp_on = true;
  assert_decision(&input, EPPD_BOOST_BLOCKED, "dynamic");
  input.n_policies_with_epp = 0;
  assert_decision(&input, EPPD_BOOST_BLOCKED, "no CPU has");
  input.n_holds = 0;
  assert_decision(&input, EPPD_BOOST_IDLE, "no program");
  input.mode = EPPD_BOOST_MODE_OFF;
  assert_decision(&input, EPPD_BOOST_OFF, "Mode=off");
}

static void
test_what_another_program_does_to_the_kernel_s_boost_is_told(void)
{
  EppdBoostInput input = kernel_input();

  input.kernel_boost_problem = "another program switched it off";
  assert_decision(&input, EPPD_BOOST_ARMED,
                  "; not by the kernel's own epp_boost: another program switched it off");
  input.backend = EPPD_BACKEND_KERNEL;
  assert_decision(&input, EPPD_BOOST_BLOCKED, "can't do it: another program switched it off");

  input = kernel_input();
  input.backend = EPPD_BACKEND_USER;
  input.kernel_boost_besides = "another program switched it on";
  assert_decision(&input, EPPD_BOOST_ARMED,
                  "; the kernel's own epp_boost boosts besides: another program switched it on");
}

static void
test_intel_s_own_boost_is_told(void)
{
  EppdBoostInput input = armed_input();

  input.hwp_boost_on = true;
  assert_decision(&input, EPPD_BOOST_ARMED,
                  "; the kernel's hwp_dynamic_boost is on and left alone");
}

static void
test_slow_writes_raise_the_period_and_the_hold(void)
{
  static const struct {
    gint64 sample_ms;
    gint64 hold_ms;
    gint64 write_usec;
    gint64 expected_sample_ms;
    gint64 expected_hold_ms;
  } cases[] = {
      {10, 300, 0, 10, 300},      {10, 300, 1000, 10, 300},        {10, 300, 2000, 20, 300},
      {10, 300, 20000, 200, 400}, {10, 300, G_MAXINT64, 200, 400}, {10, 300, -5, 10, 300},
      {10, 0, 0, 10, 20},         {1000, 60000, 100, 1000, 60000},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    EppdBoostInput input = armed_input();

    input.sample_usec = cases[i].sample_ms * MS;
    input.hold_usec = cases[i].hold_ms * MS;
    input.epp_write_usec = cases[i].write_usec;
    g_assert_cmpint(eppd_decide_sample_usec(&input), ==, cases[i].expected_sample_ms * MS);
    g_assert_cmpint(eppd_decide_hold_usec(&input), ==, cases[i].expected_hold_ms * MS);
  }
}

static void
test_texts(void)
{
  EppdBoostMode mode = EPPD_BOOST_MODE_OFF;
  EppdBackend backend = EPPD_BACKEND_AUTO;

  g_assert_true(eppd_boost_mode_parse("opt-in", &mode));
  g_assert_cmpint((int)mode, ==, EPPD_BOOST_MODE_OPT_IN);
  g_assert_true(eppd_boost_mode_parse("always", &mode));
  g_assert_cmpint((int)mode, ==, EPPD_BOOST_MODE_ALWAYS);
  g_assert_true(eppd_boost_mode_parse("off", &mode));
  g_assert_cmpint((int)mode, ==, EPPD_BOOST_MODE_OFF);
  g_assert_false(eppd_boost_mode_parse("on", &mode));

  g_assert_true(eppd_backend_parse("kernel", &backend));
  g_assert_cmpint((int)backend, ==, EPPD_BACKEND_KERNEL);
  g_assert_true(eppd_backend_parse("user", &backend));
  g_assert_cmpint((int)backend, ==, EPPD_BACKEND_USER);
  g_assert_true(eppd_backend_parse("auto", &backend));
  g_assert_cmpint((int)backend, ==, EPPD_BACKEND_AUTO);
  g_assert_false(eppd_backend_parse("", &backend));

  g_assert_cmpstr(eppd_boost_status_text(EPPD_BOOST_OFF), ==, "off");
  g_assert_cmpstr(eppd_boost_status_text(EPPD_BOOST_IDLE), ==, "idle");
  g_assert_cmpstr(eppd_boost_status_text(EPPD_BOOST_ARMED), ==, "armed");
  g_assert_cmpstr(eppd_boost_status_text(EPPD_BOOST_BLOCKED), ==, "blocked");
  g_assert_cmpstr(eppd_boost_status_text(EPPD_BOOST_SUPPRESSED), ==, "suppressed");
  g_assert_cmpstr(eppd_boost_status_text(EPPD_BOOST_KERNEL), ==, "kernel");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func("/boost-decision/" name, function)
  ADD("armed-says-who-when-and-how-long", test_armed_says_who_when_and_how_long);
  ADD("off-and-idle", test_off_and_idle);
  ADD("the-machine-blocks", test_the_machine_blocks);
  ADD("what-another-program-does-to-the-kernel-s-boost-is-told",
      test_what_another_program_does_to_the_kernel_s_boost_is_told);
  ADD("intel-s-own-boost-is-told", test_intel_s_own_boost_is_told);
  ADD("the-user-suppresses", test_the_user_suppresses);
  ADD("residency-blocks", test_residency_blocks);
  ADD("a-journal-that-cant-be-written-blocks", test_a_journal_that_cant_be_written_blocks);
  ADD("the-kernel-does-it-where-it-means-the-same",
      test_the_kernel_does_it_where_it_means_the_same);
  ADD("any-difference-keeps-the-kernel-out", test_any_difference_keeps_the_kernel_out);
  ADD("order-of-the-reasons", test_order_of_the_reasons);
  ADD("slow-writes-raise-the-period-and-the-hold", test_slow_writes_raise_the_period_and_the_hold);
  ADD("texts", test_texts);
  return g_test_run();
}
