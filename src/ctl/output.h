/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "ctl/table.h"

#include <glib.h>
#include <stdbool.h>

/* Exit codes of eppctl. */
#define EPPD_EXIT_OK      0
#define EPPD_EXIT_FAILURE 1
#define EPPD_EXIT_USAGE   2

/* One line on standard error, "eppctl: MESSAGE". What can't be printed is escaped. */
void eppd_complain(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* The same of @error; returns EPPD_EXIT_FAILURE, so that a verb can return it. */
int eppd_fail(const GError *error);

/* Whether standard output is a terminal that shows colours, and the user wants them (NO_COLOR). */
bool eppd_output_has_colour(void);

/* Prints @table, coloured where that is fit. */
void eppd_print_table(const EppdTable *table);

/* One line of JSON. */
void eppd_print_json(GVariant *value);
