/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/policy-rows.h"

#include "base/cpu-list.h"
#include "ctl/fields.h"

#include <glib/gi18n.h>
#include <string.h>

/* More driver and governor combinations than this are no machine's. */
#define DRIVER_TEXTS_MAX 4

#define POLICY_PREFIX "policy"

#define UNKNOWN "unknown"

static void
row_free(gpointer data)
{
  EppdPolicyRow *row = data;

  g_free(row->policy);
  g_free(row->cpus);
  g_free(row->driver);
  g_free(row->governor);
  g_free(row->base);
  g_free(row->current);
  g_free(row);
}

/* What an eppd that does not tell lets guess. */
static bool
looks_foreign(const EppdPolicyRow *row)
{
  return row->online && !row->boosted && !row->restore_pending && strcmp(row->base, UNKNOWN) != 0 &&
         strcmp(row->current, UNKNOWN) != 0 && strcmp(row->current, row->base) != 0;
}

static EppdPolicyRow *
row_new(GVariant *fields)
{
  EppdPolicyRow *row = g_new0(EppdPolicyRow, 1);

  row->policy = eppd_field_text(fields, "policy", "?");
  row->cpus = eppd_field_text(fields, "cpus", "?");
  row->driver = eppd_field_text(fields, "driver", "");
  row->governor = eppd_field_text(fields, "governor", "");
  row->base = eppd_field_text(fields, "base", UNKNOWN);
  row->current = eppd_field_text(fields, "current", UNKNOWN);
  row->online = eppd_field_flag(fields, "online", true);
  row->boosted = eppd_field_flag(fields, "boosted", false);
  row->resting = eppd_field_flag(fields, "resting", false);
  row->restore_pending = eppd_field_flag(fields, "restore-pending", false);
  row->foreign = eppd_field_flag(fields, "foreign", looks_foreign(row));
  row->has_sample = eppd_field_number(fields, "busy-permille", &row->busy_permille);
  eppd_field_number(fields, "foreign-writes", &row->foreign_writes);
  return row;
}

static char *
foreign_writes_text(guint64 n)
{
  return g_strdup_printf(ngettext("%llu foreign write", "%llu foreign writes", (gulong)n),
                         (unsigned long long)n);
}

/* What the reader must know of a policy besides its numbers. */
static char *
row_note(const EppdPolicyRow *row)
{
  g_autoptr(GStrvBuilder) parts = g_strv_builder_new();
  g_auto(GStrv) texts = NULL;

  if (!row->online)
    g_strv_builder_add(parts, _("offline"));
  if (row->boosted)
    g_strv_builder_add(parts, _("boosted"));
  if (row->restore_pending)
    g_strv_builder_add(parts, _("restore pending"));
  if (row->foreign)
    g_strv_builder_add(parts, _("written by another program"));
  if (row->resting) {
    g_strv_builder_add(parts, _("left out, others write it"));
  } else if (row->foreign_writes > 0) {
    g_autofree char *text = foreign_writes_text(row->foreign_writes);

    g_strv_builder_add(parts, text);
  }
  texts = g_strv_builder_end(parts);
  return g_strjoinv(", ", texts);
}

static EppdStyle
row_style(const EppdPolicyRow *row)
{
  if (row->resting || row->restore_pending || row->foreign)
    return EPPD_STYLE_WARNING;
  if (row->boosted)
    return EPPD_STYLE_ACTIVE;
  return row->online ? EPPD_STYLE_PLAIN : EPPD_STYLE_DIM;
}

/* The number in "policy12"; false where the name is another. */
static bool
policy_number(const EppdPolicyRow *row, guint *number)
{
  g_auto(EppdCpuList) list = {0};

  if (!g_str_has_prefix(row->policy, POLICY_PREFIX) ||
      !eppd_cpu_list_parse(row->policy + strlen(POLICY_PREFIX), &list) || list.n_cpus != 1)
    return false;
  *number = list.cpus[0];
  return true;
}

static bool
is_idle(const EppdPolicyRow *row)
{
  return !row->boosted && !row->resting && !row->restore_pending &&
         (!row->has_sample || row->busy_permille < EPPD_POLICY_ROWS_IDLE_PERMILLE);
}

static bool
can_join(const EppdPolicyRow *row)
{
  g_auto(EppdCpuList) cpus = {0};
  guint number;

  return is_idle(row) && policy_number(row, &number) && eppd_cpu_list_parse(row->cpus, &cpus);
}

static bool
are_alike(const EppdPolicyRow *a, const EppdPolicyRow *b)
{
  return a->online == b->online && a->foreign == b->foreign && a->has_sample == b->has_sample &&
         a->foreign_writes == b->foreign_writes && strcmp(a->driver, b->driver) == 0 &&
         strcmp(a->governor, b->governor) == 0 && strcmp(a->base, b->base) == 0 &&
         strcmp(a->current, b->current) == 0;
}

