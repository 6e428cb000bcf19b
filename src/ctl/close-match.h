/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* What somebody may have meant by a word that is none: of @words those that hold it or differ from
 * it in few letters, whatever their case; the closest first, @n_max at most. Names in dots (as
 * org.example.Game) are also known by their last part. Ends with NULL; owned by the caller. */
char **eppd_close_matches(const char *given, const char *const *words, guint n_max);
