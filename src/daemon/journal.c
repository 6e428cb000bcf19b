/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/journal.h"

#include "base/error.h"
#include "base/log.h"
#include "base/printable.h"
#include "base/text-file.h"
#include "daemon/flag-file.h"
#include "daemon/journal-text.h"
#include "hardware/amd-pstate.h"
#include "hardware/cpufreq-policy.h"

#include <string.h>

#define TOPIC       "journal"
#define BOOT_ID_MAX 128

struct _EppdJournal {
  EppdFlagFile *file;
  char *boot_id;
  EppdRestorePlan *plan;
  GHashTable *flags; /* a policy's number → the place of its flag in the file */
};

typedef struct {
  guint count;
  guint first_line;
} BadLines;

static void
on_bad_line(const char *path, guint line, const char *text, const char *why, gpointer data)
{
  BadLines *bad = data;

  if (bad->count++ == 0)
    bad->first_line = line;
}

static void
read_journal(EppdJournal *journal)
{
  const char *path = eppd_flag_file_path(journal->file);
  BadLines bad = {0};
  g_autoptr(GError) error = NULL;
  g_autoptr(EppdKeyFile) file = eppd_key_file_load(path, on_bad_line, &bad, &error);

  if (!file) {
    if (!g_error_matches(error, EPPD_ERROR, EPPD_ERROR_GONE))
      eppd_warning(TOPIC, "%s; ignoring", error->message);
    return;
  }
  if (bad.count > 0)
    eppd_warning(TOPIC, "%s:%u: %u lines make no sense, this the first; ignoring", path,
                 bad.first_line, bad.count);
  if (!eppd_journal_text_read(file, journal->boot_id, journal->plan))
    eppd_info(TOPIC, "%s is of another boot; ignoring", path);
}

static char *
read_boot_id(EppdSysRoot *root)
{
  g_autofree char *path = eppd_sys_root_path(root, "/proc/sys/kernel/random/boot_id");
  g_autofree char *text = eppd_text_file_read_line(path, NULL);

  return eppd_printable(text, BOOT_ID_MAX);
}

EppdJournal *
eppd_journal_load(EppdSysRoot *root, const char *runtime_dir)
{
  EppdJournal *journal = g_new0(EppdJournal, 1);
  g_autofree char *path = g_build_filename(runtime_dir, "restore.ini", NULL);

  journal->file = eppd_flag_file_new(path);
  journal->boot_id = read_boot_id(root);
  journal->plan = eppd_restore_plan_new();
  journal->flags = g_hash_table_new(NULL, NULL);
  read_journal(journal);
  return journal;
}

gboolean
eppd_journal_commit(EppdJournal *journal, GError **error)
{
  g_autoptr(GHashTable) flags = NULL;
  GString *text;
  gboolean ok;

  if (!eppd_restore_plan_is_changed(journal->plan))
    return TRUE;
  text = eppd_journal_text_make(journal->plan, journal->boot_id, &flags);
  ok = eppd_flag_file_replace(journal->file, text, error);
  g_string_free(text, TRUE);
  if (!ok)
    return FALSE;
  g_hash_table_unref(journal->flags);
  journal->flags = g_steal_pointer(&flags);
  eppd_restore_plan_note_saved(journal->plan);
  return TRUE;
}

void
eppd_journal_free(EppdJournal *journal)
{
  eppd_flag_file_free(journal->file);
  eppd_restore_plan_free(journal->plan);
  g_hash_table_unref(journal->flags);
  g_free(journal->boot_id);
  g_free(journal);
}

static void
set_driver(EppdJournal *journal, EppdRestoreEntry *entry, const char *driver)
{
  g_autofree char *printable = NULL;

  /* The usual case, a call for each policy and profile: a driver's name is plain text. */
  if (g_strcmp0(entry->driver, driver) == 0)
    return;
  printable = eppd_printable(driver, EPPD_JOURNAL_DRIVER_MAX);
  eppd_restore_plan_set_driver(journal->plan, entry, printable);
}

void
eppd_journal_set_policy(EppdJournal *journal,
                        const char *policy,
                        const char *driver,
                        const EppdEpp *base,
                        const EppdEppTwin *boost)
{
  EppdRestoreEntry *entry = eppd_restore_plan_find(journal->plan, policy);
  guint number;

  if (!entry && eppd_cpufreq_policy_parse_name(policy, &number))
    entry = eppd_restore_plan_entry(journal->plan, policy, number);
  if (!entry)
    return;
  set_driver(journal, entry, driver);
  eppd_restore_plan_set_epp(journal->plan, entry, base, boost);
}

