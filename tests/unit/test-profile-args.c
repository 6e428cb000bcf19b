/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/profile-args.h"

#include <string.h>

/* A verb that has everything: it is parsed as a command's, or as one with an operand. */
typedef struct {
  const char *profile;
  const char *reason;
  bool enable;
  EppdProfileWords words;
  char **argv; /* the words of the command line, which the results point into */
} Fixture;

typedef enum { OPERAND, COMMAND, NEITHER } Kind;

static void
fixture_clear(Fixture *fixture)
{
  g_strfreev(fixture->argv);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fixture, fixture_clear)

static gboolean
parse(Fixture *fixture, Kind kind, const char *line, GError **error)
{
  const EppdProfileOption options[] = {
      {"profile", 'p', "PROFILE", "which", .text = &fixture->profile},
      {"reason", 'r', "REASON", "why", .text = &fixture->reason},
      {"enable", 0, NULL, "do it", .flag = &fixture->enable},
      {NULL},
  };
  const EppdProfileUsage usage = {
      .description = "Tests.",
      .options = options,
      .operand = kind == OPERAND ? "WHAT" : NULL,
      .takes_command = kind == COMMAND,
  };
  g_autofree char *with_verb = g_strconcat("verb", *line ? " " : "", line, NULL);

  fixture->argv = g_strsplit(with_verb, " ", -1);
  return eppd_profile_args_parse(&usage, (int)g_strv_length(fixture->argv), fixture->argv,
                                 &fixture->words, error);
}

static void
assert_words(const EppdProfileWords *words, const char *expected)
{
  g_autofree char *joined = g_strjoinv(" ", words->words);

  g_assert_cmpstr(joined, ==, expected);
  g_assert_cmpint(words->n_words, ==, (int)g_strv_length(words->words));
}

