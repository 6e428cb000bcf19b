/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/verb.h"

#include "ctl/output.h"

#include <glib/gi18n.h>
#include <string.h>

/* GOption keeps the "--" where an option-like word follows it. */
static void
drop_separator(int *argc, char **argv)
{
  if (*argc < 2 || strcmp(argv[1], "--") != 0)
    return;
  for (int i = 1; i < *argc; i++)
    argv[i] = argv[i + 1];
  (*argc)--;
}

bool
eppd_verb_parse(const EppdVerbUsage *usage, int *argc, char ***argv)
{
  g_autoptr(GOptionContext) context = g_option_context_new(usage->arguments);
  g_autoptr(GError) error = NULL;
  const char *verb = (*argv)[0];

  g_option_context_set_summary(context, usage->description);
  g_option_context_add_main_entries(context, usage->entries, NULL);
  g_option_context_set_strict_posix(context, usage->n_max < 0);

  if (!g_option_context_parse(context, argc, argv, &error)) {
    eppd_complain(_("%s: %s (see `eppctl %s --help`)"), verb, error->message, verb);
    return false;
  }
  drop_separator(argc, *argv);

  if (*argc - 1 < usage->n_min) {
    eppd_complain(_("%s: %s is missing (see `eppctl %s --help`)"), verb, usage->arguments, verb);
    return false;
  }
  if (usage->n_max >= 0 && *argc - 1 > usage->n_max) {
    eppd_complain(_("%s: unexpected argument «%s» (see `eppctl %s --help`)"), verb,
                  (*argv)[usage->n_max + 1], verb);
    return false;
  }
  return true;
}