void
eppd_journal_set_taken_over(EppdJournal *journal, const char *policy, bool taken_over)
{
  EppdRestoreEntry *entry = eppd_restore_plan_find(journal->plan, policy);

  if (entry)
    eppd_restore_plan_set_taken_over(journal->plan, entry, taken_over);
}

bool
eppd_journal_is_taken_over(const EppdJournal *journal, const char *policy)
{
  const EppdRestoreEntry *entry = eppd_restore_plan_find(journal->plan, policy);

  return entry && entry->taken_over;
}

gboolean
eppd_journal_set_file(
    EppdJournal *journal, const char *path, const char *found, const char *ours, GError **error)
{
  const EppdRestoreSetting *setting = eppd_restore_plan_setting(journal->plan, path);
  const char *known_found = setting ? setting->found : eppd_amd_pstate_known_value(path, found);
  const char *known_ours = eppd_amd_pstate_known_value(path, ours);

  if (!found) {
    eppd_restore_plan_forget_setting(journal->plan, path);
  } else if (!known_found || !known_ours) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "%s: '%s' or '%s' is not ours to write",
                path, found, ours ? ours : "");
    return FALSE;
  } else {
    eppd_restore_plan_set_setting(journal->plan, path, known_found, known_ours);
  }
  return eppd_journal_commit(journal, error);
}

/* In the file as it is, which may know another base than the plan does by now. */
static gboolean
flip_flag(EppdJournal *journal, const EppdRestoreEntry *entry, GError **error)
{
  gpointer offset = g_hash_table_lookup(journal->flags, GUINT_TO_POINTER(entry->number));

  /* The file never knew it: it is in the next one. */
  return !offset || eppd_flag_file_set(journal->file, (goffset)GPOINTER_TO_SIZE(offset),
                                       eppd_journal_text_flag(entry->boosted), error);
}

static gboolean
write_flag(EppdJournal *journal, const EppdRestoreEntry *entry, GError **error)
{
  if (!eppd_restore_plan_is_changed(journal->plan)) {
    if (flip_flag(journal, entry, error))
      return TRUE;
    eppd_restore_plan_note_lost(journal->plan);
    return FALSE;
  }
  if (eppd_journal_commit(journal, error))
    return TRUE;
  /* A flag that stays would have another's value restored over. */
  if (!entry->boosted)
    flip_flag(journal, entry, NULL);
  return FALSE;
}

gboolean
eppd_journal_set_boosted(EppdJournal *journal, const char *policy, bool boosted, GError **error)
{
  EppdRestoreEntry *entry = eppd_restore_plan_find(journal->plan, policy);
  bool was_boosted = entry && entry->boosted;

  if (!entry) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "The journal knows no %s", policy);
    return FALSE;
  }
  eppd_restore_plan_set_boosted(journal->plan, entry, boosted);
  if (boosted == was_boosted)
    return !boosted || eppd_journal_commit(journal, error);

  /* Another may have tidied up; a start would find nothing. */
  if (boosted && eppd_flag_file_is_removed(journal->file))
    eppd_restore_plan_note_lost(journal->plan);
  if (write_flag(journal, entry, error))
    return TRUE;
  if (boosted)
    eppd_restore_plan_set_boosted(journal->plan, entry, false);
  return FALSE;
}

gboolean
eppd_journal_clear(EppdJournal *journal, GError **error)
{
  eppd_restore_plan_keep_due(journal->plan);
  eppd_restore_plan_note_lost(journal->plan);
  if (!eppd_restore_plan_is_empty(journal->plan))
    return eppd_journal_commit(journal, error);
  g_hash_table_remove_all(journal->flags);
  return eppd_flag_file_remove(journal->file, error);
}

bool
eppd_journal_has_policies(const EppdJournal *journal)
{
  return eppd_restore_plan_has_due(journal->plan);
}

GPtrArray *
eppd_journal_policies(EppdJournal *journal)
{
  g_autoptr(GPtrArray) policies = eppd_restore_plan_policies(journal->plan);
  GPtrArray *due = g_ptr_array_new();

  for (guint i = 0; i < policies->len; i++) {
    if (eppd_restore_entry_is_due(policies->pdata[i]))
      g_ptr_array_add(due, policies->pdata[i]);
  }
  return due;
}

GPtrArray *
eppd_journal_files(EppdJournal *journal)
{
  return eppd_restore_plan_settings(journal->plan);
}

void
eppd_journal_forget_policy(EppdJournal *journal, const char *policy)
{
  eppd_restore_plan_forget(journal->plan, policy);
}

void
eppd_journal_forget_file(EppdJournal *journal, const char *path)
{
  eppd_restore_plan_forget_setting(journal->plan, path);
}
