/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/output.h"
#include "ctl/verb.h"

#include "build-config.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name;
  const char *summary;
  EppdVerbFunc run;
} verbs[] = {
    {"status", "Show the boost, the profile and each policy", eppd_verb_status},
    {"top", "Watch the policies live", eppd_verb_top},
    {"explain", "Say why a CPU's EPP is what it is", eppd_verb_explain},
    {"run", "Run a command with the boost held", eppd_verb_run},
    {"holds", "List who holds the boost", eppd_verb_holds},
    {"stats", "Show the daemon's counters", eppd_verb_stats},
    {"reload", "Let the daemon read its configuration again", eppd_verb_reload},
};

static void
print_help(FILE *stream)
{
  fputs("Usage: eppctl VERB [OPTION...]\n"
        "       eppctl --help | --version\n"
        "\n"
        "Verbs:\n",
        stream);
  for (guint i = 0; i < G_N_ELEMENTS(verbs); i++)
    fprintf(stream, "  %-9s %s\n", verbs[i].name, verbs[i].summary);
  fputs("\n"
        "`eppctl VERB --help` shows the options of a verb.\n"
        "Exit code: 0; 1 when it failed; 2 for a wrong command line; `run`: the command's.\n",
        stream);
}

static int
run_verb(int argc, char **argv)
{
  g_autofree char *name = NULL;

  for (guint i = 0; i < G_N_ELEMENTS(verbs); i++) {
    if (strcmp(verbs[i].name, argv[0]) == 0) {
      name = g_strconcat("eppctl ", verbs[i].name, NULL);
      g_set_prgname(name);
      return verbs[i].run(argc, argv);
    }
  }
  eppd_complain("there is no verb «%s» (see `eppctl --help`)", argv[0]);
  return EPPD_EXIT_USAGE;
}

static int
dispatch(int argc, char **argv)
{
  if (argc < 2) {
    print_help(stderr);
    return EPPD_EXIT_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    print_help(stdout);
    return EPPD_EXIT_OK;
  }
  if (strcmp(argv[1], "--version") == 0) {
    puts("eppctl " EPPD_VERSION);
    return EPPD_EXIT_OK;
  }
  return run_verb(argc - 1, argv + 1);
}

int
main(int argc, char **argv)
{
  int code;

  setlocale(LC_ALL, "");
  code = dispatch(argc, argv);

  /* A full disk must not look like success; a reader that left is no news. */
  if ((fflush(stdout) != 0 || ferror(stdout)) && code == EPPD_EXIT_OK) {
    if (errno != EPIPE)
      eppd_complain("the output could not be written: %s", g_strerror(errno));
    code = EPPD_EXIT_FAILURE;
  }
  return code;
}
