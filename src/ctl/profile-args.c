/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/profile-args.h"

#include "ctl/output.h"

#include "base/printable.h"

#include <getopt.h>
#include <stdio.h>

/* Longer than any sane argument. */
#define MESSAGE_MAX 4096

/* What getopt gives for option number i is FIRST_OPTION + i, with a letter or without. */
#define FIRST_OPTION 256
#define HELP_LETTER  'h'

static guint
count_options(const EppdProfileUsage *usage)
{
  guint n = 0;

  while (usage->options && usage->options[n].name)
    n++;
  return n;
}

/* ":" in front lets getopt tell a missing value from an unknown option; "+" ends the options at the
 * first word. */
static char *
letters_of(const EppdProfileUsage *usage)
{
  g_autoptr(GString) letters = g_string_new(usage->takes_command ? "+:" : ":");
  guint n = count_options(usage);

  g_string_append_c(letters, HELP_LETTER);
  for (guint i = 0; i < n; i++) {
    if (!usage->options[i].letter)
      continue;
    g_string_append_c(letters, usage->options[i].letter);
    if (usage->options[i].value)
      g_string_append_c(letters, ':');
  }
  return g_string_free(g_steal_pointer(&letters), FALSE);
}

static struct option *
long_options_of(const EppdProfileUsage *usage)
{
  guint n = count_options(usage);
  struct option *options = g_new0(struct option, n + 2);

  for (guint i = 0; i < n; i++) {
    options[i].name = usage->options[i].name;
    options[i].has_arg = usage->options[i].value ? required_argument : no_argument;
    options[i].val = FIRST_OPTION + (int)i;
  }
  options[n].name = "help";
  options[n].val = HELP_LETTER;
  return options;
}

/* The option of what getopt gave; NULL if it is none of ours. */
static const EppdProfileOption *
find_option(const EppdProfileUsage *usage, int given)
{
  guint n = count_options(usage);

  for (guint i = 0; i < n; i++) {
    if (given == FIRST_OPTION + (int)i || (given != 0 && given == usage->options[i].letter))
      return &usage->options[i];
  }
  return NULL;
}

static void
store(const EppdProfileOption *option)
{
  g_return_if_fail(option != NULL); /* getopt gives only what it was told of */
  if (option->value)
    *option->text = optarg;
  else
    *option->flag = true;
}

/* "--profile/-p" */
static char *
full_name(const EppdProfileOption *option)
{
  return option->letter ? g_strdup_printf("--%s/-%c", option->name, option->letter)
                        : g_strdup_printf("--%s", option->name);
}

static gboolean
set_missing_value(const EppdProfileUsage *usage, GError **error)
{
  const EppdProfileOption *option = find_option(usage, optopt);
  g_autofree char *name = option ? full_name(option) : g_strdup("");

  g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "argument %s: expected one argument",
              name);
  return FALSE;
}

/* optopt is the letter of an unknown short option, the code of a switch that was given a value, or
 * 0 for a long option that is unknown or ambiguous. */
static gboolean
set_unrecognized(char **argv, GError **error)
{
  if (optopt > 0 && optopt < FIRST_OPTION && optopt != HELP_LETTER)
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION, "unrecognized arguments: -%c",
                optopt);
  else
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION, "unrecognized arguments: %s",
                argv[optind - 1]);
  return FALSE;
}

static gboolean
parse_options(const EppdProfileUsage *usage, int argc, char **argv, bool *help, GError **error)
{
  g_autofree char *letters = letters_of(usage);
  g_autofree struct option *options = long_options_of(usage);
  int given;

  opterr = 0;
  optind = 0; /* glibc: start anew */
  while ((given = getopt_long(argc, argv, letters, options, NULL)) != -1) {
    if (given == ':')
      return set_missing_value(usage, error);
    if (given == '?')
      return set_unrecognized(argv, error);
    if (given == HELP_LETTER) {
      *help = true;
      return TRUE;
    }
    store(find_option(usage, given));
  }
  return TRUE;
}

