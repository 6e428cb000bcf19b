/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-log.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

static void
test_lines(void)
{
  static const struct {
    SimLogEntry entry;
    const char *line;
  } rows[] = {
      {{1234567, 42, "write", "/sys/x", 0, "power\n"}, "1234567 42 write /sys/x 0 \"power\\n\"\n"},
      {{1, 42, "write", "/sys/x", EBUSY, "power"}, "1 42 write /sys/x EBUSY \"power\"\n"},
      {{1, 42, "write", "/sys/x", EOPNOTSUPP, ""}, "1 42 write /sys/x EOPNOTSUPP \"\"\n"},
      {{1, 42, "write", "/sys/x", 524, ""}, "1 42 write /sys/x 524 \"\"\n"},
      {{1, 0, "event", "/devices/system/cpu/cpu1", 0, "offline cpu"},
       "1 0 event /devices/system/cpu/cpu1 0 \"offline cpu\"\n"},
      {{1, 2, "write", "/x", 0, "a\"b\\c\td\x01\xc3\xa9"},
       "1 2 write /x 0 \"a\\\"b\\\\c\\td\\001\\303\\251\"\n"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *line = sim_log_line(&rows[i].entry);

    g_assert_cmpstr(line, ==, rows[i].line);
  }
}

static void
add(const char *path, const char *text)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(SimLog) log = sim_log_open(path, &error);

  g_assert_no_error(error);
  sim_log_add(log, &(SimLogEntry){.op = "write", .path = "/x", .text = text});
}

static void
test_what_was_there_stays(void)
{
  g_autofree char *directory = g_dir_make_tmp("sim-log-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(directory, "log", NULL);
  g_autofree char *contents = NULL;

  add(path, "one");
  add(path, "two");
  g_assert_true(g_file_get_contents(path, &contents, NULL, NULL));
  g_assert_cmpstr(contents, ==, "0 0 write /x 0 \"one\"\n0 0 write /x 0 \"two\"\n");
  g_unlink(path);
  g_rmdir(directory);
}

static void
test_a_file_that_cannot_be(void)
{
  g_autoptr(GError) error = NULL;

  g_assert_null(sim_log_open("/nonexistent/log", &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  g_assert_nonnull(strstr(error->message, "/nonexistent/log"));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sim-log/lines", test_lines);
  g_test_add_func("/sim-log/what-was-there-stays", test_what_was_there_stays);
  g_test_add_func("/sim-log/a-file-that-cannot-be", test_a_file_that_cannot_be);
  return g_test_run();
}
