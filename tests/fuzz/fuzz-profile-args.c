/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command lines of powerprofilesctl's verbs, a word a line; the first byte says which kind of
 * verb. */
#include "fuzz.h"

#include "ctl/profile-args.h"

#include <string.h>

typedef struct {
  const char *profile;
  const char *reason;
  bool enable;
} Values;

static bool
is_word(char **argv, int argc, const char *text)
{
  /* A value may be the end of its word: --profile=X, -pX. */
  for (int i = 0; i < argc; i++) {
    if (text >= argv[i] && text <= argv[i] + strlen(argv[i]))
      return true;
  }
  return false;
}

static void
check_words(const EppdProfileWords *words, char **argv, int argc)
{
  if (words->help)
    return;
  g_assert_cmpint(words->n_words, >=, 0);
  g_assert_cmpint(words->n_words, <, argc);
  for (int i = 0; i < words->n_words; i++)
    g_assert_true(is_word(argv, argc, words->words[i]));
}

static void
parse(const EppdProfileUsage *usage, char **argv, const Values *values)
{
  int argc = (int)g_strv_length(argv);
  /* It is sorted, and g_strfreev() is not to miss a word. */
  g_autofree char **sorted = g_memdup2(argv, ((gsize)argc + 1) * sizeof *argv);
  g_autoptr(GError) error = NULL;
  EppdProfileWords words = {0};

  if (eppd_profile_args_parse(usage, argc, sorted, &words, &error))
    check_words(&words, argv, argc);
  else
    g_assert_cmpint(error->domain, ==, (int)G_OPTION_ERROR);
  if (values->profile)
    g_assert_true(is_word(argv, argc, values->profile));
  if (values->reason)
    g_assert_true(is_word(argv, argc, values->reason));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *text = fuzz_text(data, size);
  g_auto(GStrv) argv = g_strsplit(*text ? text + 1 : text, "\n", -1);
  Values values = {0};
  const EppdProfileOption options[] = {
      {"profile", 'p', "PROFILE", "which", .text = &values.profile},
      {"reason", 'r', "REASON", "why", .text = &values.reason},
      {"enable", 0, NULL, "do it", .flag = &values.enable},
      {NULL},
  };
  const EppdProfileUsage usage = {
      .description = "Fuzzed.",
      .options = *text & 4 ? NULL : options,
      .operand = *text & 2 ? "WHAT" : NULL,
      .takes_command = *text & 1,
  };
  g_autofree char *usage_text = NULL;
  g_autofree char *help = NULL;

  if (!argv[0])
    return 0;
  parse(&usage, argv, &values);
  usage_text = eppd_profile_args_usage(&usage, argv[0]);
  help = eppd_profile_args_help(&usage, argv[0]);
  g_assert_true(g_str_has_prefix(help, "usage: "));
  g_assert_true(g_str_has_suffix(usage_text, "\n"));
  return 0;
}