static gboolean
check_words(const EppdProfileUsage *usage, const EppdProfileWords *words, GError **error)
{
  int n_wanted = usage->operand ? 1 : 0;
  g_autofree char *rest = NULL;

  if (usage->takes_command || words->n_words == n_wanted)
    return TRUE;
  if (words->n_words < n_wanted) {
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
                "the following arguments are required: %s", usage->operand);
    return FALSE;
  }
  rest = g_strjoinv(" ", words->words + n_wanted);
  g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "unrecognized arguments: %s", rest);
  return FALSE;
}

gboolean
eppd_profile_args_parse(
    const EppdProfileUsage *usage, int argc, char **argv, EppdProfileWords *words, GError **error)
{
  EppdProfileWords found = {0};

  if (!parse_options(usage, argc, argv, &found.help, error))
    return FALSE;
  found.words = argv + optind;
  found.n_words = argc - optind;
  if (!found.help && !check_words(usage, &found, error))
    return FALSE;
  *words = found;
  return TRUE;
}

/* "-p PROFILE", "--enable" */
static char *
short_form(const EppdProfileOption *option)
{
  g_autofree char *name = option->letter ? g_strdup_printf("-%c", option->letter)
                                         : g_strdup_printf("--%s", option->name);

  return option->value ? g_strdup_printf("%s %s", name, option->value) : g_steal_pointer(&name);
}

char *
eppd_profile_args_usage(const EppdProfileUsage *usage, const char *program)
{
  g_autoptr(GString) text = g_string_new(NULL);
  guint n = count_options(usage);

  g_string_append_printf(text, "usage: %s [-h]", program);
  for (guint i = 0; i < n; i++) {
    g_autofree char *form = short_form(&usage->options[i]);

    g_string_append_printf(text, " [%s]", form);
  }
  if (usage->takes_command)
    g_string_append(text, " COMMAND ...");
  if (usage->operand)
    g_string_append_printf(text, " %s", usage->operand);
  g_string_append_c(text, '\n');
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static void
append_option(GString *text, const EppdProfileOption *option)
{
  g_autoptr(GString) forms = g_string_new(NULL);

  if (option->letter)
    g_string_append_printf(forms, "-%c, ", option->letter);
  g_string_append_printf(forms, "--%s", option->name);
  if (option->value)
    g_string_append_printf(forms, "=%s", option->value);
  g_string_append_printf(text, "  %-22s %s\n", forms->str, option->help);
}

char *
eppd_profile_args_help(const EppdProfileUsage *usage, const char *program)
{
  static const EppdProfileOption help = {"help", HELP_LETTER, NULL, "Show this help and exit"};
  g_autofree char *line = eppd_profile_args_usage(usage, program);
  g_autoptr(GString) text = g_string_new(line);
  guint n = count_options(usage);

  g_string_append_printf(text, "\n%s\n\noptions:\n", usage->description);
  append_option(text, &help);
  for (guint i = 0; i < n; i++)
    append_option(text, &usage->options[i]);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

int
eppd_profile_args_refuse(const EppdProfileUsage *usage, const char *message)
{
  const char *program = g_get_prgname();
  g_autofree char *line = eppd_profile_args_usage(usage, program);
  g_autofree char *printable = eppd_printable(message, MESSAGE_MAX);

  fprintf(stderr, "%s%s: error: %s\n", line, program, printable);
  return EPPD_EXIT_USAGE;
}

bool
eppd_profile_args_take(
    const EppdProfileUsage *usage, int argc, char **argv, EppdProfileWords *words, int *code)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *help = NULL;

  if (!eppd_profile_args_parse(usage, argc, argv, words, &error)) {
    *code = eppd_profile_args_refuse(usage, error->message);
    return false;
  }
  if (words->help) {
    help = eppd_profile_args_help(usage, g_get_prgname());
    fputs(help, stdout);
    *code = EPPD_EXIT_OK;
    return false;
  }
  return true;
}
