/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* How the kernel reads what is written into its files. Each returns 0 or an errno, and leaves the
 * value untouched on failure. */

/* kstrtobool(): by the first character, of "on" and "off" the second. */
int sim_parse_bool(const char *text, bool *value);

/* kstrtoull() and its like: digits alone, a plus before and a newline behind. @base 0: "0x" is
 * hexadecimal and "0" octal. EINVAL: no number; ERANGE: past @max. */
int sim_parse_unsigned(const char *text, guint base, guint64 max, guint64 *value);

/* sscanf("%d"): white space before, and anything behind. EINVAL: no number. */
int sim_scan_int(const char *text, int *value);

/* sscanf("%NNs"): the first word, at most @max bytes of it. NULL: there is none. Transfer full. */
char *sim_scan_word(const char *text, gsize max);

/* sysfs_streq(): equal but for a newline behind. */
bool sim_text_equals(const char *text, const char *word);

/* sysfs_match_string(): the place in @words, -1 where it is none of them. */
int sim_match(const char *const *words, gsize n_words, const char *text);
