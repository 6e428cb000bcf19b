/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* What was logged since a fixture's set-up, a line each; keep_said() is the log writer. */
static GString *said;

static inline GLogWriterOutput
keep_said(GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  for (gsize i = 0; i < n_fields; i++) {
    if (g_str_equal(fields[i].key, "MESSAGE"))
      g_string_append_printf(said, "%s\n", (const char *)fields[i].value);
  }
  return G_LOG_WRITER_HANDLED;
}
