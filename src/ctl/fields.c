/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/fields.h"

#include "base/printable.h"

char *
eppd_field_text(GVariant *fields, const char *key, const char *fallback)
{
  const char *text = NULL;

  if (!g_variant_lookup(fields, key, "&s", &text) || !*text)
    return g_strdup(fallback);
  return eppd_printable(text, EPPD_FIELD_TEXT_MAX);
}

bool
eppd_field_number(GVariant *fields, const char *key, guint64 *value)
{
  guint32 small;

  if (g_variant_lookup(fields, key, "u", &small)) {
    *value = small;
    return true;
  }
  return g_variant_lookup(fields, key, "t", value);
}

bool
eppd_field_flag(GVariant *fields, const char *key, bool fallback)
{
  gboolean value;

  return g_variant_lookup(fields, key, "b", &value) ? value : fallback;
}

char *
eppd_percent_text(guint64 permille)
{
  if (permille > 1000)
    return g_strdup("?");
  return g_strdup_printf("%" G_GUINT64_FORMAT " %%", (permille + 5) / 10);
}

char *
eppd_duration_text(guint64 usec)
{
  guint64 minutes = usec / (60 * G_USEC_PER_SEC);
  guint64 hours = minutes / 60;

  if (usec < 1000)
    return g_strdup_printf("%" G_GUINT64_FORMAT " µs", usec);
  if (usec < G_USEC_PER_SEC)
    return g_strdup_printf("%.1f ms", (double)usec / 1000);
  if (minutes == 0)
    return g_strdup_printf("%.1f s", (double)usec / G_USEC_PER_SEC);
  if (hours == 0)
    return g_strdup_printf("%" G_GUINT64_FORMAT " min", minutes);
  if (hours < 24)
    return g_strdup_printf("%" G_GUINT64_FORMAT " h %02u min", hours, (guint)(minutes % 60));
  return g_strdup_printf("%" G_GUINT64_FORMAT " d %02u h", hours / 24, (guint)(hours % 24));
}
