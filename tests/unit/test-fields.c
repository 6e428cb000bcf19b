/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/fields.h"

#include <string.h>

static GVariant *
fields_of(const char *text)
{
  g_autoptr(GError) error = NULL;
  GVariant *fields = g_variant_parse(G_VARIANT_TYPE_VARDICT, text, NULL, NULL, &error);

  g_assert_no_error(error);
  return fields;
}

static void
text_is_printable_or_the_fallback(void)
{
  static const struct {
    const char *fields;
    const char *expected;
  } cases[] = {
      {"{'k': <'plain'>}", "plain"},    {"{'k': <'a\\u001b[1m\\n'>}", "a\\x1b[1m\\x0a"},
      {"{'k': <''>}", "fallback"},      {"{'k': <uint32 7>}", "fallback"},
      {"{'other': <'x'>}", "fallback"}, {"{}", "fallback"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GVariant) fields = fields_of(cases[i].fields);
    g_autofree char *text = eppd_field_text(fields, "k", "fallback");

    g_assert_cmpstr(text, ==, cases[i].expected);
  }
}

static void
long_text_is_cut(void)
{
  g_autofree char *longer = g_strnfill(EPPD_FIELD_TEXT_MAX + 1, 'x');
  g_autofree char *source = g_strdup_printf("{'k': <'%s'>}", longer);
  g_autoptr(GVariant) fields = fields_of(source);
  g_autofree char *text = eppd_field_text(fields, "k", "");

  g_assert_cmpuint(strlen(text), ==, EPPD_FIELD_TEXT_MAX);
}

static void
numbers_of_both_widths(void)
{
  static const struct {
    const char *fields;
    bool found;
    guint64 expected;
  } cases[] = {
      {"{'k': <uint32 4294967295>}", true, G_MAXUINT32},
      {"{'k': <uint64 18446744073709551615>}", true, G_MAXUINT64},
      {"{'k': <int32 -1>}", false, 99},
      {"{'k': <'7'>}", false, 99},
      {"{}", false, 99},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GVariant) fields = fields_of(cases[i].fields);
    guint64 value = 99;

    g_assert_true(eppd_field_number(fields, "k", &value) == cases[i].found);
    g_assert_cmpuint(value, ==, cases[i].expected);
  }
}

static void
flags(void)
{
  g_autoptr(GVariant) fields = fields_of("{'yes': <true>, 'no': <false>, 'text': <'true'>}");

  g_assert_true(eppd_field_flag(fields, "yes", false));
  g_assert_false(eppd_field_flag(fields, "no", true));
  g_assert_true(eppd_field_flag(fields, "text", true));
  g_assert_false(eppd_field_flag(fields, "missing", false));
}

static void
percents(void)
{
  static const struct {
    guint64 permille;
    const char *expected;
  } cases[] = {
      {0, "0 %"},      {4, "0 %"},  {5, "1 %"},         {874, "87 %"},
      {1000, "100 %"}, {1001, "?"}, {G_MAXUINT64, "?"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *text = eppd_percent_text(cases[i].permille);

    g_assert_cmpstr(text, ==, cases[i].expected);
  }
}

static void
durations(void)
{
  static const struct {
    guint64 usec;
    const char *expected;
  } cases[] = {
      {0, "0 µs"},
      {999, "999 µs"},
      {3200, "3.2 ms"},
      {12 * G_USEC_PER_SEC, "12.0 s"},
      {60 * G_USEC_PER_SEC, "1 min"},
      {(3 * 60 + 7) * 60ull * G_USEC_PER_SEC, "3 h 07 min"},
      {52 * 3600ull * G_USEC_PER_SEC, "2 d 04 h"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *text = eppd_duration_text(cases[i].usec);

    g_assert_cmpstr(text, ==, cases[i].expected);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/fields/text-is-printable-or-the-fallback", text_is_printable_or_the_fallback);
  g_test_add_func("/fields/long-text-is-cut", long_text_is_cut);
  g_test_add_func("/fields/numbers-of-both-widths", numbers_of_both_widths);
  g_test_add_func("/fields/flags", flags);
  g_test_add_func("/fields/percents", percents);
  g_test_add_func("/fields/durations", durations);
  return g_test_run();
}
