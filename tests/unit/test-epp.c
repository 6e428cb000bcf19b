/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/epp.h"

#include <string.h>

static void
test_parse_knows_what_an_epp_file_may_hold(void)
{
  static const struct {
    const char *text;
    EppdEppKind kind;
    guint8 raw;
    const char *shown;
  } cases[] = {
      {NULL, EPPD_EPP_UNKNOWN, 0, "unknown"},
      {"", EPPD_EPP_UNKNOWN, 0, "unknown"},
      {" \n\t", EPPD_EPP_UNKNOWN, 0, "unknown"},
      {"performance", EPPD_EPP_PERFORMANCE, 0, "performance"},
      {"balance_performance\n", EPPD_EPP_BALANCE_PERFORMANCE, 0, "balance_performance"},
      {"  balance_power ", EPPD_EPP_BALANCE_POWER, 0, "balance_power"},
      {"power", EPPD_EPP_POWER, 0, "power"},
      {"default", EPPD_EPP_DEFAULT, 0, "default"},
      {"custom", EPPD_EPP_CUSTOM, 0, "custom"},
      {"dynamic", EPPD_EPP_DYNAMIC, 0, "dynamic"},
      {"dynamic(profile:balance_performance)\n", EPPD_EPP_DYNAMIC, 0,
       "dynamic(profile:balance_performance)"},
      {"0", EPPD_EPP_RAW, 0, "0"},
      {"128\n", EPPD_EPP_RAW, 128, "128"},
      {"255", EPPD_EPP_RAW, 255, "255"},
      {"0000000000000000000000007", EPPD_EPP_RAW, 7, "7"},
      {"0x80", EPPD_EPP_RAW, 0x80, "128"},
      {"0XfF", EPPD_EPP_RAW, 0xff, "255"},
      {"256", EPPD_EPP_OTHER, 0, "256"},
      {"99999999999999999999999", EPPD_EPP_OTHER, 0, "99999999999999999999999"},
      {"-1", EPPD_EPP_OTHER, 0, "-1"},
      {"+1", EPPD_EPP_OTHER, 0, "+1"},
      {"0x", EPPD_EPP_OTHER, 0, "0x"},
      {"0x100", EPPD_EPP_OTHER, 0, "0x100"},
      {"12a", EPPD_EPP_OTHER, 0, "12a"},
      {"1 2", EPPD_EPP_OTHER, 0, "1 2"},
      {"Performance", EPPD_EPP_OTHER, 0, "Performance"},
      {"unknown", EPPD_EPP_OTHER, 0, "unknown"},
      {"dynamics", EPPD_EPP_OTHER, 0, "dynamics"},
      {"a\033[31mb\xff", EPPD_EPP_OTHER, 0, "a?[31mb?"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    EppdEpp epp = eppd_epp_parse(cases[i].text);
    char buffer[EPPD_EPP_TEXT_SIZE];

    g_test_message("«%s»", cases[i].shown);
    g_assert_cmpint((int)epp.kind, ==, (int)cases[i].kind);
    g_assert_cmpuint(epp.raw, ==, cases[i].raw);
    g_assert_cmpstr(eppd_epp_text(&epp, buffer), ==, cases[i].shown);
  }
}

static void
test_long_text_is_other_and_cut(void)
{
  char text[2 * EPPD_EPP_TEXT_SIZE + 1];
  char buffer[EPPD_EPP_TEXT_SIZE];
  EppdEpp epp;

  memset(text, ' ', sizeof text);
  memcpy(text, "performance", 11);
  text[sizeof text - 2] = 'x';
  text[sizeof text - 1] = '\0';

  epp = eppd_epp_parse(text);
  g_assert_cmpint((int)epp.kind, ==, EPPD_EPP_OTHER);
  g_assert_cmpuint(strlen(eppd_epp_text(&epp, buffer)), ==, EPPD_EPP_TEXT_SIZE - 1);

  /* The longest that fits is parsed. */
  memset(text, '0', EPPD_EPP_TEXT_SIZE - 1);
  text[EPPD_EPP_TEXT_SIZE - 1] = '\0';
  epp = eppd_epp_parse(text);
  g_assert_cmpint((int)epp.kind, ==, EPPD_EPP_RAW);
}

static void
test_equal_is_by_kind_and_detail(void)
{
  static const struct {
    const char *a;
    const char *b;
    bool equal;
  } cases[] = {
      {"power", "power", true},
      {"power", "performance", false},
      {"0x80", "128", true},
      {"128", "127", false},
      {"0", "performance", false},
      {"", "", false},
      {"", "power", false},
      {"dynamic", "dynamic", true},
      {"dynamic", "dynamic(profile:power)", false},
      {"dynamic(profile:power)", "dynamic(profile:power)", true},
      {"foo", "foo", true},
      {"foo", "bar", false},
      {"custom", "custom", true},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    EppdEpp a = eppd_epp_parse(cases[i].a);
    EppdEpp b = eppd_epp_parse(cases[i].b);

    g_test_message("«%s» and «%s»", cases[i].a, cases[i].b);
    g_assert_cmpint(eppd_epp_equal(&a, &b), ==, cases[i].equal);
    g_assert_cmpint(eppd_epp_equal(&b, &a), ==, cases[i].equal);
  }
}

static void
test_constructors_equal_what_is_parsed(void)
{
  EppdEpp parsed = eppd_epp_parse("balance_power");
  EppdEpp made = eppd_epp_named(EPPD_EPP_BALANCE_POWER);

  g_assert_true(eppd_epp_equal(&parsed, &made));
  parsed = eppd_epp_parse("77");
  made = eppd_epp_raw(77);
  g_assert_true(eppd_epp_equal(&parsed, &made));
  parsed = eppd_epp_parse("dynamic");
  made = eppd_epp_named(EPPD_EPP_DYNAMIC);
  g_assert_true(eppd_epp_equal(&parsed, &made));
}

static void
test_only_what_a_kernel_takes_is_writable(void)
{
  static const char *const yes[] = {
      "performance", "balance_performance", "balance_power", "power", "default", "dynamic", "0",
      "255"};
  static const char *const no[] = {"", "custom", "dynamic(profile:power)", "foo", "256"};

  for (guint i = 0; i < G_N_ELEMENTS(yes); i++) {
    EppdEpp epp = eppd_epp_parse(yes[i]);

    g_test_message("%s", yes[i]);
    g_assert_true(eppd_epp_is_writable(&epp));
  }
  for (guint i = 0; i < G_N_ELEMENTS(no); i++) {
    EppdEpp epp = eppd_epp_parse(no[i]);

    g_test_message("%s", no[i]);
    g_assert_false(eppd_epp_is_writable(&epp));
  }
}

static void
test_fit_takes_the_nearest_name(void)
{
  const EppdEppChoices choices =
      eppd_epp_choices_parse("performance balance_performance balance_power power");
  static const struct {
    guint8 raw;
    EppdEppKind name;
  } cases[] = {
      {0, EPPD_EPP_PERFORMANCE},
      {63, EPPD_EPP_PERFORMANCE},
      {64, EPPD_EPP_PERFORMANCE}, /* as far from both */
      {65, EPPD_EPP_BALANCE_PERFORMANCE},
      {128, EPPD_EPP_BALANCE_PERFORMANCE},
      {159, EPPD_EPP_BALANCE_PERFORMANCE},
      {160, EPPD_EPP_BALANCE_POWER},
      {192, EPPD_EPP_BALANCE_POWER}, /* Intel's own number of it */
      {223, EPPD_EPP_BALANCE_POWER}, /* as far from both */
      {224, EPPD_EPP_POWER},
      {255, EPPD_EPP_POWER},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    EppdEpp wanted = {.kind = EPPD_EPP_RAW, .raw = cases[i].raw};

    g_test_message("%u", cases[i].raw);
    g_assert_cmpint((int)eppd_epp_fit(&wanted, &choices, NULL).kind, ==, (int)cases[i].name);
  }
}

static void
test_choices_know_the_names_and_the_sign_of_numbers(void)
{
  EppdEppChoices choices = eppd_epp_choices_parse("default performance  power\n");

  g_assert_cmpuint(choices.kinds, ==,
                   1u << EPPD_EPP_DEFAULT | 1u << EPPD_EPP_PERFORMANCE | 1u << EPPD_EPP_POWER);
  g_assert_false(choices.accepts_raw);

  choices = eppd_epp_choices_parse("performance custom dynamic mystery 17");
  g_assert_cmpuint(choices.kinds, ==,
                   1u << EPPD_EPP_PERFORMANCE | 1u << EPPD_EPP_CUSTOM | 1u << EPPD_EPP_DYNAMIC);
  g_assert_true(choices.accepts_raw);

  g_assert_cmpuint(eppd_epp_choices_parse(NULL).kinds, ==, 0);
  g_assert_cmpuint(eppd_epp_choices_parse(" \n").kinds, ==, 0);
}

#define ALL "default performance balance_performance balance_power power"

static void
test_fit_writes_what_the_driver_takes(void)
{
  static const struct {
    const char *wanted;
    const char *choices;
    const char *fitted;
    bool adapted;
  } cases[] = {
      {"power", ALL, "power", false},
      {"default", ALL, "default", false},
      {"100", ALL, "balance_performance", true},
      {"100", ALL " custom", "100", false},
      {"balance_power", "performance balance_performance power", "balance_performance", true},
      {"200", "performance power", "power", true},
      {"balance_performance", "performance power", "power", true},
      {"default", "performance balance_performance", "balance_performance", true},
      {"dynamic", ALL, "balance_performance", true},
      {"dynamic", ALL " dynamic", "dynamic", false},
      /* The list is unknown, or tells of the governor alone. */
      {"power", "", "power", false},
      {"100", "", "100", false},
      {"power", "performance", "power", false},
      {"100", "performance", "100", false},
      /* Nothing in the list is near anything. */
      {"power", "default", "power", false},
      /* What no kernel takes is not made something else. */
      {"custom", "performance power", "custom", false},
      {"foo", ALL, "foo", false},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    EppdEpp wanted = eppd_epp_parse(cases[i].wanted);
    EppdEppChoices choices = eppd_epp_choices_parse(cases[i].choices);
    char buffer[EPPD_EPP_TEXT_SIZE];
    bool adapted = !cases[i].adapted;
    EppdEpp fitted = eppd_epp_fit(&wanted, &choices, &adapted);

    g_test_message("%s where the driver has «%s»", cases[i].wanted, cases[i].choices);
    g_assert_cmpstr(eppd_epp_text(&fitted, buffer), ==, cases[i].fitted);
    g_assert_cmpint(adapted, ==, cases[i].adapted);
    fitted = eppd_epp_fit(&wanted, &choices, NULL);
    g_assert_cmpstr(eppd_epp_text(&fitted, buffer), ==, cases[i].fitted);
  }
}

static void
test_fit_takes_numbers_where_the_adapter_says_so(void)
{
  EppdEppChoices choices = eppd_epp_choices_parse(ALL);
  EppdEpp wanted = eppd_epp_raw(32);
  EppdEpp fitted;

  choices.accepts_raw = true;
  fitted = eppd_epp_fit(&wanted, &choices, NULL);
  g_assert_true(eppd_epp_equal(&fitted, &wanted));
}

static void
test_read_back(void)
{
  static const struct {
    const char *written;
    const char *readback;
    bool may;
  } rows[] = {
      {"performance", "performance", true},
      {"performance", "0", true},
      {"0", "performance", true},
      {"performance", "power", false},
      {"7", "9", false},
      {"7", "7", true},
      {"performance", "", false},
      {"performance", "dynamic(profile:power)", false},
      {"default", "balance_power", true},
      {"performance", "per", false},
      {"128", "b", false},
      {"128", "balance_perf", false},
      {"performance", "performance+", true},
  };

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    EppdEpp written = eppd_epp_parse(rows[i].written);
    EppdEpp readback = eppd_epp_parse(rows[i].readback);

    g_test_message("%s reads %s", rows[i].written, rows[i].readback);
    g_assert_true(eppd_epp_may_read_back_as(&written, &readback) == rows[i].may);
  }
}

