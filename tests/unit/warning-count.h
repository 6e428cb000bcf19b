/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* A log writer that counts eppd's own warnings, which would end the test else. */
static guint n_warnings;

static inline GLogWriterOutput
count_warnings(GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  bool is_ours = false;

  for (gsize i = 0; i < n_fields; i++)
    is_ours = is_ours || g_str_equal(fields[i].key, "EPPD_TOPIC");
  if (!is_ours || level != G_LOG_LEVEL_WARNING)
    return g_log_writer_default(level, fields, n_fields, data);
  n_warnings++;
  return G_LOG_WRITER_HANDLED;
}
