/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* The verbs of powerprofilesctl, with its words, output and exit codes. Their texts are never
 * translated: scripts parse them. Each is an EppdVerbFunc. */

int eppd_verb_profile_list(int argc, char **argv);
int eppd_verb_profile_list_holds(int argc, char **argv);
int eppd_verb_profile_list_actions(int argc, char **argv);
int eppd_verb_profile_get(int argc, char **argv);
int eppd_verb_profile_set(int argc, char **argv);
int eppd_verb_profile_configure_action(int argc, char **argv);
int eppd_verb_profile_configure_battery_aware(int argc, char **argv);
int eppd_verb_profile_query_battery_aware(int argc, char **argv);
int eppd_verb_profile_launch(int argc, char **argv);
int eppd_verb_profile_version(int argc, char **argv);

/* Whether this command line is powerprofilesctl's: there is no verb at all, or one of the above, or
 * the program was called by that name. */
bool eppd_profile_verbs_want(int argc, char **argv);

/* Runs a command line that is wanted; its exit code. Sets the program's name. */
int eppd_profile_verbs_run(int argc, char **argv);

/* A line for each verb, for --help, in the locale's language if one is set. */
void eppd_profile_verbs_print(FILE *stream);
