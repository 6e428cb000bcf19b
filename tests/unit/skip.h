/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <unistd.h>

/* Reasons to skip a test, worded as tools/count-tests wants them: else a skip is a failure. */

static inline void
skip_lacking(const char *thing)
{
  g_autofree char *reason = g_strdup_printf("machine lacks: %s", thing);

  g_test_skip(reason);
}

/* @problem is what went wrong, or can't be done: most often so because the user is not root. */
static inline void
skip_lacking_root(const char *problem)
{
  g_autofree char *reason = g_strdup_printf("machine lacks: %s%s%s", geteuid() != 0 ? "root (" : "",
                                            problem, geteuid() != 0 ? ")" : "");

  g_test_skip(reason);
}
