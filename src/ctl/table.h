/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Rows of text in aligned columns, for a terminal. */

typedef enum {
  EPPD_STYLE_PLAIN,
  EPPD_STYLE_HEADING,
  EPPD_STYLE_ACTIVE,
  EPPD_STYLE_WARNING,
  EPPD_STYLE_DIM,
} EppdStyle;

typedef struct _EppdTable EppdTable;

EppdTable *eppd_table_new(guint n_columns);
void eppd_table_free(EppdTable *table);

/* The column's cells end, not start, on one line: for numbers. */
void eppd_table_align_right(EppdTable *table, guint column);

/* Adds a row of n_columns strings, which are copied and must be printable. */
void eppd_table_add(EppdTable *table, EppdStyle style, ...);

/* Lines, each ended; columns that are empty in every row are left out, and no line ends in white
 * space. @colour: a row's style is shown by terminal sequences. Owned by the caller. */
char *eppd_table_format(const EppdTable *table, bool colour);

/* One line cut to what a terminal shows in @width cells; terminal sequences take none, and those
 * behind the cut are kept, so that a colour ends. Owned by the caller. */
char *eppd_line_cut(const char *line, guint width);

/* @text in @style, or a copy of it without @colour. Owned by the caller. */
char *eppd_styled(const char *text, EppdStyle style, bool colour);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdTable, eppd_table_free)
