/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/output.h"
#include "ctl/profile-verbs.h"
#include "ctl/verb.h"

#include "build-config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEXT_DOMAIN "eppd"

static const struct {
  const char *name;
  const char *summary;
  EppdVerbFunc run;
} verbs[] = {
    {"status", N_("Show the boost, the profile and each policy"), eppd_verb_status},
    {"top", N_("Watch the policies live"), eppd_verb_top},
    {"explain", N_("Say why a CPU's EPP is what it is"), eppd_verb_explain},
    {"run", N_("Run a command with the boost held"), eppd_verb_run},
    {"game", N_("Opt games in and out, and say why"), eppd_verb_game},
    {"holds", N_("List who holds the boost"), eppd_verb_holds},
    {"stats", N_("Show the daemon's counters"), eppd_verb_stats},
    {"reload", N_("Let the daemon read its configuration again"), eppd_verb_reload},
};

static void
print_help(void)
{
  fputs(_("Usage: eppctl VERB [OPTION...]\n"
          "       eppctl --help | --version\n"
          "\n"
          "Verbs:\n"),
        stdout);
  for (guint i = 0; i < G_N_ELEMENTS(verbs); i++)
    printf("  %-9s %s\n", verbs[i].name, _(verbs[i].summary));
  fputs(_("\n"
          "Verbs of powerprofilesctl, with its output and options:\n"),
        stdout);
  eppd_profile_verbs_print(stdout);
  fputs(_("\n"
          "`eppctl VERB --help` shows the options of a verb; no verb: `list`.\n"
          "Exit code: 0; 1 when it failed; 2 for a wrong command line; `run`, `launch`: the "
          "command's.\n"),
        stdout);
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
  eppd_complain(_("there is no verb «%s» (see `eppctl --help`)"), argv[0]);
  return EPPD_EXIT_USAGE;
}

static int
dispatch(int argc, char **argv)
{
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    print_help();
    return EPPD_EXIT_OK;
  }
  if (strcmp(argv[1], "--version") == 0) {
    puts("eppctl " EPPD_VERSION);
    return EPPD_EXIT_OK;
  }
  return run_verb(argc - 1, argv + 1);
}

static int
dispatch_in_locale(int argc, char **argv)
{
  setlocale(LC_ALL, "");
  bindtextdomain(TEXT_DOMAIN, EPPD_LOCALE_DIR);
  bind_textdomain_codeset(TEXT_DOMAIN, "UTF-8");
  textdomain(TEXT_DOMAIN);
  return dispatch(argc, argv);
}

/* What is opened while one of them is closed gets its number: a message for a person would go to
 * the daemon. Reading and writing fail as before, and a command does not get what stands in. */
static void
keep_standard_streams(void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    int mode = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", mode | O_CLOEXEC) < 0)
      return;
  }
}

int
main(int argc, char **argv)
{
  int code;

  keep_standard_streams();
  /* Scripts read what powerprofilesctl's verbs print: no locale. */
  if (eppd_profile_verbs_want(argc, argv))
    code = eppd_profile_verbs_run(argc, argv);
  else
    code = dispatch_in_locale(argc, argv);

  /* A full disk must not look like success; a reader that left is no news. */
  if ((fflush(stdout) != 0 || ferror(stdout)) && code == EPPD_EXIT_OK) {
    if (errno != EPIPE)
      eppd_complain(_("the output could not be written: %s"), g_strerror(errno));
    code = EPPD_EXIT_FAILURE;
  }
  return code;
}
