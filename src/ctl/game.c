/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/game.h"

#include "ctl/output.h"

#include <string.h>

static const struct {
  const char *name;
  const char *summary;
  EppdVerbFunc run;
} verbs[] = {
    {"list", N_("List the games, and whether they are opted in"), eppd_game_list},
    {"enable", N_("Opt a game in"), eppd_game_enable},
    {"disable", N_("Opt a game out"), eppd_game_disable},
    {"why", N_("Say why a game is or is not boosted"), eppd_game_why},
};

const char *
eppd_game_agent_hint(void)
{
  return _("eppd-agent does not run, so that nobody notices when a game starts: "
           "`systemctl --user enable --now eppd-agent`");
}

static char *
describe(void)
{
  GString *text = g_string_new(_("Opts games in and out by their desktop entries."));

  g_string_append_printf(text, "\n\n%s", _("Verbs:"));
  for (guint i = 0; i < G_N_ELEMENTS(verbs); i++)
    g_string_append_printf(text, "\n  %-9s %s", verbs[i].name, _(verbs[i].summary));
  return g_string_free(text, FALSE);
}

static int
run_verb(int argc, char **argv)
{
  for (guint i = 0; i < G_N_ELEMENTS(verbs); i++) {
    if (strcmp(verbs[i].name, argv[0]) == 0) {
      g_autofree char *name = g_strconcat("game ", verbs[i].name, NULL);
      g_autofree char *program = g_strconcat("eppctl ", name, NULL);

      g_set_prgname(program);
      argv[0] = name;
      return verbs[i].run(argc, argv);
    }
  }
  eppd_complain(_("game: there is no verb «%s» (see `eppctl game --help`)"), argv[0]);
  return EPPD_EXIT_USAGE;
}

int
eppd_verb_game(int argc, char **argv)
{
  g_autofree char *description = describe();
  const GOptionEntry entries[] = {{NULL}};
  const EppdVerbUsage usage = {entries, "VERB...", description, 1, -1};

  if (!eppd_verb_parse(&usage, &argc, &argv))
    return EPPD_EXIT_USAGE;
  return run_verb(argc - 1, argv + 1);
}
