/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/table.h"

static void
aligned(void)
{
  g_autoptr(EppdTable) table = eppd_table_new(3);
  g_autofree char *text = NULL;

  eppd_table_align_right(table, 1);
  eppd_table_add(table, EPPD_STYLE_HEADING, "NAME", "N", "LAST");
  eppd_table_add(table, EPPD_STYLE_PLAIN, "a", "100", "x");
  eppd_table_add(table, EPPD_STYLE_PLAIN, "longer", "7", "");
  text = eppd_table_format(table, false);
  g_assert_cmpstr(text, ==, "NAME      N  LAST\na       100  x\nlonger    7\n");
}

static void
empty_columns_left_out(void)
{
  g_autoptr(EppdTable) table = eppd_table_new(3);
  g_autofree char *text = NULL;

  eppd_table_add(table, EPPD_STYLE_HEADING, "A", "B", "C");
  eppd_table_add(table, EPPD_STYLE_PLAIN, "1", "", "3");
  text = eppd_table_format(table, false);
  g_assert_cmpstr(text, ==, "A  C\n1  3\n");
}

static void
no_rows(void)
{
  g_autoptr(EppdTable) table = eppd_table_new(2);
  g_autofree char *text = eppd_table_format(table, true);

  g_assert_cmpstr(text, ==, "");
}

/* Columns stand by what a terminal shows: wide, combining and plain characters. */
static void
width_is_of_the_terminal(void)
{
  g_autoptr(EppdTable) table = eppd_table_new(2);
  g_autofree char *text = NULL;

  eppd_table_add(table, EPPD_STYLE_PLAIN, "世界", "x");
  eppd_table_add(table, EPPD_STYLE_PLAIN, "é", "x");
  eppd_table_add(table, EPPD_STYLE_PLAIN, "e\xcc\x81", "x");
  text = eppd_table_format(table, false);
  g_assert_cmpstr(text, ==, "世界  x\né     x\ne\xcc\x81     x\n");
}

static void
coloured_rows(void)
{
  g_autoptr(EppdTable) table = eppd_table_new(1);
  g_autofree char *text = NULL;

  eppd_table_add(table, EPPD_STYLE_PLAIN, "plain");
  eppd_table_add(table, EPPD_STYLE_ACTIVE, "active");
  eppd_table_add(table, EPPD_STYLE_WARNING, "");
  text = eppd_table_format(table, true);
  g_assert_cmpstr(text, ==, "plain\n\033[32mactive\033[0m\n\n");
}

static void
cut_lines(void)
{
  static const struct {
    const char *line;
    guint width;
    const char *expected;
  } cases[] = {
      {"", 3, ""},
      {"abc", 0, ""},
      {"abc", 3, "abc"},
      {"abcd", 3, "abc"},
      {"\033[32mabcd\033[0m", 3, "\033[32mabc\033[0m"},
      {"\033[1mabc\033[0m", 3, "\033[1mabc\033[0m"},
      {"\033[1mab\033[0mcd", 3, "\033[1mab\033[0mc"},
      {"µsµs", 3, "µsµ"},
      {"世界", 3, "世"},
      /* What would have fitted behind it would stand in a wrong place. */
      {"a世b", 2, "a"},
      {"e\xcc\x81x", 1, "e\xcc\x81"},
      {"\033[no end", 3, "\033[n"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *cut = eppd_line_cut(cases[i].line, cases[i].width);

    g_assert_cmpstr(cut, ==, cases[i].expected);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/table/aligned", aligned);
  g_test_add_func("/table/empty-columns-left-out", empty_columns_left_out);
  g_test_add_func("/table/no-rows", no_rows);
  g_test_add_func("/table/width-is-of-the-terminal", width_is_of_the_terminal);
  g_test_add_func("/table/coloured-rows", coloured_rows);
  g_test_add_func("/table/cut-lines", cut_lines);
  return g_test_run();
}
