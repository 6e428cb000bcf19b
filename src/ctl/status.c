/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/fields.h"
#include "ctl/output.h"
#include "ctl/policy-rows.h"
#include "ctl/snapshot.h"
#include "ctl/verb.h"

#include "base/cpu-list.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>

static EppdStyle
boost_style(const char *state)
{
  if (strcmp(state, "armed") == 0 || strcmp(state, "kernel") == 0)
    return EPPD_STYLE_ACTIVE;
  return strcmp(state, "blocked") == 0 ? EPPD_STYLE_WARNING : EPPD_STYLE_PLAIN;
}

/* "armed: one hold", or the state alone. */
static char *
state_text(GVariant *properties, const char *state_key, const char *reason_key)
{
  g_autofree char *state = eppd_field_text(properties, state_key, _("unknown"));
  g_autofree char *reason = eppd_field_text(properties, reason_key, "");

  return *reason ? g_strdup_printf("%s: %s", state, reason) : g_steal_pointer(&state);
}

/* "2 of 16 policies: policy3, policy7" would repeat the table: the CPUs are what is new. */
static char *
boosted_text(GVariant *properties)
{
  g_autoptr(GVariant) cpus =
      g_variant_lookup_value(properties, "BoostedCpus", G_VARIANT_TYPE("au"));
  g_autoptr(GString) numbers = g_string_new(NULL);
  g_auto(EppdCpuList) list = {0};
  g_autofree char *text = NULL;

  for (gsize i = 0; cpus && i < g_variant_n_children(cpus); i++) {
    guint32 cpu;

    g_variant_get_child(cpus, i, "u", &cpu);
    g_string_append_printf(numbers, "%u ", cpu);
  }
  if (!eppd_cpu_list_parse(numbers->str, &list))
    return g_strdup(_("unknown"));
  text = eppd_cpu_list_format(&list);
  return *text ? g_strdup_printf(_("CPU %s"), text) : g_strdup(_("none"));
}

static void
print_head(const EppdSnapshot *snapshot, const GPtrArray *rows)
{
  g_autoptr(EppdTable) table = eppd_table_new(2);
  g_autofree char *version = eppd_field_text(snapshot->properties, "Version", _("unknown"));
  g_autofree char *driver = eppd_policy_rows_driver_text(rows);
  g_autofree char *profile = eppd_field_text(snapshot->properties, "ActiveProfile", _("unknown"));
  g_autofree char *source = eppd_field_text(snapshot->properties, "PowerSource", _("unknown"));
  g_autofree char *state = eppd_field_text(snapshot->properties, "BoostState", _("unknown"));
  g_autofree char *boost = state_text(snapshot->properties, "BoostState", "BoostReason");
  g_autofree char *residency =
      state_text(snapshot->properties, "ResidencySource", "ResidencyReason");
  g_autofree char *boosted = boosted_text(snapshot->properties);

  eppd_table_add(table, EPPD_STYLE_PLAIN, "eppd", version);
  eppd_table_add(table, EPPD_STYLE_PLAIN, _("Driver"), driver);
  eppd_table_add(table, EPPD_STYLE_PLAIN, _("Profile"), profile);
  eppd_table_add(table, EPPD_STYLE_PLAIN, _("Power"), strcmp(source, "ac") == 0 ? _("AC") : source);
  eppd_table_add(table, boost_style(state), _("Boost"), boost);
  eppd_table_add(table, EPPD_STYLE_PLAIN, _("Residency"), residency);
  eppd_table_add(table, EPPD_STYLE_PLAIN, _("Boosted"), boosted);
  eppd_print_table(table);
}

static void
print_status(const EppdSnapshot *snapshot, bool all)
{
  g_autoptr(GPtrArray) rows = eppd_policy_rows_new(snapshot->policies);

  print_head(snapshot, rows);
  putchar('\n');
  if (rows->len == 0) {
    puts(_("No CPU frequency policy on this machine."));
  } else {
    g_autoptr(EppdTable) table =
        eppd_policy_rows_table(rows, !all && rows->len > EPPD_POLICY_ROWS_CONDENSE);

    eppd_print_table(table);
  }
}

int
eppd_verb_status(int argc, char **argv)
{
  gboolean all = FALSE;
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
      {"all", 'a', 0, G_OPTION_ARG_NONE, &all, _("A line for each policy, however many"), NULL},
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, _("Print JSON"), NULL},
      {NULL},
  };
  const EppdVerbUsage usage = {
      entries, NULL, _("Shows the boost, the profile, the power source and each policy."), 0, 0,
  };
  g_auto(EppdClient) client = {0};
  g_auto(EppdSnapshot) snapshot = {0};
  g_autoptr(GError) error = NULL;

  if (!eppd_verb_parse(&usage, &argc, &argv))
    return EPPD_EXIT_USAGE;
  if (!eppd_snapshot_take(&snapshot, &client, false, &error))
    return eppd_fail(error);

  if (json) {
    g_autoptr(GVariant) packed = eppd_snapshot_pack(&snapshot);

    eppd_print_json(packed);
  } else {
    print_status(&snapshot, all);
  }
  return EPPD_EXIT_OK;
}
