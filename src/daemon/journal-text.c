/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/journal-text.h"

#include "base/log.h"
#include "hardware/amd-pstate.h"
#include "hardware/cpufreq-policy.h"

#include <string.h>

#define HEAD_GROUP     "Journal"
#define SETTING_PREFIX "File "
#define FLAG_SET       '1'
#define FLAG_UNSET     '0'

/* ---- reading ---- */

static EppdEpp
read_epp(GKeyFile *keys, const char *group, const char *key)
{
  g_autofree char *text = g_key_file_get_value(keys, group, key, NULL);

  return eppd_epp_parse(text);
}

/* False, and @flag untouched, for a text that is no flag. */
static bool
parse_flag(const char *text, bool *flag)
{
  if (!text || (text[0] != FLAG_SET && text[0] != FLAG_UNSET) || text[1])
    return false;
  *flag = text[0] == FLAG_SET;
  return true;
}

/* One of them is no value to write. */
static char *
describe_epps(const EppdEpp *base, const EppdEpp *boost)
{
  char base_buffer[EPPD_EPP_TEXT_SIZE];
  char boost_buffer[EPPD_EPP_TEXT_SIZE];

  return g_strdup_printf("Base %s, Boost %s", eppd_epp_text(base, base_buffer),
                         eppd_epp_text(boost, boost_buffer));
}

/* What is wrong with the group (owned by the caller); NULL: nothing. */
static char *
read_policy(GKeyFile *keys, const char *group, EppdRestorePlan *plan)
{
  g_autofree char *boosted_text = g_key_file_get_value(keys, group, "Boosted", NULL);
  g_autofree char *taken_over_text = g_key_file_get_value(keys, group, "TakenOver", NULL);
  g_autofree char *driver = g_key_file_get_value(keys, group, "Driver", NULL);
  EppdEpp base = read_epp(keys, group, "Base");
  EppdEpp boost = read_epp(keys, group, "Boost");
  bool boosted = false;
  bool taken_over = false;
  EppdRestoreEntry *entry;
  guint number;

  if (!eppd_cpufreq_policy_parse_name(group, &number))
    return g_strdup("no policy is called so");
  if (!parse_flag(boosted_text, &boosted) ||
      (taken_over_text && !parse_flag(taken_over_text, &taken_over)))
    return g_strdup("Boosted or TakenOver is neither 0 nor 1");
  if (!boosted && !taken_over)
    return NULL;
  if (!eppd_epp_is_writable(&base) || !eppd_epp_is_writable(&boost))
    return describe_epps(&base, &boost);

  entry = eppd_restore_entry_new(group, number);
  entry->base = base;
  entry->boost = (EppdEppTwin){boost, read_epp(keys, group, "BoostReadback")};
  entry->next_boost = entry->boost;
  entry->boosted = boosted;
  entry->taken_over = taken_over;
  eppd_restore_plan_add(plan, entry);
  eppd_restore_plan_set_driver(plan, entry, driver ? driver : "");
  return NULL;
}

static char *
read_setting(GKeyFile *keys, const char *group, EppdRestorePlan *plan)
{
  const char *path = group + strlen(SETTING_PREFIX);
  g_autofree char *found_text = g_key_file_get_value(keys, group, "Found", NULL);
  g_autofree char *ours_text = g_key_file_get_value(keys, group, "Ours", NULL);
  const char *found = eppd_amd_pstate_known_value(path, found_text);
  const char *ours = eppd_amd_pstate_known_value(path, ours_text);

  if (!found || !ours)
    return g_strdup("no file or value that eppd writes");
  eppd_restore_plan_set_setting(plan, path, found, ours);
  return NULL;
}

static char *
read_group(GKeyFile *keys, const char *group, EppdRestorePlan *plan)
{
  if (strcmp(group, HEAD_GROUP) == 0)
    return NULL;
  return g_str_has_prefix(group, SETTING_PREFIX) ? read_setting(keys, group, plan)
                                                 : read_policy(keys, group, plan);
}

bool
eppd_journal_text_read(EppdKeyFile *file, const char *boot_id, EppdRestorePlan *plan)
{
  GKeyFile *keys = eppd_key_file_get(file);
  g_auto(GStrv) groups = g_key_file_get_groups(keys, NULL);
  g_autofree char *its_boot_id = g_key_file_get_value(keys, HEAD_GROUP, "BootId", NULL);

  if (strcmp(its_boot_id ? its_boot_id : "", boot_id) != 0)
    return false;
  for (guint i = 0; groups[i]; i++) {
    g_autofree char *problem = read_group(keys, groups[i], plan);

    if (problem)
      eppd_warning("journal", "%s:%u: the entry [%s] makes no sense: %s; ignoring",
                   eppd_key_file_path(file), eppd_key_file_line(file, groups[i], NULL), groups[i],
                   problem);
  }
  return true;
}

/* ---- writing ---- */

static void
append_epp(GString *text, const char *key, const EppdEpp *epp)
{
  char buffer[EPPD_EPP_TEXT_SIZE];

  g_string_append_printf(text, "%s=%s\n", key, eppd_epp_text(epp, buffer));
}

static void
append_setting(GString *text, const EppdRestoreSetting *setting)
{
  g_string_append_printf(text, "\n[" SETTING_PREFIX "%s]\nFound=%s\nOurs=%s\n", setting->path,
                         setting->found, setting->ours);
}

char
eppd_journal_text_flag(bool boosted)
{
  return boosted ? FLAG_SET : FLAG_UNSET;
}

static void
append_policy(GString *text, const EppdRestoreEntry *entry, GHashTable *flags)
{
  g_string_append_printf(text, "\n[%s]\nDriver=%s\n", entry->policy, entry->driver);
  append_epp(text, "Base", &entry->base);
  append_epp(text, "Boost", &entry->boost.written);
  if (eppd_epp_twin_is_learned(&entry->boost))
    append_epp(text, "BoostReadback", &entry->boost.readback);
  if (entry->taken_over)
    g_string_append(text, "TakenOver=1\n");
  g_string_append(text, "Boosted=");
  g_hash_table_insert(flags, GUINT_TO_POINTER(entry->number), GSIZE_TO_POINTER(text->len));
  g_string_append_c(text, eppd_journal_text_flag(entry->boosted));
  g_string_append_c(text, '\n');
}

GString *
eppd_journal_text_make(const EppdRestorePlan *plan, const char *boot_id, GHashTable **flags)
{
  GString *text = g_string_new(NULL);
  g_autoptr(GPtrArray) policies = eppd_restore_plan_policies(plan);
  g_autoptr(GPtrArray) settings = eppd_restore_plan_settings(plan);

  *flags = g_hash_table_new(NULL, NULL);
  g_string_append_printf(text, "# What eppd would have to put back.\n[" HEAD_GROUP "]\nBootId=%s\n",
                         boot_id);
  for (guint i = 0; i < settings->len; i++)
    append_setting(text, settings->pdata[i]);
  for (guint i = 0; i < policies->len; i++)
    append_policy(text, policies->pdata[i], *flags);
  return text;
}
