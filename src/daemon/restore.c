/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/restore.h"

#include "base/error.h"
#include "base/log.h"
#include "base/printable.h"
#include "base/text-file.h"
#include "daemon/journal.h"
#include "hardware/cpufreq-policy.h"

#include <string.h>

#define TOPIC "restore"

typedef enum { OUTCOME_RESTORED, OUTCOME_LEFT_ALONE, OUTCOME_PENDING, OUTCOME_DROPPED } Outcome;

/* Written by the same rules as the journal's. */
static bool
is_same_driver(const EppdRestoreEntry *entry, const char *driver)
{
  g_autofree char *printable = eppd_printable(driver, EPPD_JOURNAL_DRIVER_MAX);

  /* "": it could not be read when the entry was written. */
  return !*entry->driver || strcmp(printable, entry->driver) == 0;
}

static Outcome
pending(const EppdRestoreEntry *entry, const char *why)
{
  eppd_notice(entry->policy, "its EPP can't be put back now: %s; it stays in the journal", why);
  return OUTCOME_PENDING;
}

static Outcome
restore_policy(EppdSysRoot *root, const EppdRestoreEntry *entry)
{
  g_autoptr(EppdCpufreqPolicy) policy = eppd_cpufreq_policy_new(root, entry->number);
  const char *driver = eppd_cpufreq_policy_driver(policy);
  g_autoptr(GError) read_error = NULL;
  g_autoptr(GError) write_error = NULL;
  const EppdEpp dynamic = eppd_epp_named(EPPD_EPP_DYNAMIC);
  const EppdEpp *before = entry->taken_over ? &dynamic : &entry->base;
  char buffer[EPPD_EPP_TEXT_SIZE];
  EppdEpp found;

  if (driver && !is_same_driver(entry, driver)) {
    eppd_info(entry->policy, "its driver is %s now, not %s: nothing to put back", driver,
              entry->driver);
    return OUTCOME_DROPPED;
  }
  if (!driver || !eppd_cpufreq_policy_is_online(policy))
    return pending(entry, "it is offline");

  found = eppd_cpufreq_policy_read_epp(policy, &read_error);
  if (!eppd_restore_entry_is_ours(entry, &found,
                                  g_error_matches(read_error, EPPD_ERROR, EPPD_ERROR_INVALID))) {
    if (read_error)
      return pending(entry, read_error->message);
    eppd_info(entry->policy, "its EPP is %s by another's hand: left alone",
              eppd_epp_text(&found, buffer));
    return OUTCOME_LEFT_ALONE;
  }
  if (!eppd_cpufreq_policy_write_epp(policy, before, &write_error))
    return pending(entry, write_error->message);
  eppd_notice(entry->policy, "its EPP is %s again", eppd_epp_text(before, buffer));
  return OUTCOME_RESTORED;
}

static Outcome
restore_file(EppdSysRoot *root, const EppdRestoreSetting *entry)
{
  g_autofree char *path = eppd_sys_root_path(root, "%s", entry->path);
  g_autoptr(GError) error = NULL;
  g_autofree char *text = eppd_text_file_read_line(path, &error);

  if (text && strcmp(text, entry->ours) != 0)
    return OUTCOME_LEFT_ALONE;
  if (!text || !eppd_text_file_write(path, entry->found, &error)) {
    eppd_notice(TOPIC, "%s; it stays in the journal", error->message);
    return OUTCOME_PENDING;
  }
  eppd_notice(TOPIC, "%s is %s again", path, entry->found);
  return OUTCOME_RESTORED;
}

static void
count(EppdRestoreResult *result, Outcome outcome)
{
  if (outcome == OUTCOME_RESTORED)
    result->restored++;
  else if (outcome == OUTCOME_LEFT_ALONE)
    result->left_alone++;
  else if (outcome == OUTCOME_PENDING)
    result->pending++;
}

static void
restore_policies(EppdSysRoot *root, EppdJournal *journal, EppdRestoreResult *result)
{
  g_autoptr(GPtrArray) entries = eppd_journal_policies(journal);

  for (guint i = 0; i < entries->len; i++) {
    const EppdRestoreEntry *entry = entries->pdata[i];
    Outcome outcome = restore_policy(root, entry);

    count(result, outcome);
    if (outcome != OUTCOME_PENDING)
      eppd_journal_forget_policy(journal, entry->policy);
  }
}

static void
restore_files(EppdSysRoot *root, EppdJournal *journal, EppdRestoreResult *result)
{
  g_autoptr(GPtrArray) entries = eppd_journal_files(journal);

  for (guint i = 0; i < entries->len; i++) {
    const EppdRestoreSetting *entry = entries->pdata[i];
    Outcome outcome = restore_file(root, entry);

    count(result, outcome);
    if (outcome != OUTCOME_PENDING)
      eppd_journal_forget_file(journal, entry->path);
  }
}

EppdRestoreResult
eppd_restore(EppdSysRoot *root, const char *runtime_dir)
{
  g_autoptr(EppdJournal) journal = eppd_journal_load(root, runtime_dir);
  EppdRestoreResult result = {0};
  g_autoptr(GError) error = NULL;

  /* The policies first: dynamic EPP, once it is back, refuses their writes. */
  restore_policies(root, journal, &result);
  restore_files(root, journal, &result);
  if (!eppd_journal_clear(journal, &error))
    eppd_warning(TOPIC, "%s; ignoring", error->message);
  return result;
}
