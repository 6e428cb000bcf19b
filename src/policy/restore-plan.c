/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/restore-plan.h"

#include <string.h>

struct _EppdRestorePlan {
  GHashTable *policies; /* its name → EppdRestoreEntry */
  GHashTable *settings; /* its path → EppdRestoreSetting */
  EppdEppTwin learned;  /* the read-back that was learned last */
  bool changed;
};

static void
setting_free(EppdRestoreSetting *setting)
{
  g_free(setting->path);
  g_free(setting);
}

EppdRestorePlan *
eppd_restore_plan_new(void)
{
  EppdRestorePlan *plan = g_new0(EppdRestorePlan, 1);

  plan->policies =
      g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)eppd_restore_entry_free);
  plan->settings =
      g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)setting_free);
  plan->changed = true;
  return plan;
}

void
eppd_restore_plan_free(EppdRestorePlan *plan)
{
  g_hash_table_unref(plan->policies);
  g_hash_table_unref(plan->settings);
  g_free(plan);
}

bool
eppd_restore_plan_is_changed(const EppdRestorePlan *plan)
{
  return plan->changed;
}

void
eppd_restore_plan_note_saved(EppdRestorePlan *plan)
{
  plan->changed = false;
}

void
eppd_restore_plan_note_lost(EppdRestorePlan *plan)
{
  plan->changed = true;
}

/* ---- policies ---- */

EppdRestoreEntry *
eppd_restore_plan_find(const EppdRestorePlan *plan, const char *policy)
{
  return g_hash_table_lookup(plan->policies, policy);
}

void
eppd_restore_plan_add(EppdRestorePlan *plan, EppdRestoreEntry *entry)
{
  g_hash_table_replace(plan->policies, entry->policy, entry);
  plan->changed = true;
}

EppdRestoreEntry *
eppd_restore_plan_entry(EppdRestorePlan *plan, const char *policy, guint number)
{
  EppdRestoreEntry *entry = eppd_restore_plan_find(plan, policy);

  if (!entry) {
    entry = eppd_restore_entry_new(policy, number);
    eppd_restore_plan_add(plan, entry);
  }
  return entry;
}

void
eppd_restore_plan_forget(EppdRestorePlan *plan, const char *policy)
{
  plan->changed |= g_hash_table_remove(plan->policies, policy);
}

static gboolean
is_not_due(gpointer name, gpointer entry, gpointer unused)
{
  return !eppd_restore_entry_is_due(entry);
}

void
eppd_restore_plan_keep_due(EppdRestorePlan *plan)
{
  plan->changed |= g_hash_table_foreach_remove(plan->policies, is_not_due, NULL) > 0;
}

void
eppd_restore_plan_set_driver(EppdRestorePlan *plan, EppdRestoreEntry *entry, const char *driver)
{
  if (strcmp(entry->driver, driver) == 0)
    return;
  g_free(entry->driver);
  entry->driver = g_strdup(driver);
  /* Another driver may read the same value as another. */
  plan->learned = (EppdEppTwin){0};
  plan->changed = true;
}

static void
set_boost(EppdRestorePlan *plan, EppdRestoreEntry *entry, const EppdEppTwin *boost)
{
  if (eppd_epp_twin_is_same(&entry->boost, boost))
    return;
  entry->boost = *boost;
  plan->changed = true;
}

/* What @boost will read back as, where it is not known: as in the policy that learned it last. One
 * whose driver does it otherwise learns that with its first boost, as all do; but to learn what the
 * plan says already changes nothing, where all first boosts at once would each have it saved anew.
 * Only of a name, which is told by itself too: a number may read as a name that differs between the
 * kinds of cores. */
static EppdEppTwin
expected_twin(const EppdRestorePlan *plan, const EppdEppTwin *boost)
{
  return !eppd_epp_twin_is_learned(boost) && boost->written.kind != EPPD_EPP_RAW &&
                 eppd_epp_is_same(&boost->written, &plan->learned.written)
             ? plan->learned
             : *boost;
}

