/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/profile-text.h"

static GVariant *
dicts_of(const char *text)
{
  g_autoptr(GError) error = NULL;
  GVariant *dicts = g_variant_parse(G_VARIANT_TYPE("aa{sv}"), text, NULL, NULL, &error);

  g_assert_no_error(error);
  return dicts;
}

/* As a daemon with both kinds of driver tells them. */
#define SAVER                                                                                      \
  "{'Profile': <'power-saver'>, 'CpuDriver': <'amd_pstate'>, 'PlatformDriver': <'placeholder'>, "  \
  "'Driver': <'multiple'>}"
#define BALANCED                                                                                   \
  "{'Profile': <'balanced'>, 'CpuDriver': <'amd_pstate'>, 'PlatformDriver': <'placeholder'>, "     \
  "'Driver': <'multiple'>}"
#define PERFORMANCE                                                                                \
  "{'Profile': <'performance'>, 'CpuDriver': <'amd_pstate'>, 'Driver': <'amd_pstate'>}"

static void
list_is_powerprofilesctls(void)
{
  static const struct {
    const char *profiles;
    const char *active;
    const char *degraded;
    const char *expected;
  } cases[] = {
      {"[" SAVER ", " BALANCED ", " PERFORMANCE "]", "balanced", "",
       "  performance:\n"
       "    CpuDriver:\tamd_pstate\n"
       "    Degraded:   no\n"
       "\n"
       "* balanced:\n"
       "    CpuDriver:\tamd_pstate\n"
       "    PlatformDriver:\tplaceholder\n"
       "\n"
       "  power-saver:\n"
       "    CpuDriver:\tamd_pstate\n"
       "    PlatformDriver:\tplaceholder\n"},
      {"[" BALANCED ", " PERFORMANCE "]", "performance", "lap-detected",
       "* performance:\n"
       "    CpuDriver:\tamd_pstate\n"
       "    Degraded:   yes (lap-detected)\n"
       "\n"
       "  balanced:\n"
       "    CpuDriver:\tamd_pstate\n"
       "    PlatformDriver:\tplaceholder\n"},
      {"[" PERFORMANCE "]", "nothing", "high-operating-temperature,lap-detected",
       "  performance:\n"
       "    CpuDriver:\tamd_pstate\n"
       "    Degraded:   yes (high-operating-temperature,lap-detected)\n"},
      {"[{'Profile': <'balanced'>, 'PlatformDriver': <'placeholder'>}]", "balanced", "lap-detected",
       "* balanced:\n"
       "    PlatformDriver:\tplaceholder\n"},
      {"[{'Profile': <'balanced'>}]", "balanced", "", "* balanced:\n"},
      {"@aa{sv} []", "balanced", "lap-detected", ""},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GVariant) profiles = dicts_of(cases[i].profiles);
    g_autofree char *text = eppd_profile_list_text(profiles, cases[i].active, cases[i].degraded);

    g_assert_cmpstr(text, ==, cases[i].expected);
  }
}

static void
holds_are_powerprofilesctls(void)
{
  static const struct {
    const char *holds;
    const char *expected;
  } cases[] = {
      {"@aa{sv} []", ""},
      {"[{'ApplicationId': <'game'>, 'Profile': <'performance'>, 'Reason': <'Running game'>}]",
       "Hold:\n"
       "  Profile:         performance\n"
       "  Application ID:  game\n"
       "  Reason:          Running game\n"},
      {"[{'ApplicationId': <'a'>, 'Profile': <'performance'>, 'Reason': <'b'>},"
       " {'ApplicationId': <''>, 'Profile': <'power-saver'>, 'Reason': <''>}]",
       "Hold:\n"
       "  Profile:         performance\n"
       "  Application ID:  a\n"
       "  Reason:          b\n"
       "\n"
       "Hold:\n"
       "  Profile:         power-saver\n"
       "  Application ID:  \n"
       "  Reason:          \n"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GVariant) holds = dicts_of(cases[i].holds);
    g_autofree char *text = eppd_profile_holds_text(holds);

    g_assert_cmpstr(text, ==, cases[i].expected);
  }
}

static void
actions_are_powerprofilesctls(void)
{
  static const struct {
    const char *actions;
    const char *expected;
  } cases[] = {
      {"@aa{sv} []", ""},
      {"[{'Name': <'trickle_charge'>, 'Description': <'Charge slowly'>, 'Enabled': <true>},"
       " {'Enabled': <false>, 'Name': <'amdgpu_dpm'>, 'Description': <'GPU power'>}]",
       "Name: trickle_charge\n"
       "Description: Charge slowly\n"
       "Enabled: True\n"
       "\n"
       "Name: amdgpu_dpm\n"
       "Description: GPU power\n"
       "Enabled: False\n"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GVariant) actions = dicts_of(cases[i].actions);
    g_autofree char *text = eppd_profile_actions_text(actions);

    g_assert_cmpstr(text, ==, cases[i].expected);
  }
}

static void
missing_fields_and_other_types_are_empty(void)
{
  g_autoptr(GVariant) dicts = dicts_of("[{'Profile': <uint32 7>, 'Name': <true>}]");
  g_autofree char *list = eppd_profile_list_text(dicts, "balanced", "");
  g_autofree char *holds = eppd_profile_holds_text(dicts);
  g_autofree char *actions = eppd_profile_actions_text(dicts);

  g_assert_cmpstr(list, ==, "  :\n");
  g_assert_cmpstr(holds, ==,
                  "Hold:\n  Profile:         \n  Application ID:  \n  Reason:          \n");
  g_assert_cmpstr(actions, ==, "Name: \nDescription: \nEnabled: False\n");
}

static void
text_cannot_forge_a_line_or_play_tricks_on_a_terminal(void)
{
  g_autoptr(GVariant) profiles =
      dicts_of("[{'Profile': <'performance'>, 'CpuDriver': <'a\\nb\\u001b[2J'>}]");
  g_autoptr(GVariant) holds = dicts_of("[{'Reason': <'x\\nHold:'>}]");
  g_autofree char *list = eppd_profile_list_text(profiles, "", "hot\n* balanced:");
  g_autofree char *text = eppd_profile_holds_text(holds);

  g_assert_cmpstr(list, ==,
                  "  performance:\n"
                  "    CpuDriver:\ta\\x0ab\\x1b[2J\n"
                  "    Degraded:   yes (hot\\x0a* balanced:)\n");
  g_assert_cmpstr(text, ==,
                  "Hold:\n  Profile:         \n  Application ID:  \n"
                  "  Reason:          x\\x0aHold:\n");
}

static void
flags_are_pythons(void)
{
  g_assert_cmpstr(eppd_profile_flag_text(TRUE), ==, "True");
  g_assert_cmpstr(eppd_profile_flag_text(FALSE), ==, "False");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile-text/list-is-powerprofilesctls", list_is_powerprofilesctls);
  g_test_add_func("/profile-text/holds-are-powerprofilesctls", holds_are_powerprofilesctls);
  g_test_add_func("/profile-text/actions-are-powerprofilesctls", actions_are_powerprofilesctls);
  g_test_add_func("/profile-text/missing-fields-and-other-types-are-empty",
                  missing_fields_and_other_types_are_empty);
  g_test_add_func("/profile-text/text-cannot-forge-a-line-or-play-tricks-on-a-terminal",
                  text_cannot_forge_a_line_or_play_tricks_on_a_terminal);
  g_test_add_func("/profile-text/flags-are-pythons", flags_are_pythons);
  return g_test_run();
}
