/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/platform-choice.h"

#define ALL "low-power cool quiet balanced balanced-performance performance max-power custom"

static void
test_texts_are_the_kernels(void)
{
  static const char *const names[] = {
      "low-power",   "cool",      "quiet", "balanced", "balanced-performance",
      "performance", "max-power", "custom"};
  static const char *const others[] = {"",          "Balanced", "balanced\n", "power-saver",
                                       "low_power", NULL};

  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    EppdPlatformChoice choice;

    g_assert_true(eppd_platform_choice_parse(names[i], &choice));
    g_assert_cmpuint(choice, ==, i);
    g_assert_cmpstr(eppd_platform_choice_text(choice), ==, names[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
    EppdPlatformChoice choice = EPPD_PLATFORM_COOL;

    g_assert_false(eppd_platform_choice_parse(others[i], &choice));
    g_assert_cmpuint(choice, ==, EPPD_PLATFORM_COOL);
  }
  g_assert_cmpstr(eppd_platform_choice_text((EppdPlatformChoice)99), ==, "unknown");
}

static void
test_lists(void)
{
  static const struct {
    const char *text;
    guint choices;
    bool is_usable;
  } cases[] = {
      {"low-power balanced performance\n",
       1 << EPPD_PLATFORM_LOW_POWER | 1 << EPPD_PLATFORM_BALANCED | 1 << EPPD_PLATFORM_PERFORMANCE,
       true},
      {ALL, 0xff, true},
      {"balanced performance", 1 << EPPD_PLATFORM_BALANCED | 1 << EPPD_PLATFORM_PERFORMANCE, true},
      {"  performance\t balanced \n\n",
       1 << EPPD_PLATFORM_BALANCED | 1 << EPPD_PLATFORM_PERFORMANCE, true},
      {"quiet turbo balanced Performance", 1 << EPPD_PLATFORM_QUIET | 1 << EPPD_PLATFORM_BALANCED,
       false},
      {"low-power performance", 1 << EPPD_PLATFORM_LOW_POWER | 1 << EPPD_PLATFORM_PERFORMANCE,
       false},
      {"balanced balanced-performance max-power",
       1 << EPPD_PLATFORM_BALANCED | 1 << EPPD_PLATFORM_BALANCED_PERFORMANCE |
           1 << EPPD_PLATFORM_MAX_POWER,
       false},
      {"custom", 1 << EPPD_PLATFORM_CUSTOM, false},
      {"\xff\xfe", 0, false},
      {"\n", 0, false},
      {"", 0, false},
      {NULL, 0, false},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    guint choices = eppd_platform_choices_parse(cases[i].text);

    g_test_message("case %u", i);
    g_assert_cmphex(choices, ==, cases[i].choices);
    g_assert_cmpint(eppd_platform_choices_are_usable(choices), ==, cases[i].is_usable);
  }
}

static void
test_what_to_write(void)
{
  static const struct {
    const char *choices;
    EppdPlatformChoice power_saver;
  } cases[] = {
      {ALL, EPPD_PLATFORM_LOW_POWER},
      {"low-power balanced performance", EPPD_PLATFORM_LOW_POWER},
      {"cool quiet balanced performance", EPPD_PLATFORM_QUIET},
      {"cool balanced performance", EPPD_PLATFORM_BALANCED},
      {"balanced performance", EPPD_PLATFORM_BALANCED},
      {"balanced balanced-performance performance max-power", EPPD_PLATFORM_BALANCED},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    guint choices = eppd_platform_choices_parse(cases[i].choices);

    g_test_message("%s", cases[i].choices);
    g_assert_cmpuint(eppd_platform_choice_for(choices, EPPD_PROFILE_POWER_SAVER), ==,
                     cases[i].power_saver);
    g_assert_cmpuint(eppd_platform_choice_for(choices, EPPD_PROFILE_BALANCED), ==,
                     EPPD_PLATFORM_BALANCED);
    g_assert_cmpuint(eppd_platform_choice_for(choices, EPPD_PROFILE_PERFORMANCE), ==,
                     EPPD_PLATFORM_PERFORMANCE);
  }
}

static void
test_what_a_value_tells(void)
{
  static const struct {
    EppdPlatformChoice choice;
    EppdProfile profile;
  } cases[] = {
      {EPPD_PLATFORM_LOW_POWER, EPPD_PROFILE_POWER_SAVER},
      {EPPD_PLATFORM_QUIET, EPPD_PROFILE_POWER_SAVER},
      {EPPD_PLATFORM_COOL, EPPD_PROFILE_BALANCED},
      {EPPD_PLATFORM_BALANCED, EPPD_PROFILE_BALANCED},
      {EPPD_PLATFORM_BALANCED_PERFORMANCE, EPPD_PROFILE_BALANCED},
      {EPPD_PLATFORM_PERFORMANCE, EPPD_PROFILE_PERFORMANCE},
      {EPPD_PLATFORM_MAX_POWER, EPPD_PROFILE_PERFORMANCE},
  };
  EppdProfile untouched = EPPD_PROFILE_PERFORMANCE;

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    EppdProfile profile;

    g_test_message("%s", eppd_platform_choice_text(cases[i].choice));
    g_assert_true(eppd_platform_choice_profile(cases[i].choice, &profile));
    g_assert_cmpuint(profile, ==, cases[i].profile);
  }
  g_assert_false(eppd_platform_choice_profile(EPPD_PLATFORM_CUSTOM, &untouched));
  g_assert_false(eppd_platform_choice_profile((EppdPlatformChoice)99, &untouched));
  g_assert_cmpuint(untouched, ==, EPPD_PROFILE_PERFORMANCE);
}

