/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/epp-explain.h"

#include <string.h>

typedef struct {
  EppdPolicyState state;
  EppdExplainInput input;
} Fixture;

/* Balanced on AC, armed, nothing unusual. */
static void
set_up(Fixture *f)
{
  EppdEpp wanted = eppd_epp_parse("balance_performance");
  EppdEpp boost = eppd_epp_parse("performance");

  eppd_policy_state_init(&f->state, &wanted, &boost);
  f->input = (EppdExplainInput){
      .state = &f->state,
      .current = wanted,
      .online = true,
      .has_epp = true,
      .driver = "amd-pstate-epp",
      .profile = EPPD_PROFILE_BALANCED,
      .source = EPPD_POWER_SOURCE_AC,
      .table = EPPD_EPP_TABLE_PPD,
      .boost_status = EPPD_BOOST_ARMED,
      .boost_reason = "1 hold",
      .cpu = 3,
      .cpu_has_sample = true,
      .cpu_busy_permille = 123,
      .now_usec = 1000 * G_USEC_PER_SEC,
  };
}

static void
test_the_plain_case(void)
{
  Fixture f;
  g_autofree char *text = NULL;

  set_up(&f);
  text = eppd_explain_policy(&f.input);
  g_assert_cmpstr(
      text, ==,
      "CPU 3's EPP is balance_performance (driver amd-pstate-epp). The table 'ppd' "
      "gives balance_performance for the profile balanced on AC. Boost (armed): 1 hold. "
      "The core was 12.3 % busy at the last look.");
}

static void
test_what_is_unknown_is_left_out(void)
{
  Fixture f;
  g_autofree char *text = NULL;

  set_up(&f);
  f.input.driver = NULL;
  f.input.boost_reason = NULL;
  f.input.cpu_has_sample = false;
  f.input.current = eppd_epp_named(EPPD_EPP_UNKNOWN);
  f.input.source = EPPD_POWER_SOURCE_BATTERY;
  text = eppd_explain_policy(&f.input);
  g_assert_cmpstr(text, ==,
                  "CPU 3's EPP can't be read now. The table 'ppd' gives balance_performance for "
                  "the profile balanced on battery. Boost (armed).");
}

/* What changes @f, and what the explanation must (and must not) say then. */
typedef struct {
  void (*change)(Fixture *f);
  const char *says;
  const char *does_not_say;
} Case;

static void
make_offline(Fixture *f)
{
  f->input.online = false;
}

static void
make_passive(Fixture *f)
{
  f->input.has_epp = false;
  f->input.current = eppd_epp_named(EPPD_EPP_UNKNOWN);
}

static void
make_dynamic(Fixture *f)
{
  f->input.current = eppd_epp_parse("dynamic(profile:balanced)");
}

static void
make_all_dynamic(Fixture *f)
{
  f->input.dynamic_epp_on = true;
}

static void
make_boosted(Fixture *f)
{
  f->state.boosted = true;
  f->input.current = eppd_epp_parse("performance");
}

static void
make_boosted_for_a_game(Fixture *f)
{
  make_boosted(f);
  f->input.boosted_for = "org.example.Game";
}

static void
make_pending(Fixture *f)
{
  make_boosted(f);
  f->state.restore_pending = true;
}

static void
make_governor_performance(Fixture *f)
{
  f->input.current = eppd_epp_parse("performance");
  f->input.governor_performance = true;
}

static void
make_foreign_base(Fixture *f)
{
  f->state.base.written = eppd_epp_parse("200");
  f->state.base_is_foreign = true;
  f->state.foreign_writes = 2;
  f->input.current = eppd_epp_parse("200");
}

static void
make_written_since(Fixture *f)
{
  f->input.current = eppd_epp_parse("power");
}

static void
make_read_back_as_a_number(Fixture *f)
{
  f->state.base.readback = eppd_epp_parse("128");
  f->input.current = eppd_epp_parse("128");
}

static void
make_resting(Fixture *f)
{
  f->state.rest_until_usec = f->input.now_usec + 41 * G_USEC_PER_SEC + 1;
}

static void
test_each_case_is_explained(void)
{
  static const Case cases[] = {
      {make_offline, "CPU 3 is offline.", "busy at"},
      {make_offline, "when it comes online", "Another"},
      {make_passive, "CPU 3 has no EPP in this mode of its driver", "can't be read"},
      {make_passive, "when the driver is in active mode again", "Another"},
      {make_dynamic, "CPU 3's EPP is dynamic(profile:balanced)", "Another"},
      {make_dynamic, "The kernel's dynamic EPP manages it", "Another"},
      {make_all_dynamic, "The kernel's dynamic EPP manages it", "Another"},
      {make_boosted, "It is boosted: the core was busy a moment ago, and balance_performance comes",
       "Another"},
      {make_boosted_for_a_game,
       "It is boosted for 'org.example.Game', which ran there a moment ago, and "
       "balance_performance comes",
       "the core was busy"},
      {make_pending, "The kernel refused to take balance_performance for now", "It is boosted"},
      {make_governor_performance, "The governor is performance", "Another"},
      {make_foreign_base, "Another program set 200 (2 foreign writes so far)", "The table"},
      {make_foreign_base, "which brings balance_performance back", "wrote it since"},
      {make_written_since, "Another program wrote it since", "boosted:"},
      {make_read_back_as_a_number, "CPU 3's EPP is 128", "Another"},
      {make_resting, "left out of the boost for 42 s more", "Boost ("},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    Fixture f;
    g_autofree char *text = NULL;

    set_up(&f);
    cases[i].change(&f);
    text = eppd_explain_policy(&f.input);
    g_test_message("%s", text);
    g_assert_nonnull(strstr(text, cases[i].says));
    g_assert_null(strstr(text, cases[i].does_not_say));
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/epp-explain/the-plain-case", test_the_plain_case);
  g_test_add_func("/epp-explain/what-is-unknown-is-left-out", test_what_is_unknown_is_left_out);
  g_test_add_func("/epp-explain/each-case-is-explained", test_each_case_is_explained);
  return g_test_run();
}
