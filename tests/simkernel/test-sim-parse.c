/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-parse.h"

#include <errno.h>

static void
test_bool(void)
{
  static const struct {
    const char *text;
    int error;
    bool value;
  } cases[] = {
      {"1\n", 0, true},       {"0\n", 0, false},      {"Y", 0, true},        {"N", 0, false},
      {"y\n", 0, true},       {"n\n", 0, false},      {"on\n", 0, true},     {"off\n", 0, false},
      {"On", 0, true},        {"OFF", 0, false},      {"true", 0, true},     {"false", 0, false},
      {"enabled\n", 0, true}, {"disabled", 0, false}, {"yes", 0, true},      {"", EINVAL, false},
      {"\n", EINVAL, false},  {"o", EINVAL, false},   {"ox", EINVAL, false}, {"2", EINVAL, false},
      {" 1", EINVAL, false},  {"-1", EINVAL, false},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    bool value = !cases[i].value;

    g_test_message("'%s'", cases[i].text);
    g_assert_cmpint(sim_parse_bool(cases[i].text, &value), ==, cases[i].error);
    g_assert_true(value == (cases[i].error ? !cases[i].value : cases[i].value));
  }
}

static void
test_unsigned(void)
{
  static const struct {
    const char *text;
    guint base;
    guint64 max;
    int error;
    guint64 value;
  } cases[] = {
      {"0", 10, 255, 0, 0},
      {"255\n", 10, 255, 0, 255},
      {"+7", 10, 255, 0, 7},
      {"0x1f", 0, 255, 0, 31},
      {"0X1F\n", 0, 255, 0, 31},
      {"017", 0, 255, 0, 15},
      {"017", 10, 255, 0, 17},
      {"0", 0, 255, 0, 0},
      {"18446744073709551615", 10, G_MAXUINT64, 0, G_MAXUINT64},
      {"256", 10, 255, ERANGE, 0},
      {"18446744073709551616", 10, G_MAXUINT64, ERANGE, 0},
      {"99999999999999999999999999999999", 10, 255, ERANGE, 0},
      {"0x1f", 10, 255, EINVAL, 0},
      {"08", 0, 255, EINVAL, 0},
      {"0x", 0, 255, EINVAL, 0},
      {"", 10, 255, EINVAL, 0},
      {"\n", 10, 255, EINVAL, 0},
      {" 1", 10, 255, EINVAL, 0},
      {"1 ", 10, 255, EINVAL, 0},
      {"1\n\n", 10, 255, EINVAL, 0},
      {"-1", 10, 255, EINVAL, 0},
      {"power", 10, 255, EINVAL, 0},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    guint64 value = 4711;

    g_test_message("'%s' of base %u", cases[i].text, cases[i].base);
    g_assert_cmpint(sim_parse_unsigned(cases[i].text, cases[i].base, cases[i].max, &value), ==,
                    cases[i].error);
    g_assert_cmpuint(value, ==, cases[i].error ? 4711 : cases[i].value);
  }
}

static void
test_scan_int(void)
{
  static const struct {
    const char *text;
    int error;
    int value;
  } cases[] = {
      {"1\n", 0, 1},   {" -3", 0, -3},     {"5 cows", 0, 5}, {"99999999999999999999", 0, G_MAXINT},
      {"", EINVAL, 0}, {"cow", EINVAL, 0},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    int value = 4711;

    g_test_message("'%s'", cases[i].text);
    g_assert_cmpint(sim_scan_int(cases[i].text, &value), ==, cases[i].error);
    g_assert_cmpint(value, ==, cases[i].error ? 4711 : cases[i].value);
  }
}

static void
test_scan_word(void)
{
  static const struct {
    const char *text;
    gsize max;
    const char *word;
  } cases[] = {
      {"powersave\n", 15, "powersave"},
      {"  powersave now", 15, "powersave"},
      {"powersave", 5, "power"},
      {"", 15, NULL},
      {" \n", 15, NULL},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *word = sim_scan_word(cases[i].text, cases[i].max);

    g_assert_cmpstr(word, ==, cases[i].word);
  }
}

static void
test_match(void)
{
  static const char *const words[] = {"power", "powersave"};
  static const struct {
    const char *text;
    int place;
  } cases[] = {
      {"power", 0},  {"power\n", 0},    {"powersave\n", 1}, {"powers", -1},
      {"Power", -1}, {"power\n\n", -1}, {"power ", -1},     {"", -1},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_test_message("'%s'", cases[i].text);
    g_assert_cmpint(sim_match(words, G_N_ELEMENTS(words), cases[i].text), ==, cases[i].place);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sim-parse/bool-is-kstrtobool's", test_bool);
  g_test_add_func("/sim-parse/unsigned-is-kstrtoull's", test_unsigned);
  g_test_add_func("/sim-parse/int-is-sscanf's", test_scan_int);
  g_test_add_func("/sim-parse/word-is-the-first", test_scan_word);
  g_test_add_func("/sim-parse/match-allows-one-newline", test_match);
  return g_test_run();
}