static void
right_lines_are_read_as_powerprofilesctl_reads_them(void)
{
  static const struct {
    Kind kind;
    const char *line;
    const char *profile;
    const char *reason;
    bool enable;
    const char *words;
  } cases[] = {
      {NEITHER, "", NULL, NULL, false, ""},
      {NEITHER, "--profile x", "x", NULL, false, ""},
      {NEITHER, "--profile=x", "x", NULL, false, ""},
      {NEITHER, "--profile=", "", NULL, false, ""},
      {NEITHER, "--prof=x --r y", "x", "y", false, ""},
      {NEITHER, "-p x", "x", NULL, false, ""},
      {NEITHER, "-px", "x", NULL, false, ""},
      {NEITHER, "-p a -p b", "b", NULL, false, ""},
      {NEITHER, "--enable", NULL, NULL, true, ""},
      {NEITHER, "--en -r why", NULL, "why", true, ""},
      {NEITHER, "--", NULL, NULL, false, ""},
      {OPERAND, "word", NULL, NULL, false, "word"},
      {OPERAND, "word --enable", NULL, NULL, true, "word"},
      {OPERAND, "--enable word", NULL, NULL, true, "word"},
      {OPERAND, "-- --enable", NULL, NULL, false, "--enable"},
      {COMMAND, "", NULL, NULL, false, ""},
      {COMMAND, "game", NULL, NULL, false, "game"},
      {COMMAND, "-p x game -p y --enable", "x", NULL, false, "game -p y --enable"},
      {COMMAND, "-p x -- game -- -r", "x", NULL, false, "game -- -r"},
      {COMMAND, "game --help", NULL, NULL, false, "game --help"},
      {COMMAND, "-- -h", NULL, NULL, false, "-h"},
      {COMMAND, "game - --", NULL, NULL, false, "game - --"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_auto(Fixture) fixture = {0};
    g_autoptr(GError) error = NULL;

    g_test_message("%s", cases[i].line);
    g_assert_true(parse(&fixture, cases[i].kind, cases[i].line, &error));
    g_assert_no_error(error);
    g_assert_false(fixture.words.help);
    g_assert_cmpstr(fixture.profile, ==, cases[i].profile);
    g_assert_cmpstr(fixture.reason, ==, cases[i].reason);
    g_assert_true(fixture.enable == cases[i].enable);
    assert_words(&fixture.words, cases[i].words);
  }
}

static void
wrong_lines_are_complained_of(void)
{
  static const struct {
    Kind kind;
    const char *line;
    const char *message;
  } cases[] = {
      {NEITHER, "word", "unrecognized arguments: word"},
      {NEITHER, "two words", "unrecognized arguments: two words"},
      {NEITHER, "--nonsense", "unrecognized arguments: --nonsense"},
      {NEITHER, "--nonsense=x", "unrecognized arguments: --nonsense=x"},
      {NEITHER, "-x", "unrecognized arguments: -x"},
      {NEITHER, "-xyz", "unrecognized arguments: -x"},
      {NEITHER, "--enable=yes", "unrecognized arguments: --enable=yes"},
      {NEITHER, "--help=yes", "unrecognized arguments: --help=yes"},
      {NEITHER, "-p", "argument --profile/-p: expected one argument"},
      {NEITHER, "--profile", "argument --profile/-p: expected one argument"},
      {OPERAND, "", "the following arguments are required: WHAT"},
      {OPERAND, "--enable", "the following arguments are required: WHAT"},
      {OPERAND, "a b c", "unrecognized arguments: b c"},
      {COMMAND, "-x game", "unrecognized arguments: -x"},
      {COMMAND, "-r", "argument --reason/-r: expected one argument"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_auto(Fixture) fixture = {.words = {.n_words = 99}};
    g_autoptr(GError) error = NULL;

    g_test_message("%s", cases[i].line);
    g_assert_false(parse(&fixture, cases[i].kind, cases[i].line, &error));
    g_assert_nonnull(error);
    g_assert_true(error->domain == G_OPTION_ERROR);
    g_assert_cmpstr(error->message, ==, cases[i].message);
    g_assert_cmpint(fixture.words.n_words, ==, 99);
  }
}

static void
help_needs_nothing_else_to_be_right(void)
{
  static const struct {
    Kind kind;
    const char *line;
  } cases[] = {
      {NEITHER, "-h"},          {NEITHER, "--help"},      {NEITHER, "--he"},
      {NEITHER, "-h word"},     {OPERAND, "--help"},      {OPERAND, "-h a b c"},
      {OPERAND, "--enable -h"}, {COMMAND, "-p x --help"}, {COMMAND, "-h game"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_auto(Fixture) fixture = {0};
    g_autoptr(GError) error = NULL;

    g_test_message("%s", cases[i].line);
    g_assert_true(parse(&fixture, cases[i].kind, cases[i].line, &error));
    g_assert_true(fixture.words.help);
  }
}

static void
usage_and_help_name_every_option(void)
{
  static const EppdProfileOption options[] = {
      {"profile", 'p', "PROFILE", "Which one"},
      {"enable", 0, NULL, "Do it"},
      {NULL},
  };
  static const EppdProfileUsage command = {
      .description = "Runs it.", .options = options, .takes_command = true};
  static const EppdProfileUsage operand = {.description = "Sets it.", .operand = "WHAT"};
  g_autofree char *command_help = eppd_profile_args_help(&command, "eppctl launch");
  g_autofree char *operand_usage = eppd_profile_args_usage(&operand, "powerprofilesctl set");

  g_assert_cmpstr(command_help, ==,
                  "usage: eppctl launch [-h] [-p PROFILE] [--enable] COMMAND ...\n"
                  "\n"
                  "Runs it.\n"
                  "\n"
                  "options:\n"
                  "  -h, --help             Show this help and exit\n"
                  "  -p, --profile=PROFILE  Which one\n"
                  "  --enable               Do it\n");
  g_assert_cmpstr(operand_usage, ==, "usage: powerprofilesctl set [-h] WHAT\n");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile-args/right-lines-are-read-as-powerprofilesctl-reads-them",
                  right_lines_are_read_as_powerprofilesctl_reads_them);
  g_test_add_func("/profile-args/wrong-lines-are-complained-of", wrong_lines_are_complained_of);
  g_test_add_func("/profile-args/help-needs-nothing-else-to-be-right",
                  help_needs_nothing_else_to_be_right);
  g_test_add_func("/profile-args/usage-and-help-name-every-option",
                  usage_and_help_name_every_option);
  return g_test_run();
}
