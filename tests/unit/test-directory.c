/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/directory.h"
#include "scratch.h"

typedef struct {
  const char *name;
  const char *entries[6];
  const char *names; /* joined by spaces */
} NamesCase;

static const NamesCase names_cases[] = {
    {"missing", {NULL}, ""},
    {"empty", {"list/"}, ""},
    {"a-file-in-its-place", {"list=text"}, ""},
    {"sorted",
     {"list/cpu2/", "list/cpu10/", "list/card0->../nowhere", "list/.hidden=", "list/b="},
     ".hidden b card0 cpu10 cpu2"},
};

static void
test_names(gconstpointer data)
{
  const NamesCase *c = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autoptr(GPtrArray) names = NULL;
  g_autoptr(GString) joined = g_string_new(NULL);

  for (gsize i = 0; i < G_N_ELEMENTS(c->entries) && c->entries[i]; i++)
    scratch_make(dir, c->entries[i]);
  names = eppd_directory_names(root, "/list");
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf(joined, "%s%s", i ? " " : "", (char *)names->pdata[i]);
  g_assert_cmpstr(joined->str, ==, c->names);
}

typedef struct {
  const char *name;
  bool is_numbered;
} NumberedCase;

static const NumberedCase numbered_cases[] = {
    {"cpu0", true},   {"cpu8191", true}, {"cpu", false},   {"cpufreq", false},
    {"cpu1a", false}, {"cpu-1", false},  {"cpu+1", false}, {"cpu 1", false},
    {"xcpu1", false}, {"", false},       {"1", false},
};

static void
test_numbered(gconstpointer data)
{
  const NumberedCase *c = data;

  g_assert_cmpint(eppd_directory_name_is_numbered(c->name, "cpu"), ==, c->is_numbered);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(names_cases); i++) {
    g_autofree char *path = g_strconcat("/directory/names/", names_cases[i].name, NULL);

    g_test_add_data_func(path, &names_cases[i], test_names);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(numbered_cases); i++) {
    g_autofree char *path = g_strdup_printf("/directory/numbered/'%s'", numbered_cases[i].name);

    g_test_add_data_func(path, &numbered_cases[i], test_numbered);
  }
  return g_test_run();
}
