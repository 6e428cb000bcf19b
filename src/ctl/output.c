/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/output.h"

#include "base/printable.h"

#include <json-glib/json-glib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Longer than any message with a field in it. */
#define MESSAGE_MAX 4096

void
eppd_complain(const char *format, ...)
{
  g_autofree char *message = NULL;
  g_autofree char *printable = NULL;
  va_list args;

  va_start(args, format);
  message = g_strdup_vprintf(format, args);
  va_end(args);
  printable = eppd_printable(message, MESSAGE_MAX);
  fprintf(stderr, "eppctl: %s\n", printable);
}

int
eppd_fail(const GError *error)
{
  eppd_complain("%s", error->message);
  return EPPD_EXIT_FAILURE;
}

bool
eppd_output_has_colour(void)
{
  const char *no_colour = g_getenv("NO_COLOR");
  const char *terminal = g_getenv("TERM");

  return isatty(STDOUT_FILENO) && !(no_colour && *no_colour) &&
         !(terminal && strcmp(terminal, "dumb") == 0);
}

void
eppd_print_table(const EppdTable *table)
{
  g_autofree char *text = eppd_table_format(table, eppd_output_has_colour());

  fputs(text, stdout);
}

void
eppd_print_json(GVariant *value)
{
  g_autofree char *text = json_gvariant_serialize_data(value, NULL);

  puts(text);
}
