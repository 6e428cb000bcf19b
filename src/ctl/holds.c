/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/client.h"
#include "ctl/fields.h"
#include "ctl/output.h"
#include "ctl/verb.h"

#include <glib/gi18n.h>
#include <stdio.h>

static char *
number_text(GVariant *fields, const char *key, const char *unit)
{
  guint64 value;

  if (!eppd_field_number(fields, key, &value))
    return g_strdup("");
  return g_strdup_printf("%" G_GUINT64_FORMAT "%s", value, unit);
}

/* "core", or "core (asked for app: why)". */
static char *
trigger_text(GVariant *fields)
{
  g_autofree char *trigger = eppd_field_text(fields, "trigger", _("unknown"));
  g_autofree char *asked = eppd_field_text(fields, "trigger-asked", trigger);
  g_autofree char *why = eppd_field_text(fields, "trigger-why", "");

  if (!*why)
    return g_steal_pointer(&trigger);
  return g_strdup_printf(_("%s (asked for %s: %s)"), trigger, asked, why);
}

static char *
age_text(GVariant *fields)
{
  guint64 since_usec;
  guint64 now_usec = (guint64)g_get_monotonic_time();

  if (!eppd_field_number(fields, "since-usec", &since_usec))
    return g_strdup("");
  return eppd_duration_text(now_usec > since_usec ? now_usec - since_usec : 0);
}

static void
add_hold(EppdTable *table, GVariant *fields)
{
  g_autofree char *app = eppd_field_text(fields, "app-id", "-");
  g_autofree char *reason = eppd_field_text(fields, "reason", "");
  g_autofree char *trigger = trigger_text(fields);
  g_autofree char *threshold = number_text(fields, "threshold-percent", " %");
  g_autofree char *uid = number_text(fields, "uid", "");
  g_autofree char *pid = number_text(fields, "pid", "");
  g_autofree char *age = age_text(fields);
  g_autofree char *owner = eppd_field_text(fields, "owner", "");

  eppd_table_add(table, EPPD_STYLE_PLAIN, app, uid, owner, pid, age, threshold, trigger, reason);
}

static void
print_holds(GVariant *holds)
{
  g_autoptr(EppdTable) table = eppd_table_new(8);
  GVariantIter iter;
  GVariant *fields;

  for (guint column = 3; column <= 5; column++)
    eppd_table_align_right(table, column);
  eppd_table_add(table, EPPD_STYLE_HEADING, _("APPLICATION"), _("UID"), _("OWNER"), _("PID"),
                 _("FOR"), _("THRESHOLD"), _("TRIGGER"), _("REASON"));
  g_variant_iter_init(&iter, holds);
  while ((fields = g_variant_iter_next_value(&iter))) {
    add_hold(table, fields);
    g_variant_unref(fields);
  }
  eppd_print_table(table);
}

int
eppd_verb_holds(int argc, char **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, _("Print JSON"), NULL},
      {NULL},
  };
  const EppdVerbUsage usage = {entries, NULL, _("Lists who holds the boost, oldest first."), 0, 0};
  g_auto(EppdClient) client = {0};
  g_autoptr(GVariant) holds = NULL;
  g_autoptr(GError) error = NULL;

  if (!eppd_verb_parse(&usage, &argc, &argv))
    return EPPD_EXIT_USAGE;
  holds = eppd_client_get(&client, "ListBoostHolds", "aa{sv}", &error);
  if (!holds)
    return eppd_fail(error);

  if (json)
    eppd_print_json(holds);
  else if (g_variant_n_children(holds) == 0)
    puts(_("Nothing holds the boost."));
  else
    print_holds(holds);
  return EPPD_EXIT_OK;
}
