/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* A copy of @text that is safe on a terminal and in a log: valid UTF-8, cut at @max_bytes at a
 * character boundary (of the text, before escaping), control and other non-printable characters and
 * invalid bytes escaped as \xNN or \u{NNNN}. NULL gives "". Never fails; owned by the caller. */
char *eppd_printable(const char *text, gsize max_bytes);

/* Names and reasons that others give are kept and shown to people: more bytes than this are none.
 */
#define EPPD_GIVEN_TEXT_MAX 256

/* A copy of @text cut to at most @max_bytes at a character boundary, invalid bytes replaced by
 * U+FFFD; not escaped. For text that is kept and handed on. */
char *eppd_utf8_cut(const char *text, gsize max_bytes);