/* "0 1 2 8" → "0-2,8"; the parts were parsed each before. */
static char *
condense_numbers(const GString *numbers)
{
  g_auto(EppdCpuList) list = {0};

  if (!eppd_cpu_list_parse(numbers->str, &list))
    return g_strdup(numbers->str);
  return eppd_cpu_list_format(&list);
}

static void
add_group(EppdTable *table, const GPtrArray *rows, guint first, bool *done)
{
  const EppdPolicyRow *head = g_ptr_array_index(rows, first);
  g_autoptr(GString) policies = g_string_new(NULL);
  g_autoptr(GString) cpus = g_string_new(NULL);
  g_autofree char *policies_text = NULL;
  g_autofree char *cpus_text = NULL;
  g_autofree char *label = NULL;
  g_autofree char *note = row_note(head);

  for (guint i = first; i < rows->len; i++) {
    const EppdPolicyRow *row = g_ptr_array_index(rows, i);
    guint number;

    if (done[i] || !can_join(row) || !are_alike(head, row) || !policy_number(row, &number))
      continue;
    g_string_append_printf(policies, "%u ", number);
    g_string_append_printf(cpus, "%s ", row->cpus);
    done[i] = true;
  }
  policies_text = condense_numbers(policies);
  cpus_text = condense_numbers(cpus);
  label = g_strconcat(POLICY_PREFIX, policies_text, NULL);
  eppd_table_add(table, row_style(head), label, cpus_text, head->base, head->current,
                 head->has_sample ? "< 10 %" : "-", note);
}

static void
add_row(EppdTable *table, const EppdPolicyRow *row)
{
  g_autofree char *busy = row->has_sample ? eppd_percent_text(row->busy_permille) : g_strdup("-");
  g_autofree char *note = row_note(row);

  eppd_table_add(table, row_style(row), row->policy, row->cpus, row->base, row->current, busy,
                 note);
}

GPtrArray *
eppd_policy_rows_new(GVariant *policies)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func(row_free);
  GVariantIter iter;
  GVariant *fields;

  g_variant_iter_init(&iter, policies);
  while ((fields = g_variant_iter_next_value(&iter))) {
    g_ptr_array_add(rows, row_new(fields));
    g_variant_unref(fields);
  }
  return rows;
}

EppdTable *
eppd_policy_rows_table(const GPtrArray *rows, bool condense)
{
  EppdTable *table = eppd_table_new(6);
  g_autofree bool *done = g_new0(bool, rows->len + 1);

  eppd_table_align_right(table, 4);
  eppd_table_add(table, EPPD_STYLE_HEADING, _("POLICY"), _("CPUS"), _("BASE"), _("CURRENT"),
                 _("BUSY"), _("NOTE"));
  for (guint i = 0; i < rows->len; i++) {
    const EppdPolicyRow *row = g_ptr_array_index(rows, i);

    if (done[i])
      continue;
    if (condense && can_join(row))
      add_group(table, rows, i, done);
    else
      add_row(table, row);
  }
  return table;
}

/* The driver's name tells its mode; NULL where it does not. */
static const char *
driver_mode(const char *driver)
{
  static const struct {
    const char *driver;
    const char *mode;
  } modes[] = {
      {"amd-pstate-epp", N_("active mode")},
      {"amd-pstate", N_("passive or guided mode: no EPP")},
      {"intel_pstate", N_("active mode")},
      {"intel_cpufreq", N_("passive mode")},
  };

  for (guint i = 0; i < G_N_ELEMENTS(modes); i++) {
    if (strcmp(modes[i].driver, driver) == 0)
      return _(modes[i].mode);
  }
  return NULL;
}

static char *
driver_text(const EppdPolicyRow *row)
{
  const char *mode = driver_mode(row->driver);
  g_autofree char *driver =
      mode ? g_strdup_printf("%s (%s)", row->driver, mode) : g_strdup(row->driver);

  return *row->governor ? g_strdup_printf(_("%s, governor %s"), driver, row->governor)
                        : g_steal_pointer(&driver);
}

char *
eppd_policy_rows_driver_text(const GPtrArray *rows)
{
  g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);

  for (guint i = 0; i < rows->len && texts->len < DRIVER_TEXTS_MAX; i++) {
    const EppdPolicyRow *row = g_ptr_array_index(rows, i);
    g_autofree char *text = NULL;

    if (!*row->driver)
      continue;
    text = driver_text(row);
    if (!g_ptr_array_find_with_equal_func(texts, text, g_str_equal, NULL))
      g_ptr_array_add(texts, g_steal_pointer(&text));
  }
  g_ptr_array_add(texts, NULL);
  return texts->len == 1 ? g_strdup(_("none")) : g_strjoinv("; ", (char **)texts->pdata);
}