static void
learn(EppdRestorePlan *plan, const EppdEppTwin *boost)
{
  GHashTableIter iter;
  gpointer value;

  if (!eppd_epp_twin_is_learned(boost))
    return;
  plan->learned = *boost;
  g_hash_table_iter_init(&iter, plan->policies);
  while (g_hash_table_iter_next(&iter, NULL, &value)) {
    EppdRestoreEntry *entry = value;

    entry->next_boost = expected_twin(plan, &entry->next_boost);
    if (!entry->boosted)
      set_boost(plan, entry, &entry->next_boost);
  }
}

void
eppd_restore_plan_set_epp(EppdRestorePlan *plan,
                          EppdRestoreEntry *entry,
                          const EppdEpp *base,
                          const EppdEppTwin *boost)
{
  if (!eppd_epp_is_same(&entry->base, base)) {
    entry->base = *base;
    plan->changed = true;
  }
  if (!eppd_epp_twin_is_same(&entry->next_boost, boost))
    learn(plan, boost);
  entry->next_boost = expected_twin(plan, boost);
  if (!entry->boosted || eppd_epp_is_same(&entry->boost.written, &entry->next_boost.written))
    set_boost(plan, entry, &entry->next_boost);
}

void
eppd_restore_plan_set_boosted(EppdRestorePlan *plan, EppdRestoreEntry *entry, bool boosted)
{
  set_boost(plan, entry, &entry->next_boost);
  entry->boosted = boosted;
}

void
eppd_restore_plan_set_taken_over(EppdRestorePlan *plan, EppdRestoreEntry *entry, bool taken_over)
{
  plan->changed |= entry->taken_over != taken_over;
  entry->taken_over = taken_over;
}

/* ---- settings ---- */

const EppdRestoreSetting *
eppd_restore_plan_setting(const EppdRestorePlan *plan, const char *path)
{
  return g_hash_table_lookup(plan->settings, path);
}

void
eppd_restore_plan_set_setting(EppdRestorePlan *plan,
                              const char *path,
                              const char *found,
                              const char *ours)
{
  EppdRestoreSetting *setting = g_hash_table_lookup(plan->settings, path);

  if (!setting) {
    setting = g_new0(EppdRestoreSetting, 1);
    setting->path = g_strdup(path);
    setting->found = found;
    g_hash_table_replace(plan->settings, setting->path, setting);
  }
  plan->changed |= g_strcmp0(setting->ours, ours) != 0;
  setting->ours = ours;
}

void
eppd_restore_plan_forget_setting(EppdRestorePlan *plan, const char *path)
{
  plan->changed |= g_hash_table_remove(plan->settings, path);
}

/* ---- all of it ---- */

static int
compare_policies(gconstpointer a, gconstpointer b)
{
  const EppdRestoreEntry *x = *(const EppdRestoreEntry *const *)a;
  const EppdRestoreEntry *y = *(const EppdRestoreEntry *const *)b;

  return (x->number > y->number) - (x->number < y->number);
}

static int
compare_settings(gconstpointer a, gconstpointer b)
{
  const EppdRestoreSetting *x = *(const EppdRestoreSetting *const *)a;
  const EppdRestoreSetting *y = *(const EppdRestoreSetting *const *)b;

  return strcmp(x->path, y->path);
}

static GPtrArray *
sorted_values(GHashTable *table, GCompareFunc compare)
{
  GPtrArray *values = g_ptr_array_sized_new(g_hash_table_size(table));
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init(&iter, table);
  while (g_hash_table_iter_next(&iter, NULL, &value))
    g_ptr_array_add(values, value);
  g_ptr_array_sort(values, compare);
  return values;
}

GPtrArray *
eppd_restore_plan_policies(const EppdRestorePlan *plan)
{
  return sorted_values(plan->policies, compare_policies);
}

GPtrArray *
eppd_restore_plan_settings(const EppdRestorePlan *plan)
{
  return sorted_values(plan->settings, compare_settings);
}

static gboolean
is_due(gpointer name, gpointer entry, gpointer unused)
{
  return eppd_restore_entry_is_due(entry);
}

bool
eppd_restore_plan_has_due(const EppdRestorePlan *plan)
{
  return g_hash_table_find(plan->policies, is_due, NULL) != NULL;
}

bool
eppd_restore_plan_is_empty(const EppdRestorePlan *plan)
{
  return g_hash_table_size(plan->policies) == 0 && g_hash_table_size(plan->settings) == 0;
}