static void
test_left_over(void)
{
  static const char *const may[] = {"performance", "0", ""};
  static const char *const may_not[] = {"power", "balance_performance", "1", "dynamic", "default"};

  for (guint i = 0; i < G_N_ELEMENTS(may); i++) {
    EppdEpp epp = eppd_epp_parse(may[i]);

    g_assert_true(eppd_epp_may_be_left_over(&epp));
  }
  for (guint i = 0; i < G_N_ELEMENTS(may_not); i++) {
    EppdEpp epp = eppd_epp_parse(may_not[i]);

    g_assert_false(eppd_epp_may_be_left_over(&epp));
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/epp/parse-knows-what-an-epp-file-may-hold",
                  test_parse_knows_what_an_epp_file_may_hold);
  g_test_add_func("/epp/long-text-is-other-and-cut", test_long_text_is_other_and_cut);
  g_test_add_func("/epp/equal-is-by-kind-and-detail", test_equal_is_by_kind_and_detail);
  g_test_add_func("/epp/constructors-equal-what-is-parsed", test_constructors_equal_what_is_parsed);
  g_test_add_func("/epp/only-what-a-kernel-takes-is-writable",
                  test_only_what_a_kernel_takes_is_writable);
  g_test_add_func("/epp/fit-takes-the-nearest-name", test_fit_takes_the_nearest_name);
  g_test_add_func("/epp/choices-know-the-names-and-the-sign-of-numbers",
                  test_choices_know_the_names_and_the_sign_of_numbers);
  g_test_add_func("/epp/fit-writes-what-the-driver-takes", test_fit_writes_what_the_driver_takes);
  g_test_add_func("/epp/fit-takes-numbers-where-the-adapter-says-so",
                  test_fit_takes_numbers_where_the_adapter_says_so);
  g_test_add_func("/epp/read-back", test_read_back);
  g_test_add_func("/epp/left-over", test_left_over);
  return g_test_run();
}
