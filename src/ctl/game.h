/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "ctl/verb.h"

#include <glib/gi18n.h>

/* The verbs of `eppctl game`: argv[0] is "game VERB". */

int eppd_game_list(int argc, char **argv);
int eppd_game_enable(int argc, char **argv);
int eppd_game_disable(int argc, char **argv);
int eppd_game_why(int argc, char **argv);

/* All of them take it; @file is a char **. */
#define EPPD_GAME_CONFIG_OPTION(file)                                                              \
  {                                                                                                \
    "config", 0, 0, G_OPTION_ARG_FILENAME, file,                                                   \
        _("Read FILE in the place of eppd's configuration"), "FILE"                                \
  }

/* That eppd-agent does not run, and how to start it. */
const char *eppd_game_agent_hint(void);
