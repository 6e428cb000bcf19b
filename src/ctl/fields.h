/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* What stands in an a{sv} from the bus. Nothing in it is believed: a missing field, one of another
 * type, and text that would play tricks on a terminal are all fine. */

/* Text is shown up to this many bytes; the daemon's own limit for names is below it. */
#define EPPD_FIELD_TEXT_MAX 1024

/* A string field, safe to print; @fallback if it is missing, empty, or no string. Owned by the
 * caller. */
char *eppd_field_text(GVariant *fields, const char *key, const char *fallback);

/* An u or t field; false, and @value untouched, if there is none. */
bool eppd_field_number(GVariant *fields, const char *key, guint64 *value);

/* A b field; @fallback if it is missing. */
bool eppd_field_flag(GVariant *fields, const char *key, bool fallback);

/* "62 %" of 621 permille, rounded; "?" past 1000. Owned by the caller. */
char *eppd_percent_text(guint64 permille);

/* "250 µs", "3.2 ms", "12.0 s", "5 min", "3 h 07 min", "2 d 04 h". Owned by the caller. */
char *eppd_duration_text(guint64 usec);
