/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The command line of a powerprofilesctl verb, read as that program reads it: `--profile X`,
 * `--profile=X`, `-p X`, `-pX`, an unambiguous beginning of a long option, `--`, `-h`; and told of
 * as it tells: a usage line, and exit code 2. Never translated. */

typedef struct {
  const char *name;  /* "profile", for --profile */
  char letter;       /* 'p', for -p; 0: none */
  const char *value; /* "PROFILE", for --help; NULL: a switch, which takes none */
  const char *help;
  const char **text; /* where the value goes, which stays argv's; with @value alone */
  bool *flag;        /* set where the switch is given; without @value */
} EppdProfileOption;

typedef struct {
  const char *description;          /* what the verb does, for --help */
  const EppdProfileOption *options; /* ends with a NULL name; NULL: none but --help */
  const char *operand;              /* the one word that must stand there, for --help; NULL: none */
  bool takes_command; /* the first word that is no option starts a command line, in place of an
                         operand */
} EppdProfileUsage;

/* The words behind the options; argv's. */
typedef struct {
  bool help; /* asked for: nothing else counts */
  char **words;
  int n_words;
} EppdProfileWords;

/* Reads argv[1] on, and sorts @argv (options first). Errors are G_OPTION_ERROR with the words for
 * the user; options that were read before have been stored then. Not reentrant: getopt. */
gboolean eppd_profile_args_parse(
    const EppdProfileUsage *usage, int argc, char **argv, EppdProfileWords *words, GError **error);

/* "usage: PROGRAM [-h] …", ended. Owned by the caller. */
char *eppd_profile_args_usage(const EppdProfileUsage *usage, const char *program);

/* The text of --help, ended. Owned by the caller. */
char *eppd_profile_args_help(const EppdProfileUsage *usage, const char *program);

/* Usage and complaint on standard error, for the program that runs; returns EPPD_EXIT_USAGE. */
int eppd_profile_args_refuse(const EppdProfileUsage *usage, const char *message);

/* Parses; prints the help, or the complaint. True: @words are set and the verb goes on; false: it
 * returns @code. */
bool eppd_profile_args_take(
    const EppdProfileUsage *usage, int argc, char **argv, EppdProfileWords *words, int *code);
