/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/printable.h"

#include <string.h>

typedef struct {
  const char *name;
  const char *text;
  gsize max_bytes;
  const char *printable;
  const char *cut;
} Case;

#define REPLACEMENT "\xef\xbf\xbd"

static const Case cases[] = {
    {"null", NULL, 10, "", ""},
    {"empty", "", 10, "", ""},
    {"plain", "Civilization VI", 100, "Civilization VI", "Civilization VI"},
    {"umlauts", "für Elise", 100, "für Elise", "für Elise"},
    {"escape-sequence", "\x1b[31mred", 100, "\\x1b[31mred", "\x1b[31mred"},
    {"newline", "one\ntwo", 100, "one\\x0atwo", "one\ntwo"},
    {"delete", "a\x7f", 100, "a\\x7f", "a\x7f"},
    {"c1-control", "a\xc2\x9b", 100, "a\\u{009b}", "a\xc2\x9b"},
    {"right-to-left-override",
     "a\xe2\x80\xae"
     "b",
     100, "a\\u{202e}b",
     "a\xe2\x80\xae"
     "b"},
    {"invalid-byte",
     "a\xff"
     "b",
     100, "a\\xffb", "a" REPLACEMENT "b"},
    {"broken-sequence-at-the-end", "a\xc3", 100, "a\\xc3", "a" REPLACEMENT},
    {"surrogate", "\xed\xa0\x80", 100, "\\xed\\xa0\\x80", REPLACEMENT REPLACEMENT REPLACEMENT},
    {"cut", "abcdef", 3, "abc", "abc"},
    {"cut-at-the-very-end", "abc", 3, "abc", "abc"},
    {"cut-to-nothing", "abc", 0, "", ""},
    {"cut-inside-a-character", "a\xc3\xbc", 2, "a", "a"},
    {"cut-inside-four-bytes", "a\xf0\x9f\x8e\xae", 4, "a", "a"},
    {"cut-after-a-character", "a\xc3\xbcx", 3, "aü", "aü"},
    {"cut-of-replacements-is-at-a-character", "\xff\xff", 4, "\\xff\\xff", REPLACEMENT},
    {"cut-in-continuation-bytes", "\x80\x80\x80\x80\x80\x80\x80\x80", 6,
     "\\x80\\x80\\x80\\x80\\x80\\x80", REPLACEMENT REPLACEMENT},
};

static void
test_printable(gconstpointer data)
{
  const Case *c = data;
  g_autofree char *printable = eppd_printable(c->text, c->max_bytes);

  g_assert_cmpstr(printable, ==, c->printable);
}

static void
test_cut(gconstpointer data)
{
  const Case *c = data;
  g_autofree char *cut = eppd_utf8_cut(c->text, c->max_bytes);

  g_assert_cmpstr(cut, ==, c->cut);
  g_assert_cmpuint(strlen(cut), <=, c->max_bytes);
}

/* Whatever the bytes: valid UTF-8, nothing unprintable, and within the limit. */
static void
test_random_bytes(void)
{
  for (guint round = 0; round < 2000; round++) {
    gsize length = (gsize)g_test_rand_int_range(0, 40);
    gsize max_bytes = (gsize)g_test_rand_int_range(0, 40);
    g_autofree char *text = g_malloc0(length + 1);
    g_autofree char *printable = NULL;
    g_autofree char *cut = NULL;

    for (gsize i = 0; i < length; i++)
      text[i] = (char)g_test_rand_int_range(0, 256);
    printable = eppd_printable(text, max_bytes);
    cut = eppd_utf8_cut(text, max_bytes);

    g_assert_true(g_utf8_validate(printable, -1, NULL));
    for (const char *p = printable; *p; p = g_utf8_next_char(p))
      g_assert_true(g_unichar_isprint(g_utf8_get_char(p)));
    g_assert_true(g_utf8_validate(cut, -1, NULL));
    g_assert_cmpuint(strlen(cut), <=, max_bytes);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *printable = g_strconcat("/printable/printable/", cases[i].name, NULL);
    g_autofree char *cut = g_strconcat("/printable/cut/", cases[i].name, NULL);

    g_test_add_data_func(printable, &cases[i], test_printable);
    g_test_add_data_func(cut, &cases[i], test_cut);
  }
  g_test_add_func("/printable/random-bytes", test_random_bytes);
  return g_test_run();
}
