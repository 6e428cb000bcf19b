/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "base/text-file.h"
#include "scratch.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

typedef char *(*ReadFunc)(const char *path, GError **error);

static char *
read_by_pread(const char *path, GError **error)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  char *text;

  g_assert_cmpint(fd, >=, 0);
  text = eppd_text_file_pread(fd, path, error);
  close(fd);
  return text;
}

#define NO_ERROR (-1)

/* What each reader makes of the same bytes: the whole, the first line, the first line by pread. */
typedef struct {
  const char *name;
  const char *bytes;
  gsize length; /* 0: by strlen */
  const char *whole;
  int whole_error;
  const char *line;
  int line_error;
} ReadCase;

static const ReadCase read_cases[] = {
    {"one-line", "powersave\n", 0, "powersave", NO_ERROR, "powersave", NO_ERROR},
    {"no-newline", "powersave", 0, "powersave", NO_ERROR, "powersave", NO_ERROR},
    {"white-space", "\t 0 1 2 \r\n", 0, "0 1 2", NO_ERROR, "0 1 2", NO_ERROR},
    {"rest-of-an-older-value", "power\ne_performance\n", 0, "power\ne_performance", NO_ERROR,
     "power", NO_ERROR},
    {"blank-first-line", "\nrest", 0, "rest", NO_ERROR, NULL, EPPD_ERROR_EMPTY},
    {"empty", "", 0, NULL, EPPD_ERROR_EMPTY, NULL, EPPD_ERROR_EMPTY},
    {"white-space-alone", " \n \n", 0, NULL, EPPD_ERROR_EMPTY, NULL, EPPD_ERROR_EMPTY},
    {"nul", "power\0save\n", 11, NULL, EPPD_ERROR_INVALID, NULL, EPPD_ERROR_INVALID},
    {"nul-behind-the-line", "power\n\0\n", 8, NULL, EPPD_ERROR_INVALID, "power", NO_ERROR},
    {"high-bytes-are-text", "\xff\xfe\n", 0, "\xff\xfe", NO_ERROR, "\xff\xfe", NO_ERROR},
};

static void
check_read(ReadFunc read_func, const char *path, const char *text, int code)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *read = read_func(path, &error);

  g_assert_cmpstr(read, ==, text);
  if (code == NO_ERROR) {
    g_assert_no_error(error);
    return;
  }
  g_assert_error(error, EPPD_ERROR, code);
  g_assert_nonnull(strstr(error->message, path));
}

static void
test_read(gconstpointer data)
{
  const ReadCase *c = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *path = scratch_path(dir, "file");

  scratch_write_bytes(dir, "file", c->bytes, c->length ? c->length : strlen(c->bytes));
  check_read(eppd_text_file_read, path, c->whole, c->whole_error);
  check_read(eppd_text_file_read_start, path, c->whole, c->whole_error);
  check_read(eppd_text_file_read_line, path, c->line, c->line_error);
  check_read(read_by_pread, path, c->line, c->line_error);
}

static void
test_long_files(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *path = scratch_path(dir, "file");
  g_autofree char *text = g_strnfill(1024 * 1024, 'x');
  g_autofree char *largest = g_strnfill(EPPD_TEXT_FILE_MAX, 'x');
  g_autofree char *page = g_strnfill(4096, 'x');

  scratch_write(dir, "file", text);
  check_read(eppd_text_file_read, path, NULL, EPPD_ERROR_LIMIT);
  check_read(eppd_text_file_read_line, path, NULL, EPPD_ERROR_LIMIT);
  check_read(eppd_text_file_read_start, path, largest, NO_ERROR);
  check_read(read_by_pread, path, NULL, EPPD_ERROR_LIMIT);

  scratch_write(dir, "file", largest);
  check_read(eppd_text_file_read, path, largest, NO_ERROR);
  check_read(eppd_text_file_read_line, path, largest, NO_ERROR);

  scratch_write(dir, "file", page);
  check_read(read_by_pread, path, page, NO_ERROR);

  memcpy(text, "power\n", 6);
  scratch_write(dir, "file", text);
  check_read(eppd_text_file_read_line, path, "power", NO_ERROR);
  check_read(read_by_pread, path, "power", NO_ERROR);
}

static void
test_odd_paths(void)
{
  const ReadFunc funcs[] = {eppd_text_file_read, eppd_text_file_read_line,
                            eppd_text_file_read_start};
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *missing = scratch_path(dir, "missing");
  g_autofree char *below_file = scratch_path(dir, "file/below");
  g_autofree char *loop = scratch_path(dir, "loop");
  g_autofree char *fifo = scratch_path(dir, "fifo");
  g_autofree char *secret = scratch_path(dir, "secret");

  scratch_write(dir, "file", "text");
  scratch_write(dir, "secret", "text");
  scratch_chmod(dir, "secret", 0);
  scratch_symlink(dir, "loop", "loop");
  g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);

  for (gsize i = 0; i < G_N_ELEMENTS(funcs); i++) {
    check_read(funcs[i], missing, NULL, EPPD_ERROR_GONE);
    check_read(funcs[i], below_file, NULL, EPPD_ERROR_GONE);
    check_read(funcs[i], loop, NULL, EPPD_ERROR_FAILED);
    check_read(funcs[i], dir, NULL, EPPD_ERROR_FAILED);
    /* It must return at all. */
    check_read(funcs[i], fifo, NULL, EPPD_ERROR_EMPTY);
    scratch_be_nobody(true);
    check_read(funcs[i], secret, NULL, EPPD_ERROR_DENIED);
    scratch_be_nobody(false);
  }
}

