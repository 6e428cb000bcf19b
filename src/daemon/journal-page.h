/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/journal.h"
#include "policy/policy-state.h"

/* One policy's entry in the journal, kept by what its state says. A journal that can't be written
 * stops nothing: it is logged, and a crash would leave the EPP to the user. */
typedef struct _EppdJournalPage EppdJournalPage;

/* Borrows @journal. */
EppdJournalPage *eppd_journal_page_new(EppdJournal *journal, const char *policy);
void eppd_journal_page_free(EppdJournalPage *page);

/* @driver may be NULL: not known. */
void eppd_journal_page_set_driver(EppdJournalPage *page, const char *driver);
const char *eppd_journal_page_driver(const EppdJournalPage *page);

/* Base, boost and take-over; not committed. */
void eppd_journal_page_note(EppdJournalPage *page, const EppdPolicyState *state);
/* The same before a take-over: that @base will be written over dynamic. */
void eppd_journal_page_note_take_over(EppdJournalPage *page,
                                      const EppdPolicyState *state,
                                      const EppdEpp *base);
void eppd_journal_page_commit(EppdJournalPage *page, const EppdPolicyState *state);

/* Before the boost is written: true; after the base is: false. Says once why it failed, and then no
 * boost may be written. */
bool eppd_journal_page_flag(EppdJournalPage *page, bool boosted);

/* Whether a daemon before us took it over. */
bool eppd_journal_page_is_taken_over(const EppdJournalPage *page);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdJournalPage, eppd_journal_page_free)
