/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "variant-text.h"

#include <stdbool.h>
#include <string.h>

#define TYPE_MAX 64

/* GLib's parser is critical of what an escape may make of a string: a surrogate, a number past
 * Unicode. That is no fault of ours to be found. */
static bool
is_fit_for_parser(const char *text)
{
  return g_utf8_validate(text, -1, NULL) && !strstr(text, "\\ud") && !strstr(text, "\\uD") &&
         !strstr(text, "\\U");
}

static GVariant *
parse_bytes(const char *text)
{
  gsize length = strcspn(text, " ");
  g_autofree char *type = g_strndup(text, length);
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(GVariant) untrusted = NULL;

  if (length > TYPE_MAX || !g_variant_type_string_is_valid(type) ||
      !g_variant_type_is_definite(G_VARIANT_TYPE(type)))
    return NULL;
  text += length + strspn(text + length, " ");
  bytes = g_bytes_new(text, strlen(text));
  untrusted = g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(type), bytes, FALSE));
  return g_variant_get_normal_form(untrusted);
}

GVariant *
variant_text_parse(const char *text)
{
  GVariant *value = is_fit_for_parser(text) ? g_variant_parse(NULL, text, NULL, NULL, NULL) : NULL;

  return value ? g_variant_take_ref(value) : parse_bytes(text);
}