static void
test_whether_it_is_there_already(void)
{
  static const struct {
    const char *choices;
    EppdPlatformChoice reads;
    bool at[EPPD_N_PROFILES]; /* power-saver, balanced, performance */
  } cases[] = {
      {ALL, EPPD_PLATFORM_LOW_POWER, {true, false, false}},
      {ALL, EPPD_PLATFORM_QUIET, {true, false, false}},
      {ALL, EPPD_PLATFORM_COOL, {false, true, false}},
      {ALL, EPPD_PLATFORM_BALANCED, {false, true, false}},
      {ALL, EPPD_PLATFORM_BALANCED_PERFORMANCE, {false, true, false}},
      {ALL, EPPD_PLATFORM_PERFORMANCE, {false, false, true}},
      {ALL, EPPD_PLATFORM_MAX_POWER, {false, false, true}},
      {ALL, EPPD_PLATFORM_CUSTOM, {false, false, false}},
      /* Where balanced emulates power-saver, it is both; cool emulates nothing. */
      {"cool balanced performance", EPPD_PLATFORM_BALANCED, {true, true, false}},
      {"cool balanced performance", EPPD_PLATFORM_COOL, {false, true, false}},
      {"balanced performance", EPPD_PLATFORM_PERFORMANCE, {false, false, true}},
      {"balanced performance custom", EPPD_PLATFORM_CUSTOM, {false, false, false}},
      /* What the firmware sets without having offered it still tells what it is. */
      {"balanced performance", EPPD_PLATFORM_QUIET, {true, false, false}},
      {"quiet balanced performance", EPPD_PLATFORM_BALANCED, {false, true, false}},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    guint choices = eppd_platform_choices_parse(cases[i].choices);

    for (int p = 0; p < EPPD_N_PROFILES; p++) {
      g_test_message("%s of %s, %s", eppd_platform_choice_text(cases[i].reads), cases[i].choices,
                     eppd_profile_text((EppdProfile)p));
      g_assert_cmpint(eppd_platform_choice_is_at(choices, cases[i].reads, (EppdProfile)p), ==,
                      cases[i].at[p]);
    }
  }
}

/* Else a switch would be written again and again, or read back as another profile. */
static void
test_what_was_written_is_there(void)
{
  for (guint choices = 0; choices <= 0xff; choices++) {
    if (!eppd_platform_choices_are_usable(choices))
      continue;
    for (int p = 0; p < EPPD_N_PROFILES; p++) {
      EppdPlatformChoice written = eppd_platform_choice_for(choices, (EppdProfile)p);

      g_assert_true(choices & 1u << written);
      g_assert_true(eppd_platform_choice_is_at(choices, written, (EppdProfile)p));
    }
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func("/platform-choice/" name, function)
  ADD("texts-are-the-kernels", test_texts_are_the_kernels);
  ADD("lists", test_lists);
  ADD("what-to-write", test_what_to_write);
  ADD("what-a-value-tells", test_what_a_value_tells);
  ADD("whether-it-is-there-already", test_whether_it_is_there_already);
  ADD("what-was-written-is-there", test_what_was_written_is_there);
  return g_test_run();
}
