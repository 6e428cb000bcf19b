/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/printable.h"

#include <string.h>

/* The last character boundary at or before @length. No character has more than three bytes after
 * its first: in a longer run they are no characters anyway. */
static gsize
character_boundary(const char *text, gsize length)
{
  gsize start = length;

  while (start > 0 && length - start < 3 && ((guchar)text[start] & 0xc0) == 0x80)
    start--;
  return start;
}

char *
eppd_utf8_cut(const char *text, gsize max_bytes)
{
  g_autofree char *head = NULL;
  g_autofree char *valid = NULL;
  gsize length;

  if (!text)
    return g_strdup("");

  /* Cut first: making a megabyte valid to keep 256 bytes of it is work for the attacker. */
  length = strnlen(text, max_bytes);
  if (length == max_bytes)
    length = character_boundary(text, length);
  head = g_strndup(text, length);
  valid = g_utf8_make_valid(head, -1);

  /* A replacement character is longer than the byte that it stands for. */
  length = strlen(valid);
  if (length > max_bytes)
    length = character_boundary(valid, max_bytes);
  return g_strndup(valid, length);
}

char *
eppd_printable(const char *text, gsize max_bytes)
{
  g_autofree char *cut = NULL;
  g_autoptr(GString) out = NULL;

  if (!text)
    return g_strdup("");

  cut = g_strndup(text, strnlen(text, max_bytes));
  out = g_string_new(NULL);

  for (const char *p = cut; *p;) {
    gunichar c = g_utf8_get_char_validated(p, -1);

    if (c == (gunichar)-1 || c == (gunichar)-2) {
      /* The cut may have split the last character: drop its rest, it is not an invalid byte. */
      if (c == (gunichar)-2 && strlen(text) > strlen(cut))
        break;
      g_string_append_printf(out, "\\x%02x", (guchar)*p);
      p++;
      continue;
    }
    if (g_unichar_isprint(c))
      g_string_append_unichar(out, c);
    else if (c < 0x80)
      g_string_append_printf(out, "\\x%02x", c);
    else
      g_string_append_printf(out, "\\u{%04x}", c);
    p = g_utf8_next_char(p);
  }
  return g_string_free(g_steal_pointer(&out), FALSE);
}
