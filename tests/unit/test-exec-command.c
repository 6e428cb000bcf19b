/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/exec-command.h"

#include "scratch.h"

static const struct {
  const char *exec;
  const char *command; /* joined by |; NULL: none */
} execs[] = {
    {"game", "game"},
    {"/usr/games/game --full %U", "/usr/games/game|--full"},
    {"env A=b C=d game -x", "game|-x"},
    {"gamemoderun /opt/game/run.sh", "/opt/game/run.sh"},
    {"\"/opt/a game/run\" \"one word\"", "/opt/a game/run|one word"},
    {"python3 /opt/game/main.py", "python3|/opt/game/main.py"},
    {"python3.11", NULL}, /* whatever else it runs */
    {"sh", NULL},
    {"steam steam://rungameid/570", NULL},
    {"flatpak run org.example.Game", NULL},
    {"\"no end", NULL},
    {"", NULL},
};

static void
test_of_exec(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(execs); i++) {
    g_auto(GStrv) command = eppd_exec_command_of_exec(execs[i].exec);
    g_autofree char *text = command ? g_strjoinv("|", command) : NULL;

    g_test_message("%s", execs[i].exec);
    g_assert_cmpstr(text, ==, execs[i].command);
  }
}

static const struct {
  const char *command;
  const char *argv;
  bool matches;
} matches[] = {
    {"game", "game", true},
    {"game", "game|--more", true},
    {"game", "/usr/games/game", true},
    {"/usr/games/game", "game", true},
    {"/usr/games/game", "/usr/games/game", true},
    {"/usr/games/game", "/opt/game", false},
    {"game", "game2", false},
    {"game", "", false},
    {"game|--full", "game", false},
    {"game|--full", "game|--full|x", true},
    {"game|--full", "game|x|--full", false},
    {"/opt/run.sh", "/bin/sh|/opt/run.sh", true},
    {"/opt/run.sh|-x", "/usr/bin/python3|-u|/opt/run.sh|-x", true},
    {"run.sh", "/bin/sh|/opt/run.sh", true},
    {"game", "grep|game", false}, /* a bare word behind a program is none */
    {"/opt/game", "cat|a|b|/opt/game", false},
};

static void
test_matches(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(matches); i++) {
    g_auto(GStrv) command = g_strsplit(matches[i].command, "|", -1);
    g_auto(GStrv) argv = g_strsplit(matches[i].argv, "|", -1);

    g_test_message("%s ? %s", matches[i].command, matches[i].argv);
    g_assert_cmpint(
        eppd_exec_command_matches((const char *const *)command, (const char *const *)argv), ==,
        matches[i].matches);
  }
}

static void
test_file(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *script = scratch_path(dir, "script.py");
  g_autofree char *missing = scratch_path(dir, "missing");
  g_autofree char *cat = g_find_program_in_path("cat");
  const struct {
    const char *command[4];
    const char *file;
  } cases[] = {
      {{"cat", "x"}, cat},
      {{script}, script},
      {{missing}, NULL},
      {{dir}, NULL},
      {{"no-such-program-at-all"}, NULL},
      {{"python3", script}, script},
      {{"/usr/bin/python3.11", "-u", script}, script},
      {{"python3", "-m", "game"}, NULL},
      {{"sh", "-c", "true"}, NULL},
      {{"wine", missing}, NULL},
      {{"python3", "-u"}, NULL},
  };

  scratch_write(dir, "script.py", "");
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *file = eppd_exec_command_file(cases[i].command);

    g_test_message("%s", cases[i].command[0]);
    g_assert_cmpstr(file, ==, cases[i].file);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/exec-command/of-exec", test_of_exec);
  g_test_add_func("/exec-command/matches", test_matches);
  g_test_add_func("/exec-command/file", test_file);
  return g_test_run();
}
