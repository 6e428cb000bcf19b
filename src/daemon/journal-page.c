/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/journal-page.h"

#include "base/log.h"

struct _EppdJournalPage {
  EppdJournal *journal;
  char *policy;
  char *driver;
  bool said_lost; /* that the journal does not take its flag */
};

EppdJournalPage *
eppd_journal_page_new(EppdJournal *journal, const char *policy)
{
  EppdJournalPage *page = g_new0(EppdJournalPage, 1);

  page->journal = journal;
  page->policy = g_strdup(policy);
  return page;
}

void
eppd_journal_page_free(EppdJournalPage *page)
{
  g_free(page->policy);
  g_free(page->driver);
  g_free(page);
}

void
eppd_journal_page_set_driver(EppdJournalPage *page, const char *driver)
{
  if (g_strcmp0(driver, page->driver) == 0)
    return;
  g_free(page->driver);
  page->driver = g_strdup(driver);
}

const char *
eppd_journal_page_driver(const EppdJournalPage *page)
{
  return page->driver;
}

void
eppd_journal_page_note(EppdJournalPage *page, const EppdPolicyState *state)
{
  eppd_journal_set_policy(page->journal, page->policy, page->driver, &state->base.written,
                          &state->boost);
  eppd_journal_set_taken_over(page->journal, page->policy, state->taken_over);
}

void
eppd_journal_page_note_take_over(EppdJournalPage *page,
                                 const EppdPolicyState *state,
                                 const EppdEpp *base)
{
  eppd_journal_set_policy(page->journal, page->policy, page->driver, base, &state->boost);
  eppd_journal_set_taken_over(page->journal, page->policy, true);
}

void
eppd_journal_page_commit(EppdJournalPage *page, const EppdPolicyState *state)
{
  g_autoptr(GError) error = NULL;

  eppd_journal_page_note(page, state);
  if (!eppd_journal_commit(page->journal, &error))
    eppd_warning(page->policy, "%s; ignoring", error->message);
}

bool
eppd_journal_page_flag(EppdJournalPage *page, bool boosted)
{
  g_autoptr(GError) error = NULL;

  if (eppd_journal_set_boosted(page->journal, page->policy, boosted, &error)) {
    page->said_lost = false;
    return true;
  }
  /* Each edge would say it again, for as long as it lasts. */
  eppd_log(page->said_lost ? G_LOG_LEVEL_DEBUG : G_LOG_LEVEL_WARNING, page->policy, "%s; %s",
           error->message, boosted ? "not boosted" : "ignoring, its base EPP is restored");
  page->said_lost = true;
  return false;
}

bool
eppd_journal_page_is_taken_over(const EppdJournalPage *page)
{
  return eppd_journal_is_taken_over(page->journal, page->policy);
}
