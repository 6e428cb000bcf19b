/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/exec-command.h"

#include "games/exec-line.h"

#include <string.h>

/* Words of an interpreter that may stand before a script. */
#define INTERPRETER_WORDS 2

/* Programs that are run for much else. A version may follow: python3.11. */
static const char *const interpreters[] = {
    "bash", "dash", "fish",   "java", "love", "lua",  "mono",   "node",
    "perl", "php",  "python", "ruby", "sh",   "wine", "wine64", "zsh",
};

static const char *
base_name(const char *program)
{
  const char *slash = strrchr(program, '/');

  return slash ? slash + 1 : program;
}

static bool
is_interpreter(const char *program)
{
  const char *name = base_name(program);

  for (guint i = 0; i < G_N_ELEMENTS(interpreters); i++) {
    gsize length = strlen(interpreters[i]);

    if (strncmp(name, interpreters[i], length) == 0 &&
        strspn(name + length, G_CSET_DIGITS ".") == strlen(name + length))
      return true;
  }
  return false;
}

/* A bare name is found on the PATH, whichever path it is then. */
static bool
is_same_program(const char *a, const char *b)
{
  if (strchr(a, '/') && strchr(b, '/'))
    return strcmp(a, b) == 0;
  return strcmp(base_name(a), base_name(b)) == 0;
}

char **
eppd_exec_command_of_exec(const char *exec)
{
  g_autoptr(EppdGameIdentity) identity = eppd_exec_line_identity(exec);
  g_auto(GStrv) words = NULL;

  if (!identity || identity->kind != EPPD_IDENTITY_PROGRAM)
    return NULL;
  words = eppd_exec_line_split(exec, NULL);
  for (guint i = 0; words && words[i]; i++) {
    if (strcmp(words[i], identity->id) != 0)
      continue;
    /* An interpreter alone would be whatever else it runs. */
    return is_interpreter(words[i]) && !words[i + 1] ? NULL : g_strdupv(words + i);
  }
  return NULL;
}

static bool
begins_with(const char *const *argv, const char *const *command)
{
  if (!argv[0] || !is_same_program(argv[0], command[0]))
    return false;
  for (guint i = 1; command[i]; i++) {
    if (!argv[i] || strcmp(argv[i], command[i]) != 0)
      return false;
  }
  return true;
}

bool
eppd_exec_command_matches(const char *const *command, const char *const *argv)
{
  for (guint i = 0; i <= INTERPRETER_WORDS && argv[i]; i++) {
    /* The kernel gives an interpreter the script's path. */
    if ((i == 0 || strchr(argv[i], '/')) && begins_with(argv + i, command))
      return true;
  }
  return false;
}

char *
eppd_exec_command_file(const char *const *command)
{
  guint first = is_interpreter(command[0]) ? 1 : 0;

  while (first > 0 && command[first] && command[first][0] == '-')
    first++;
  if (!command[first])
    return NULL;
  if (g_path_is_absolute(command[first]))
    return g_file_test(command[first], G_FILE_TEST_IS_REGULAR) ? g_strdup(command[first]) : NULL;
  return first == 0 ? g_find_program_in_path(command[0]) : NULL;
}
