/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "residency/cpu-times.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

typedef struct {
  const char *line;
  bool ok;
  EppdCpuTimes times;
} ParseCase;

static const ParseCase parse_cases[] = {
    {"cpu3 10 20 30 1000 500 1 2 4 7 8", true, {3, 67, 1567}},
    {"cpu0 10 20 30 1000", true, {0, 60, 1060}},
    {"cpu0 10 20 30 1000 500 ", true, {0, 60, 1560}},
    {"cpu8191 0 0 0 0 0 0 0 0 0 0", true, {8191, 0, 0}},
    {"cpu8192 0 0 0 0 0 0 0 0 0 0", false, {0}},
    {"cpu  10 20 30 1000 500 1 2 4 7 8", false, {0}},
    {"cpu1 10 20 30", false, {0}},
    {"cpu1 10 20 -30 1000", false, {0}},
    {"cpu1 10 20 99999999999999999999 1000", false, {0}},
    {"cpu1 10 20 x 1000", false, {0}},
    {"cpu99999999999999999999 1 2 3 4", false, {0}},
    {"cpux 1 2 3 4", false, {0}},
    {"intr 1 2 3 4", false, {0}},
    {"cpu", false, {0}},
    {"", false, {0}},
};

static void
test_parse(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(parse_cases); i++) {
    const ParseCase *test = &parse_cases[i];
    EppdCpuTimes times = {77, 78, 79};

    g_test_message("'%s'", test->line);
    g_assert_true(eppd_cpu_times_parse(test->line, &times) == test->ok);
    g_assert_cmpuint(times.cpu, ==, test->ok ? test->times.cpu : 77);
    g_assert_cmpuint(times.busy_ticks, ==, test->ok ? test->times.busy_ticks : 78);
    g_assert_cmpuint(times.total_ticks, ==, test->ok ? test->times.total_ticks : 79);
  }
}

static void
count_cpu(const EppdCpuTimes *times, gpointer data)
{
  guint *n = data;

  g_assert_cmpuint(times->cpu, ==, *n);
  g_assert_cmpuint(times->busy_ticks, ==, 6);
  (*n)++;
}

static void
check_file(const char *text, guint n_cpus)
{
  g_autofree char *path = NULL;
  g_autoptr(GError) error = NULL;
  int fd = g_file_open_tmp("eppd-stat-XXXXXX", &path, NULL);
  guint n = 0;

  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  g_close(fd, NULL);
  fd = g_open(path, O_RDONLY | O_CLOEXEC, 0);
  /* Twice: it starts anew each time. */
  for (guint round = 0; round < 2; round++) {
    n = 0;
    g_clear_error(&error);
    g_assert_true(eppd_cpu_times_read(fd, count_cpu, &n, &error) == (n_cpus > 0));
    g_assert_cmpuint(n, ==, n_cpus);
  }
  if (n_cpus == 0)
    g_assert_error(error, EPPD_ERROR, EPPD_ERROR_INVALID);
  g_close(fd, NULL);
  g_unlink(path);
}

static void
test_read_many_cpus(void)
{
  g_autoptr(GString) text = g_string_new("cpu  1 2 3 4 5 6 7 8 9 10\n");

  for (guint i = 0; i < 1000; i++)
    g_string_append_printf(text, "cpu%u 1 2 3 4 5 0 0 0 0 0\n", i);
  g_string_append(text, "intr 1 2 3\ncpu7 9 9 9 9\n");
  check_file(text->str, 1000);
}

static void
test_read_no_cpu(void)
{
  g_autofree char *long_line = g_strnfill(10000, '1');

  check_file("", 0);
  check_file("cpu  1 2 3 4\nintr 1\n", 0);
  check_file(long_line, 0);
}

static void
ignore_cpu(const EppdCpuTimes *times, gpointer data)
{
  *(bool *)data = true;
}

static void
test_machine(void)
{
  g_autoptr(GError) error = NULL;
  bool found = false;
  int fd = eppd_cpu_times_open(&error);

  g_assert_no_error(error);
  g_assert_true(eppd_cpu_times_read(fd, ignore_cpu, &found, &error));
  g_assert_true(found);
  close(fd);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/cpu-times/a line is parsed or refused", test_parse);
  g_test_add_func("/cpu-times/all CPUs are read and nothing after them", test_read_many_cpus);
  g_test_add_func("/cpu-times/a file without CPUs is an error", test_read_no_cpu);
  g_test_add_func("/cpu-times/this machine's file is read", test_machine);
  return g_test_run();
}
