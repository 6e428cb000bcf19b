/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What others give, made fit for a terminal and for the bus. The first byte is the limit. */
#include "fuzz.h"

#include "base/printable.h"

#include <string.h>

static void
check_printable(const char *text, gsize max_bytes)
{
  g_autofree char *printable = eppd_printable(text, max_bytes);

  g_assert_true(g_utf8_validate(printable, -1, NULL));
  for (const char *p = printable; *p; p = g_utf8_next_char(p))
    g_assert_true(g_unichar_isprint(g_utf8_get_char(p)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  gsize max_bytes = size > 0 ? data[0] : 0;
  g_autofree char *text = fuzz_text(size > 0 ? data + 1 : data, size > 0 ? size - 1 : 0);
  g_autofree char *cut = eppd_utf8_cut(text, max_bytes);

  check_printable(text, max_bytes);
  check_printable(text, G_MAXSIZE);
  g_assert_true(g_utf8_validate(cut, -1, NULL));
  g_assert_cmpuint(strlen(cut), <=, max_bytes);
  return 0;
}
