/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/agent.h"
#include "base/log.h"

#include "build-config.h"

#include <glib.h>
#include <locale.h>
#include <malloc.h>
#include <stdlib.h>

typedef struct {
  gboolean version;
  guint verbosity;
  char *config;
} Arguments;

static gboolean
on_verbose(const char *name, const char *value, gpointer data, GError **error)
{
  Arguments *arguments = data;

  arguments->verbosity++;
  return TRUE;
}

static gboolean
parse(Arguments *arguments, int *argc, char ***argv, GError **error)
{
  GOptionEntry entries[] = {{"config", 0, 0, G_OPTION_ARG_FILENAME, &arguments->config,
                             "Read FILE instead of the configuration's usual places", "FILE"},
                            {"verbose", 'v', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK,
                             on_verbose, "Say more; twice: for debugging", NULL},
                            {"version", 0, 0, G_OPTION_ARG_NONE, &arguments->version,
                             "Print the version, and exit", NULL},
                            {NULL}};
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  GOptionGroup *group = g_option_group_new("eppd-agent", "", "", arguments, NULL);

  g_option_group_add_entries(group, entries);
  g_option_context_set_main_group(context, group);
  g_option_context_set_summary(context,
                               "Holds eppd's boost while a game runs that its user has opted in.");
  if (!g_option_context_parse(context, argc, argv, error))
    return FALSE;
  if (*argc > 1) {
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "Unexpected argument '%s'",
                (*argv)[1]);
    return FALSE;
  }
  return TRUE;
}

int
main(int argc, char **argv)
{
  Arguments arguments = {0};
  g_autoptr(GError) error = NULL;
  int status = EXIT_SUCCESS;

  /* It allocates little: an arena a thread would cost more than it ever gives. */
  mallopt(M_ARENA_MAX, 1);
  setlocale(LC_ALL, "");
  if (!parse(&arguments, &argc, &argv, &error)) {
    g_printerr("eppd-agent: %s\n", error->message);
    status = 2;
  } else if (arguments.version) {
    g_print("eppd-agent %s\n", EPPD_VERSION);
  } else {
    eppd_log_init(arguments.verbosity);
    status = eppd_agent_run(arguments.config);
  }
  g_free(arguments.config);
  return status;
}
