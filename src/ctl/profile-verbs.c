/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/profile-verbs.h"

#include "ctl/output.h"
#include "ctl/verb.h"

#include "base/printable.h"

#include <glib/gi18n.h>
#include <string.h>

#define OTHER_NAME "powerprofilesctl"

/* Longer than any verb. */
#define WORD_MAX 1024

static const struct {
  const char *name;
  const char *summary;
  EppdVerbFunc run;
} verbs[] = {
    {"list", N_("List the profiles (also without a verb)"), eppd_verb_profile_list},
    {"list-holds", N_("List who holds which profile"), eppd_verb_profile_list_holds},
    {"list-actions", N_("List what is done with a change of profile"),
     eppd_verb_profile_list_actions},
    {"get", N_("Print the active profile"), eppd_verb_profile_get},
    {"set", N_("Choose the active profile"), eppd_verb_profile_set},
    {"configure-action", N_("Turn an action on or off"), eppd_verb_profile_configure_action},
    {"configure-battery-aware", N_("Turn on or off that the profiles follow the power source"),
     eppd_verb_profile_configure_battery_aware},
    {"query-battery-aware", N_("Print whether they do"), eppd_verb_profile_query_battery_aware},
    {"launch", N_("Run a command with a profile held"), eppd_verb_profile_launch},
    {"version", N_("Print the versions of both sides"), eppd_verb_profile_version},
};

static EppdVerbFunc
find_verb(const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS(verbs); i++) {
    if (strcmp(verbs[i].name, name) == 0)
      return verbs[i].run;
  }
  return NULL;
}

static bool
is_called_by_other_name(const char *path)
{
  g_autofree char *name = g_path_get_basename(path);

  return strcmp(name, OTHER_NAME) == 0;
}

static int
run_verb(EppdVerbFunc run, const char *program, int argc, char **argv)
{
  g_autofree char *name = g_strconcat(program, " ", argv[0], NULL);

  g_set_prgname(name);
  return run(argc, argv);
}

static char *
usage_line(void)
{
  g_autoptr(GString) text = g_string_new("usage: " OTHER_NAME " [-h] {");

  for (guint i = 0; i < G_N_ELEMENTS(verbs); i++)
    g_string_append_printf(text, "%s%s", i > 0 ? "," : "", verbs[i].name);
  g_string_append(text, "} ...\n");
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static int
print_help(void)
{
  g_autofree char *usage = usage_line();

  printf("%s\nverbs:\n", usage);
  eppd_profile_verbs_print(stdout);
  fputs("\n`" OTHER_NAME " VERB --help` shows the options of a verb.\n", stdout);
  return EPPD_EXIT_OK;
}

static int
refuse(const char *word)
{
  g_autofree char *usage = usage_line();
  g_autofree char *printable = eppd_printable(word, WORD_MAX);

  if (*word == '-')
    fprintf(stderr, "%s%s: error: unrecognized arguments: %s\n", usage, OTHER_NAME, printable);
  else
    fprintf(stderr, "%s%s: error: argument command: invalid choice: '%s'\n", usage, OTHER_NAME,
            printable);
  return EPPD_EXIT_USAGE;
}

bool
eppd_profile_verbs_want(int argc, char **argv)
{
  return argc < 2 || find_verb(argv[1]) || is_called_by_other_name(argv[0]);
}

int
eppd_profile_verbs_run(int argc, char **argv)
{
  const char *program = argc > 0 && is_called_by_other_name(argv[0]) ? OTHER_NAME : "eppctl";
  char *list_argv[] = {(char *)"list", NULL};
  EppdVerbFunc run;

  if (argc < 2)
    return run_verb(eppd_verb_profile_list, program, 1, list_argv);
  run = find_verb(argv[1]);
  if (run)
    return run_verb(run, program, argc - 1, argv + 1);
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
    return print_help();
  /* Older versions have it. */
  if (strcmp(argv[1], "--version") == 0 && argc == 2) {
    argv[1] = (char *)"version";
    return run_verb(eppd_verb_profile_version, program, 1, argv + 1);
  }
  return refuse(argv[1]);
}

void
eppd_profile_verbs_print(FILE *stream)
{
  for (guint i = 0; i < G_N_ELEMENTS(verbs); i++)
    fprintf(stream, "  %-23s %s\n", verbs[i].name, _(verbs[i].summary));
}
