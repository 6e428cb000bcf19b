/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/close-match.h"

#include <string.h>

static const char *const words[] = {"org.example.SuperTux2",
                                    "org.example.Tuxemon",
                                    "half-life",
                                    "Half-Life 2",
                                    "org.example.ä",
                                    "x",
                                    NULL};

typedef struct {
  const char *name;
  const char *given;
  guint n_max;
  const char *expected; /* joined by a | */
} Case;

static const Case cases[] = {
    {"part-in-another-case", "supertux", 3, "org.example.SuperTux2"},
    {"one-letter-less", "org.example.SuperTux", 3, "org.example.SuperTux2"},
    {"typing-error-in-the-last-part", "Tuxamon", 3, "org.example.Tuxemon"},
    {"letters-swapped", "haflife", 3, "half-life"},
    {"the-closest-first", "tux", 3, "org.example.SuperTux2|org.example.Tuxemon"},
    {"no-more-than-asked-for", "tux", 1, "org.example.SuperTux2"},
    {"equal-ones-by-name", "half-life", 3, "Half-Life 2|half-life"},
    {"nothing-like-it", "warzone2100", 3, ""},
    {"short-words-are-no-part", "l", 3, ""},
    {"empty", "", 3, ""},
    {"no-utf8", "tux\xff\xfe", 3, ""},
};

static void
test_matches(gconstpointer data)
{
  const Case *test = data;
  g_auto(GStrv) matches = eppd_close_matches(test->given, words, test->n_max);
  g_autofree char *joined = g_strjoinv("|", matches);

  g_assert_cmpstr(joined, ==, test->expected);
}

/* Neither is compared letter by letter; a part is a part all the same. */
static void
test_long_words(void)
{
  g_autofree char *letters = g_strnfill(100000, 'a');
  g_autofree char *others = g_strconcat(letters, "b", NULL);
  const char *const both[] = {letters, others, NULL};
  g_auto(GStrv) of_long = eppd_close_matches(others, both, 3);
  g_auto(GStrv) of_short = eppd_close_matches("aab", both, 3);

  g_assert_cmpuint(g_strv_length(of_long), ==, 0);
  g_assert_cmpuint(g_strv_length(of_short), ==, 1);
  g_assert_cmpstr(of_short[0], ==, others);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strdup_printf("/close-match/%s", cases[i].name);

    g_test_add_data_func(path, &cases[i], test_matches);
  }
  g_test_add_func("/close-match/long-words", test_long_words);
  return g_test_run();
}
