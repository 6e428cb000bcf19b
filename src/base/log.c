/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log.h"

#include "base/printable.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static GLogLevelFlags lowest_level = G_LOG_LEVEL_MESSAGE;

void
eppd_log(GLogLevelFlags level, const char *topic, const char *format, ...)
{
  g_autofree char *text = NULL;
  g_autofree char *safe = NULL;
  va_list args;

  /* GLib's levels grow from error to debug: a larger one says less. */
  if (level > lowest_level)
    return;

  va_start(args, format);
  text = g_strdup_vprintf(format, args);
  va_end(args);

  /* Half of what is logged came from files, the bus or the command line. */
  safe = eppd_printable(text, 2000);
  g_log_structured("eppd", level, "EPPD_TOPIC", topic, "MESSAGE", "%s: %s", topic, safe);
}

static const char *
level_word(GLogLevelFlags level)
{
  if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL))
    return "critical";
  if (level & G_LOG_LEVEL_WARNING)
    return "warning";
  if (level & G_LOG_LEVEL_DEBUG)
    return "debug";
  return "info";
}

static GLogWriterOutput
write_line(GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  const char *message = "";
  const char *domain = "";

  /* Other libraries' chatter (GLib-GIO at debug level) only when it is serious. */
  for (gsize i = 0; i < n_fields; i++) {
    if (strcmp(fields[i].key, "MESSAGE") == 0)
      message = fields[i].value;
    else if (strcmp(fields[i].key, "GLIB_DOMAIN") == 0)
      domain = fields[i].value;
  }
  if (strcmp(domain, "eppd") != 0 && (level & G_LOG_LEVEL_MASK) > G_LOG_LEVEL_WARNING)
    return G_LOG_WRITER_HANDLED;

  if (g_log_writer_is_journald(STDOUT_FILENO) &&
      g_log_writer_journald(level, fields, n_fields, data) == G_LOG_WRITER_HANDLED)
    return G_LOG_WRITER_HANDLED;

  printf("%s: %s\n", level_word(level), message);
  fflush(stdout);
  return G_LOG_WRITER_HANDLED;
}

void
eppd_log_init(guint verbosity)
{
  lowest_level = verbosity >= 2   ? G_LOG_LEVEL_DEBUG
                 : verbosity == 1 ? G_LOG_LEVEL_INFO
                                  : G_LOG_LEVEL_MESSAGE;
  g_log_set_writer_func(write_line, NULL, NULL);
}
