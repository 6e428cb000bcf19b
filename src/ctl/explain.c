/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/client.h"
#include "ctl/fields.h"
#include "ctl/output.h"
#include "ctl/verb.h"

#include "base/cpu-list.h"

#include <glib/gi18n.h>
#include <stdio.h>

/* "5", or "cpu5" as people and the kernel write it. */
static bool
parse_cpu(const char *text, guint32 *cpu)
{
  guint64 value;

  if (g_str_has_prefix(text, "cpu"))
    text += 3;
  if (!g_ascii_string_to_unsigned(text, 10, 0, EPPD_CPU_MAX - 1, &value, NULL))
    return false;
  *cpu = (guint32)value;
  return true;
}

static char *
busy_text(GVariant *fields)
{
  guint64 permille;
  guint64 age_usec;
  g_autofree char *percent = NULL;
  g_autofree char *age = NULL;

  if (!eppd_field_number(fields, "busy-permille", &permille))
    return g_strdup(_("not sampled"));
  percent = eppd_percent_text(permille);
  if (!eppd_field_number(fields, "sample-age-usec", &age_usec))
    return g_steal_pointer(&percent);
  age = eppd_duration_text(age_usec);
  return g_strdup_printf(_("%s, %s ago"), percent, age);
}

static void
print_explanation(guint32 cpu, GVariant *fields)
{
  g_autoptr(EppdTable) table = eppd_table_new(2);
  g_autofree char *number = g_strdup_printf("%u", cpu);
  g_autofree char *policy = eppd_field_text(fields, "policy", _("unknown"));
  g_autofree char *base = eppd_field_text(fields, "base", _("unknown"));
  g_autofree char *current = eppd_field_text(fields, "current", _("unknown"));
  g_autofree char *busy = busy_text(fields);
  g_autofree char *text = eppd_field_text(fields, "text", "");
  bool boosted = eppd_field_flag(fields, "boosted", false);

  eppd_table_add(table, EPPD_STYLE_PLAIN, _("CPU"), number);
  eppd_table_add(table, EPPD_STYLE_PLAIN, _("Policy"), policy);
  eppd_table_add(table, EPPD_STYLE_PLAIN, _("Base"), base);
  eppd_table_add(table, EPPD_STYLE_PLAIN, _("Current"), current);
  eppd_table_add(table, boosted ? EPPD_STYLE_ACTIVE : EPPD_STYLE_PLAIN, _("Boosted"),
                 boosted ? _("yes") : _("no"));
  eppd_table_add(table, EPPD_STYLE_PLAIN, _("Busy"), busy);
  eppd_print_table(table);
  if (*text)
    printf("\n%s\n", text);
}

int
eppd_verb_explain(int argc, char **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, _("Print JSON"), NULL},
      {NULL},
  };
  const EppdVerbUsage usage = {entries, "CPU", _("Says why a CPU's EPP is what it is."), 1, 1};
  g_auto(EppdClient) client = {0};
  g_autoptr(GVariant) reply = NULL;
  g_autoptr(GVariant) fields = NULL;
  g_autoptr(GError) error = NULL;
  guint32 cpu;

  if (!eppd_verb_parse(&usage, &argc, &argv))
    return EPPD_EXIT_USAGE;
  if (!parse_cpu(argv[1], &cpu)) {
    eppd_complain(_("explain: «%s» is no CPU number (0..%d)"), argv[1], EPPD_CPU_MAX - 1);
    return EPPD_EXIT_USAGE;
  }

  reply = eppd_client_call(&client, "Explain", g_variant_new("(u)", cpu), "(a{sv})",
                           G_DBUS_CALL_FLAGS_NONE, EPPD_CALL_TIMEOUT_MS, &error);
  if (!reply)
    return eppd_fail(error);
  fields = g_variant_get_child_value(reply, 0);

  if (json)
    eppd_print_json(fields);
  else
    print_explanation(cpu, fields);
  return EPPD_EXIT_OK;
}
