/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpu-list.h"

typedef struct {
  const char *name;
  const char *text;
  const char *formatted; /* NULL: refused */
  guint n_cpus;
} ParseCase;

static const ParseCase parse_cases[] = {
    {"empty", "", "", 0},
    {"white-space-alone", " \n", "", 0},
    {"one", "0", "0", 1},
    {"trailing-newline", "0-3\n", "0-3", 4},
    {"ranges", "0-3,8", "0-3,8", 5},
    {"spaces", "0 1 2 8", "0-2,8", 4},
    {"related-cpus-trailing-space", "4 5 \n", "4-5", 2},
    {"unsorted", "8,1,0", "0-1,8", 3},
    {"overlapping", "0-3,2-5,3", "0-5", 6},
    {"range-of-one", "7-7", "7", 1},
    {"hybrid", "0-11,12,14,16-19", "0-12,14,16-19", 18},
    {"leading-zeros", "007", "7", 1},
    {"largest", "8191", "8191", 1},
    {"all", "0-8191", "0-8191", 8192},
    {"too-large", "8192", NULL, 0},
    {"range-too-large", "0-8192", NULL, 0},
    {"overflowing", "99999999999999999999999999", NULL, 0},
    {"reversed", "3-0", NULL, 0},
    {"open-range", "3-", NULL, 0},
    {"no-start", "-3", NULL, 0},
    {"negative", "-1", NULL, 0},
    {"plus", "+1", NULL, 0},
    {"trailing-comma", "0,", NULL, 0},
    {"leading-comma", ",0", NULL, 0},
    {"double-comma", "0,,1", NULL, 0},
    {"words", "none", NULL, 0},
    {"hex", "0x3", NULL, 0},
    {"stride", "0-8:2", NULL, 0},
    {"high-bytes", "0\xff", NULL, 0},
};

static void
test_parse(gconstpointer data)
{
  const ParseCase *c = data;
  guint untouched = 0;
  EppdCpuList list = {.cpus = &untouched, .n_cpus = 77};
  g_autofree char *formatted = NULL;

  g_assert_cmpint(eppd_cpu_list_parse(c->text, &list), ==, c->formatted != NULL);
  if (!c->formatted) {
    g_assert_true(list.cpus == &untouched && list.n_cpus == 77);
    return;
  }
  formatted = eppd_cpu_list_format(&list);
  g_assert_cmpstr(formatted, ==, c->formatted);
  g_assert_cmpuint(list.n_cpus, ==, c->n_cpus);
  eppd_cpu_list_clear(&list);
}

static void
test_null_is_empty(void)
{
  g_auto(EppdCpuList) list = {0};

  g_assert_true(eppd_cpu_list_parse(NULL, &list));
  g_assert_cmpuint(list.n_cpus, ==, 0);
}

static void
test_contains(void)
{
  g_auto(EppdCpuList) list = {0};
  g_auto(EppdCpuList) empty = {0};

  g_assert_true(eppd_cpu_list_parse("1-3,8", &list));
  for (guint cpu = 0; cpu < 12; cpu++)
    g_assert_cmpint(eppd_cpu_list_contains(&list, cpu), ==, (cpu >= 1 && cpu <= 3) || cpu == 8);
  g_assert_false(eppd_cpu_list_contains(&list, G_MAXUINT));
  g_assert_false(eppd_cpu_list_contains(&empty, 0));
}

static void
test_add_keeps_order(void)
{
  const guint cpus[] = {5, 1, 3, 5, 0, EPPD_CPU_MAX, 8191, 2};
  g_auto(EppdCpuList) list = {0};
  g_autofree char *formatted = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS(cpus); i++)
    eppd_cpu_list_add(&list, cpus[i]);
  formatted = eppd_cpu_list_format(&list);
  g_assert_cmpstr(formatted, ==, "0-3,5,8191");
}

static void
test_copy_is_its_own(void)
{
  g_auto(EppdCpuList) list = {0};
  g_auto(EppdCpuList) copy = {0};
  g_autofree char *formatted = NULL;

  g_assert_true(eppd_cpu_list_parse("0-3,8", &list));
  eppd_cpu_list_copy(&list, &copy);
  eppd_cpu_list_clear(&list);
  formatted = eppd_cpu_list_format(&copy);
  g_assert_cmpstr(formatted, ==, "0-3,8");
}

static void
test_clear_twice(void)
{
  EppdCpuList list = {0};

  g_assert_true(eppd_cpu_list_parse("0-7", &list));
  eppd_cpu_list_clear(&list);
  g_assert_cmpuint(list.n_cpus, ==, 0);
  g_assert_null(list.cpus);
  eppd_cpu_list_clear(&list);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(parse_cases); i++) {
    g_autofree char *path = g_strconcat("/cpu-list/parse/", parse_cases[i].name, NULL);

    g_test_add_data_func(path, &parse_cases[i], test_parse);
  }
  g_test_add_func("/cpu-list/null-is-empty", test_null_is_empty);
  g_test_add_func("/cpu-list/contains", test_contains);
  g_test_add_func("/cpu-list/add-keeps-order", test_add_keeps_order);
  g_test_add_func("/cpu-list/copy-is-its-own", test_copy_is_its_own);
  g_test_add_func("/cpu-list/clear-twice", test_clear_twice);
  return g_test_run();
}
