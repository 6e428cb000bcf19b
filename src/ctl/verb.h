/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* A verb: `eppctl VERB …`. argv[0] is the verb's own name; returns the exit code. */
typedef int (*EppdVerbFunc)(int argc, char **argv);

int eppd_verb_explain(int argc, char **argv);
int eppd_verb_game(int argc, char **argv);
int eppd_verb_holds(int argc, char **argv);
int eppd_verb_reload(int argc, char **argv);
int eppd_verb_run(int argc, char **argv);
int eppd_verb_stats(int argc, char **argv);
int eppd_verb_status(int argc, char **argv);
int eppd_verb_top(int argc, char **argv);

typedef struct {
  const GOptionEntry *entries;
  const char *arguments;   /* for --help, e.g. "CPU"; NULL: none */
  const char *description; /* for --help: what the verb does, in one paragraph */
  int n_min;               /* positional arguments, at least */
  int n_max; /* and at most; -1: the rest is a command line, which starts at the first word that is
                no option */
} EppdVerbUsage;

/* Parses @argc and @argv in place, so that argv[1] is the first positional argument. False after a
 * complaint: the verb returns EPPD_EXIT_USAGE. --help prints and exits. */
bool eppd_verb_parse(const EppdVerbUsage *usage, int *argc, char ***argv);
