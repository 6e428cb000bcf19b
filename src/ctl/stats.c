/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/client.h"
#include "ctl/fields.h"
#include "ctl/output.h"
#include "ctl/verb.h"

#include "base/printable.h"

#include <glib/gi18n.h>
#include <string.h>

static char *
value_text(GVariant *value, const char *key)
{
  if (!g_variant_is_of_type(value, G_VARIANT_TYPE_UINT64)) {
    g_autofree char *text = g_variant_print(value, FALSE);

    return eppd_printable(text, EPPD_FIELD_TEXT_MAX);
  }
  if (g_str_has_suffix(key, "-usec"))
    return eppd_duration_text(g_variant_get_uint64(value));
  return g_strdup_printf("%" G_GUINT64_FORMAT, g_variant_get_uint64(value));
}

/* "busy-edges" → "busy edges"; a time's unit stands with its value. */
static char *
label_text(const char *key)
{
  g_autofree char *name = g_strdup(key);

  if (g_str_has_suffix(name, "-usec"))
    name[strlen(name) - strlen("-usec")] = '\0';
  return eppd_printable(g_strdelimit(name, "-", ' '), EPPD_FIELD_TEXT_MAX);
}

static void
print_statistics(GVariant *statistics)
{
  g_autoptr(EppdTable) table = eppd_table_new(2);
  GVariantIter iter;
  const char *key;
  GVariant *value;

  eppd_table_align_right(table, 1);
  g_variant_iter_init(&iter, statistics);
  while (g_variant_iter_loop(&iter, "{&sv}", &key, &value)) {
    g_autofree char *label = label_text(key);
    g_autofree char *text = value_text(value, key);

    eppd_table_add(table, EPPD_STYLE_PLAIN, label, text);
  }
  eppd_print_table(table);
}

int
eppd_verb_stats(int argc, char **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, _("Print JSON"), NULL},
      {NULL},
  };
  const EppdVerbUsage usage = {
      entries, NULL, _("Shows the daemon's counters since its start."), 0, 0,
  };
  g_auto(EppdClient) client = {0};
  g_autoptr(GVariant) statistics = NULL;
  g_autoptr(GError) error = NULL;

  if (!eppd_verb_parse(&usage, &argc, &argv))
    return EPPD_EXIT_USAGE;
  statistics = eppd_client_get(&client, "GetStatistics", "a{sv}", &error);
  if (!statistics)
    return eppd_fail(error);

  if (json)
    eppd_print_json(statistics);
  else
    print_statistics(statistics);
  return EPPD_EXIT_OK;
}
