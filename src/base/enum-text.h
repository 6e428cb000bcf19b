/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* One table for an enum's text, both ways. @texts is indexed by the enum's value; its length is
 * @n_texts. */

/* Finds @text (exact, case-sensitive) and sets @value; false, and @value untouched, if it is not
 * there or @text is NULL. */
bool eppd_enum_text_parse(const char *const *texts, guint n_texts, const char *text, int *value);

/* The text of @value; "unknown" for one that is out of range. Never NULL. */
const char *eppd_enum_text(const char *const *texts, guint n_texts, int value);
