/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "private-bus.h"

/* org.freedesktop.PolicyKit1.Authority on a test's bus. Its answers are the test's: at once, by the
 * mode, or later and in any order. */
typedef struct _MockPolkit MockPolkit;

typedef enum {
  MOCK_POLKIT_ALLOW,
  MOCK_POLKIT_DENY,
  MOCK_POLKIT_CHALLENGE, /* "after an authentication" */
  MOCK_POLKIT_ERROR,     /* its own: an action that it does not know */
  MOCK_POLKIT_GARBAGE,   /* an answer of a wrong type */
  MOCK_POLKIT_HOLD,      /* none until mock_polkit_answer() */
} MockPolkitMode;

MockPolkit *mock_polkit_new(PrivateBus *bus);
/* Leaves the bus; held questions stay without an answer. */
void mock_polkit_free(MockPolkit *polkit);

void mock_polkit_set_mode(MockPolkit *polkit, MockPolkitMode mode);

/* Runs the main context until @n questions were asked in all. */
void mock_polkit_wait_for(MockPolkit *polkit, guint n);

/* The number of questions so far; each is "KIND NAME ACTION FLAGS", in the order of their coming.
 */
guint mock_polkit_n_questions(MockPolkit *polkit);
const char *mock_polkit_question(MockPolkit *polkit, guint i);

/* Answers the held question @i. */
void mock_polkit_answer(MockPolkit *polkit, guint i, MockPolkitMode answer);

/* Waits until the bus has all that was answered by now. */
void mock_polkit_settle(MockPolkit *polkit);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MockPolkit, mock_polkit_free)
