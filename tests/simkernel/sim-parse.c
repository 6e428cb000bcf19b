/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-parse.h"

#include <errno.h>
#include <string.h>

int
sim_parse_bool(const char *text, bool *value)
{
  char first = g_ascii_tolower(text[0]);
  char decisive = first == 'o' ? g_ascii_tolower(text[1]) : first;
  /* "enabled" and "disabled", too: since 6.15. */
  const char *yes = first == 'o' ? "n" : "yt1e";
  const char *no = first == 'o' ? "f" : "nf0d";

  if (decisive == '\0')
    return EINVAL;
  if (strchr(yes, decisive))
    *value = true;
  else if (strchr(no, decisive))
    *value = false;
  else
    return EINVAL;
  return 0;
}

/* The base that the text itself says, and what is left of it. */
static guint
guess_base(const char **text)
{
  const char *digits = *text;

  if (digits[0] != '0')
    return 10;
  if (g_ascii_tolower(digits[1]) != 'x' || !g_ascii_isxdigit(digits[2]))
    return 8;
  *text = digits + 2;
  return 16;
}

int
sim_parse_unsigned(const char *text, guint base, guint64 max, guint64 *value)
{
  guint64 number = 0;
  bool is_too_much = false;
  const char *digit = text[0] == '+' ? text + 1 : text;
  const char *start;

  if (base == 0)
    base = guess_base(&digit);
  start = digit;
  for (; g_ascii_xdigit_value(*digit) >= 0 && (guint)g_ascii_xdigit_value(*digit) < base; digit++) {
    guint units = (guint)g_ascii_xdigit_value(*digit);

    if (number > (max - MIN(max, units)) / base)
      is_too_much = true;
    number = number * base + units;
  }
  if (digit == start)
    return EINVAL;
  if (*digit == '\n')
    digit++;
  if (*digit != '\0')
    return EINVAL;
  if (is_too_much || number > max)
    return ERANGE;
  *value = number;
  return 0;
}

int
sim_scan_int(const char *text, int *value)
{
  char *end;
  gint64 number = g_ascii_strtoll(text, &end, 10);

  if (end == text)
    return EINVAL;
  *value = (int)CLAMP(number, G_MININT, G_MAXINT);
  return 0;
}

char *
sim_scan_word(const char *text, gsize max)
{
  gsize length;

  while (g_ascii_isspace(*text))
    text++;
  length = strcspn(text, " \t\n\v\f\r");
  return length == 0 ? NULL : g_strndup(text, MIN(length, max));
}

bool
sim_text_equals(const char *text, const char *word)
{
  gsize length = strlen(word);

  return strncmp(text, word, length) == 0 &&
         (text[length] == '\0' || (text[length] == '\n' && text[length + 1] == '\0'));
}

int
sim_match(const char *const *words, gsize n_words, const char *text)
{
  for (gsize i = 0; i < n_words; i++) {
    if (sim_text_equals(text, words[i]))
      return (int)i;
  }
  return -1;
}
