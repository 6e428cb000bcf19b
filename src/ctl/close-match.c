/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/close-match.h"

#include <stdbool.h>
#include <string.h>

/* Longer words are not compared letter by letter. */
#define LENGTH_MAX 128

/* Of what somebody typed, one letter of so many may be wrong. */
#define LETTERS_AN_ERROR 3

/* What is shorter is part of too many words. */
#define PART_MIN 3

typedef struct {
  const char *word;
  guint distance;
} Match;

/* Levenshtein's distance. Both are at most LENGTH_MAX long. */
static guint
distance_of(const char *a, const char *b)
{
  gsize b_length = strlen(b);
  guint row[LENGTH_MAX + 1];

  for (gsize j = 0; j <= b_length; j++)
    row[j] = (guint)j;
  for (gsize i = 1; a[i - 1]; i++) {
    guint diagonal = row[0];

    row[0] = (guint)i;
    for (gsize j = 1; j <= b_length; j++) {
      guint substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);

      diagonal = row[j];
      row[j] = MIN(substituted, MIN(row[j], row[j - 1]) + 1);
    }
  }
  return row[b_length];
}

/* Behind the last dot. */
static const char *
last_part(const char *word)
{
  const char *dot = strrchr(word, '.');

  return dot ? dot + 1 : word;
}

/* @given and @word are in one case. False if they are not close. What is before the last dot many
 * have in common: it allows no more errors. */
static bool
compare(const char *given, const char *word, guint *distance)
{
  gsize length = strlen(given);
  gsize word_length = strlen(word);
  guint limit = (guint)strlen(last_part(given)) / LETTERS_AN_ERROR;
  guint found;

  if (length >= PART_MIN && strstr(word, given)) {
    *distance = 0;
    return true;
  }
  if (word_length > LENGTH_MAX || word_length > length + limit || length > word_length + limit)
    return false;
  found = distance_of(given, word);
  if (found > limit)
    return false;
  *distance = found;
  return true;
}

static bool
is_close(const char *given, const char *word, guint *distance)
{
  g_autofree char *lower = g_utf8_strdown(word, -1);

  return compare(given, lower, distance) || compare(given, last_part(lower), distance);
}

static int
compare_matches(gconstpointer a, gconstpointer b)
{
  const Match *left = a;
  const Match *right = b;

  if (left->distance != right->distance)
    return left->distance < right->distance ? -1 : 1;
  return strcmp(left->word, right->word);
}

char **
eppd_close_matches(const char *given, const char *const *words, guint n_max)
{
  g_autoptr(GArray) matches = g_array_new(FALSE, FALSE, sizeof(Match));
  g_autoptr(GPtrArray) found = g_ptr_array_new();
  g_autofree char *valid = g_utf8_make_valid(given, -1);
  g_autofree char *lower = g_utf8_strdown(valid, -1);

  for (guint i = 0; strlen(lower) <= LENGTH_MAX && words[i]; i++) {
    Match match = {.word = words[i]};

    if (is_close(lower, words[i], &match.distance))
      g_array_append_val(matches, match);
  }
  g_array_sort(matches, compare_matches);
  for (guint i = 0; i < MIN(matches->len, n_max); i++)
    g_ptr_array_add(found, g_strdup(g_array_index(matches, Match, i).word));
  g_ptr_array_add(found, NULL);
  return (char **)g_ptr_array_free(g_steal_pointer(&found), FALSE);
}
