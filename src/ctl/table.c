/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/table.h"

#include <stdarg.h>
#include <string.h>

#define SEQUENCE_START "\033["
#define SEQUENCE_END   'm'

typedef struct {
  EppdStyle style;
  char **cells;
} Row;

struct _EppdTable {
  guint n_columns;
  bool *right;
  GPtrArray *rows;
};

static const char *const style_codes[] = {
    [EPPD_STYLE_PLAIN] = NULL,   [EPPD_STYLE_HEADING] = "1", [EPPD_STYLE_ACTIVE] = "32",
    [EPPD_STYLE_WARNING] = "33", [EPPD_STYLE_DIM] = "2",
};

static void
row_free(gpointer data)
{
  Row *row = data;

  g_strfreev(row->cells);
  g_free(row);
}

/* Terminal cells, not bytes or characters. */
static guint
character_width(gunichar c)
{
  if (g_unichar_iszerowidth(c))
    return 0;
  return g_unichar_iswide(c) ? 2 : 1;
}

static guint
text_width(const char *text)
{
  guint width = 0;

  for (const char *p = text; *p; p = g_utf8_next_char(p))
    width += character_width(g_utf8_get_char(p));
  return width;
}

/* The end of the sequence of eppd_styled() at @text; @text itself where there is none. */
static const char *
skip_sequence(const char *text)
{
  const char *end = g_str_has_prefix(text, SEQUENCE_START) ? strchr(text, SEQUENCE_END) : NULL;

  return end ? end + 1 : text;
}

static void
append_padding(GString *out, guint n)
{
  while (n-- > 0)
    g_string_append_c(out, ' ');
}

static guint
column_width(const EppdTable *table, guint column)
{
  guint width = 0;

  for (guint i = 0; i < table->rows->len; i++) {
    const Row *row = g_ptr_array_index(table->rows, i);

    width = MAX(width, text_width(row->cells[column]));
  }
  return width;
}

static bool
column_is_empty(const EppdTable *table, guint column)
{
  /* A heading alone does not make a column. */
  for (guint i = 0; i < table->rows->len; i++) {
    const Row *row = g_ptr_array_index(table->rows, i);

    if (row->style != EPPD_STYLE_HEADING && *row->cells[column])
      return false;
  }
  return true;
}

static char *
format_row(const EppdTable *table, const Row *row, const guint *widths)
{
  GString *line = g_string_new(NULL);

  for (guint column = 0; column < table->n_columns; column++) {
    const char *cell = row->cells[column];
    guint padding;

    if (widths[column] == 0)
      continue;
    padding = widths[column] - text_width(cell);
    if (line->len > 0)
      append_padding(line, 2);
    append_padding(line, table->right[column] ? padding : 0);
    g_string_append(line, cell);
    append_padding(line, table->right[column] ? 0 : padding);
  }
  return g_strchomp(g_string_free(line, FALSE));
}

EppdTable *
eppd_table_new(guint n_columns)
{
  EppdTable *table = g_new0(EppdTable, 1);

  table->n_columns = n_columns;
  table->right = g_new0(bool, n_columns);
  table->rows = g_ptr_array_new_with_free_func(row_free);
  return table;
}

void
eppd_table_free(EppdTable *table)
{
  g_free(table->right);
  g_ptr_array_unref(table->rows);
  g_free(table);
}

void
eppd_table_align_right(EppdTable *table, guint column)
{
  g_return_if_fail(column < table->n_columns);
  table->right[column] = true;
}

void
eppd_table_add(EppdTable *table, EppdStyle style, ...)
{
  Row *row = g_new0(Row, 1);
  va_list args;

  row->style = style;
  row->cells = g_new0(char *, table->n_columns + 1);
  va_start(args, style);
  for (guint column = 0; column < table->n_columns; column++)
    row->cells[column] = g_strdup(va_arg(args, const char *));
  va_end(args);
  g_ptr_array_add(table->rows, row);
}

char *
eppd_table_format(const EppdTable *table, bool colour)
{
  GString *out = g_string_new(NULL);
  g_autofree guint *widths = g_new0(guint, table->n_columns);

  for (guint column = 0; column < table->n_columns; column++)
    widths[column] = column_is_empty(table, column) ? 0 : column_width(table, column);

  for (guint i = 0; i < table->rows->len; i++) {
    const Row *row = g_ptr_array_index(table->rows, i);
    g_autofree char *line = format_row(table, row, widths);
    g_autofree char *styled = eppd_styled(line, row->style, colour);

    g_string_append(out, styled);
    g_string_append_c(out, '\n');
  }
  return g_string_free(out, FALSE);
}

char *
eppd_line_cut(const char *line, guint width)
{
  GString *out = g_string_new(NULL);
  guint used = 0;
  bool full = false;

  for (const char *p = line; *p;) {
    const char *end = skip_sequence(p);
    bool is_sequence = end > p;

    if (!is_sequence) {
      guint cells = character_width(g_utf8_get_char(p));

      end = g_utf8_next_char(p);
      full = full || used + cells > width;
      used += cells;
    }
    if (is_sequence || !full)
      g_string_append_len(out, p, end - p);
    p = end;
  }
  return g_string_free(out, FALSE);
}

char *
eppd_styled(const char *text, EppdStyle style, bool colour)
{
  const char *code = colour ? style_codes[style] : NULL;

  if (!code || !*text)
    return g_strdup(text);
  return g_strdup_printf(SEQUENCE_START "%s%c%s" SEQUENCE_START "0%c", code, SEQUENCE_END, text,
                         SEQUENCE_END);
}
