/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/enum-text.h"

static const char *const texts[] = {"low", [2] = "high"};

static void
test_parse(void)
{
  const struct {
    const char *text;
    int value; /* -1: refused */
  } cases[] = {
      {"low", 0},  {"high", 2}, {"", -1},     {NULL, -1},
      {"Low", -1}, {"lo", -1},  {"low ", -1}, {"unknown", -1},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    int value = 42;
    bool found = eppd_enum_text_parse(texts, G_N_ELEMENTS(texts), cases[i].text, &value);

    g_assert_cmpint(found, ==, cases[i].value >= 0);
    g_assert_cmpint(value, ==, cases[i].value >= 0 ? cases[i].value : 42);
  }
}

static void
test_text(void)
{
  g_assert_cmpstr(eppd_enum_text(texts, G_N_ELEMENTS(texts), 0), ==, "low");
  g_assert_cmpstr(eppd_enum_text(texts, G_N_ELEMENTS(texts), 2), ==, "high");
}

static void
test_out_of_range_is_unknown(void)
{
  const int values[] = {-1, G_MININT, 1 /* a hole */, 3, G_MAXINT};

  for (gsize i = 0; i < G_N_ELEMENTS(values); i++)
    g_assert_cmpstr(eppd_enum_text(texts, G_N_ELEMENTS(texts), values[i]), ==, "unknown");
  g_assert_cmpstr(eppd_enum_text(NULL, 0, 0), ==, "unknown");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/enum-text/parse", test_parse);
  g_test_add_func("/enum-text/text", test_text);
  g_test_add_func("/enum-text/out-of-range-is-unknown", test_out_of_range_is_unknown);
  return g_test_run();
}