static void
test_numbers(void)
{
  const struct {
    const char *text;
    gint64 min, max;
    int code;
    gint64 value;
  } cases[] = {
      {"0\n", 0, 2, NO_ERROR, 0},
      {"4294967295", 0, G_MAXUINT32, NO_ERROR, 4294967295},
      {"-5", -10, 0, NO_ERROR, -5},
      {"400000\n\n", 0, G_MAXUINT32, NO_ERROR, 400000},
      {"3", 0, 2, EPPD_ERROR_INVALID, 0},
      {"-1", 0, 2, EPPD_ERROR_INVALID, 0},
      {"0x10", 0, 100, EPPD_ERROR_INVALID, 0},
      {"1.5", 0, 100, EPPD_ERROR_INVALID, 0},
      {"1 2", 0, 100, EPPD_ERROR_INVALID, 0},
      {"<unsupported>", 0, 100, EPPD_ERROR_INVALID, 0},
      {"99999999999999999999999", 0, G_MAXINT64, EPPD_ERROR_INVALID, 0},
      {"", 0, 100, EPPD_ERROR_EMPTY, 0},
  };
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *path = scratch_path(dir, "file");

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GError) error = NULL;
    gint64 value = 4242;

    scratch_write(dir, "file", cases[i].text);
    g_assert_cmpint(eppd_text_file_read_number(path, cases[i].min, cases[i].max, &value, &error),
                    ==, cases[i].code == NO_ERROR);
    if (cases[i].code == NO_ERROR) {
      g_assert_no_error(error);
      g_assert_cmpint(value, ==, cases[i].value);
    } else {
      g_assert_error(error, EPPD_ERROR, cases[i].code);
      g_assert_cmpint(value, ==, 4242);
    }
  }
}

static void
test_shorter_write_reads_back(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(GError) error = NULL;
  g_autofree char *path = scratch_path(dir, "file");

  scratch_write(dir, "file", "balance_performance\n");
  g_assert_true(eppd_text_file_write(path, "power", &error));
  g_assert_no_error(error);
  check_read(eppd_text_file_read_line, path, "power", NO_ERROR);
  g_assert_true(eppd_text_file_write(path, "balance_power", &error));
  check_read(read_by_pread, path, "balance_power", NO_ERROR);
}

static void
test_write_creates_nothing(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(GError) error = NULL;
  g_autofree char *path = scratch_path(dir, "missing");

  g_assert_false(eppd_text_file_write(path, "power", &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_GONE);
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

static void
test_write_denied(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(GError) error = NULL;
  g_autofree char *path = scratch_path(dir, "file");

  scratch_write(dir, "file", "power\n");
  scratch_chmod(dir, "file", 0444);
  scratch_be_nobody(true);
  g_assert_false(eppd_text_file_write(path, "performance", &error));
  scratch_be_nobody(false);
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_DENIED);
  check_read(eppd_text_file_read_line, path, "power", NO_ERROR);
}

static void
test_write_to_a_full_device_fails(void)
{
  g_autoptr(GError) error = NULL;

  g_assert_false(eppd_text_file_write("/dev/full", "power", &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_FAILED);
  g_assert_nonnull(strstr(error->message, "'power' to /dev/full"));
}

static void
test_update_writes_what_differs(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(GError) error = NULL;
  g_autofree char *path = scratch_path(dir, "file");
  g_autofree char *text = NULL;

  /* Not rewritten: it would have got its newline. */
  scratch_write(dir, "file", "powersave");
  g_assert_true(eppd_text_file_update(path, "powersave", &error));
  text = scratch_read(dir, "file");
  g_assert_cmpstr(text, ==, "powersave");

  g_assert_true(eppd_text_file_update(path, "performance", &error));
  check_read(eppd_text_file_read_line, path, "performance", NO_ERROR);
  g_assert_no_error(error);

  scratch_remove(dir, "file");
  g_assert_false(eppd_text_file_update(path, "performance", &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_GONE);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(read_cases); i++) {
    g_autofree char *path = g_strconcat("/text-file/read/", read_cases[i].name, NULL);

    g_test_add_data_func(path, &read_cases[i], test_read);
  }
  g_test_add_func("/text-file/long-files", test_long_files);
  g_test_add_func("/text-file/odd-paths", test_odd_paths);
  g_test_add_func("/text-file/numbers", test_numbers);
  g_test_add_func("/text-file/shorter-write-reads-back", test_shorter_write_reads_back);
  g_test_add_func("/text-file/write-creates-nothing", test_write_creates_nothing);
  g_test_add_func("/text-file/write-denied", test_write_denied);
  g_test_add_func("/text-file/write-to-a-full-device-fails", test_write_to_a_full_device_fails);
  g_test_add_func("/text-file/update-writes-what-differs", test_update_writes_what_differs);
  return g_test_run();
}
