/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/enum-text.h"

#include <string.h>

bool
eppd_enum_text_parse(const char *const *texts, guint n_texts, const char *text, int *value)
{
  if (!text)
    return false;

  for (guint i = 0; i < n_texts; i++) {
    if (texts[i] && strcmp(texts[i], text) == 0) {
      *value = (int)i;
      return true;
    }
  }
  return false;
}

const char *
eppd_enum_text(const char *const *texts, guint n_texts, int value)
{
  if (value < 0 || (guint)value >= n_texts || !texts[value])
    return "unknown";
  return texts[value];
}
