/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/file-bytes.h"

#include "base/error.h"
#include "scratch.h"

#include <fcntl.h>
#include <sys/stat.h>

typedef char *(*Read)(const char *path, gsize max, gsize *length, GError **error);

static const Read reads[] = {eppd_file_bytes_start, eppd_file_bytes_all};

static void
assert_bytes(Read read_func, const char *path, gsize max, const char *bytes, gsize expected)
{
  g_autoptr(GError) error = NULL;
  gsize length = G_MAXSIZE;
  g_autofree char *read_bytes = read_func(path, max, &length, &error);

  g_assert_no_error(error);
  g_assert_cmpmem(read_bytes, length, bytes, expected);
  g_assert_cmpint(read_bytes[length], ==, '\0');
}

static void
assert_refused(Read read_func, const char *path, gsize max, int code)
{
  g_autoptr(GError) error = NULL;
  gsize length = 42;

  g_assert_null(read_func(path, max, &length, &error));
  g_assert_error(error, EPPD_ERROR, code);
  g_assert_nonnull(strstr(error->message, path));
  g_assert_cmpuint(length, ==, 42);
}

static void
test_bytes(void)
{
  static const struct {
    const char *bytes;
    gsize length;
  } cases[] = {{"", 0}, {"a", 1}, {"a\0b", 3}, {"\xff\xfe\n\n", 4}, {"12345678", 8}};
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *path = scratch_path(dir, "file");
  g_autofree char *link = scratch_path(dir, "link");

  scratch_symlink(dir, "file", "link");
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    scratch_write_bytes(dir, "file", cases[i].bytes, cases[i].length);
    for (guint j = 0; j < G_N_ELEMENTS(reads); j++) {
      assert_bytes(reads[j], path, 8, cases[i].bytes, cases[i].length);
      assert_bytes(reads[j], link, 8, cases[i].bytes, cases[i].length);
    }
  }
}

static void
test_longer(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *path = scratch_path(dir, "file");

  scratch_write(dir, "file", "123456789");
  assert_bytes(eppd_file_bytes_start, path, 8, "12345678", 8);
  assert_refused(eppd_file_bytes_all, path, 8, EPPD_ERROR_LIMIT);
}

/* A file that says it is empty, as those of the kernel do, of more than a read gives. */
static void
test_kernel_file(void)
{
  g_autofree char *whole = NULL;
  gsize length = 0;

  g_assert_true(g_file_get_contents("/proc/self/maps", &whole, &length, NULL));
  g_assert_cmpuint(length, >, 4096);
  for (guint i = 0; i < G_N_ELEMENTS(reads); i++) {
    gsize n = 0;
    g_autofree char *bytes = reads[i]("/proc/self/maps", 1024 * 1024, &n, NULL);

    g_assert_nonnull(bytes);
    g_assert_cmpuint(n, >, 4096);
    g_assert_cmpuint(n, ==, strlen(bytes));
  }
}

static void
test_no_regular_file(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *fifo = scratch_path(dir, "fifo");
  g_autofree char *nothing = scratch_path(dir, "nothing");
  g_autofree char *dangling = scratch_path(dir, "dangling");

  g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
  scratch_symlink(dir, "nothing", "dangling");
  assert_bytes(eppd_file_bytes_start, fifo, 8, "", 0);
  assert_refused(eppd_file_bytes_all, fifo, 8, EPPD_ERROR_INVALID);
  assert_refused(eppd_file_bytes_all, "/dev/null", 8, EPPD_ERROR_INVALID);
  assert_refused(eppd_file_bytes_all, dir, 8, EPPD_ERROR_INVALID);
  for (guint i = 0; i < G_N_ELEMENTS(reads); i++) {
    assert_refused(reads[i], nothing, 8, EPPD_ERROR_GONE);
    assert_refused(reads[i], dangling, 8, EPPD_ERROR_GONE);
    assert_refused(reads[i], "", 8, EPPD_ERROR_GONE);
  }
}

static void
test_failed_read(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(GError) error = NULL;
  gsize length = 42;

  g_assert_null(eppd_file_bytes_start(dir, 8, &length, &error));
  g_assert_nonnull(error);
  g_assert_nonnull(strstr(error->message, "Could not read"));
  g_assert_cmpuint(length, ==, 42);
  g_clear_error(&error);

  /* A regular file all the same. */
  g_assert_null(eppd_file_bytes_all("/proc/self/mem", 8, &length, &error));
  g_assert_nonnull(error);
  g_assert_nonnull(strstr(error->message, "Could not read"));
  g_assert_cmpuint(length, ==, 42);
}

#define ADD(name, test) g_test_add_func("/file-bytes/" name, test)

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  ADD("any-bytes", test_bytes);
  ADD("of-a-longer-file-the-start-or-an-error", test_longer);
  ADD("a-kernel-file-in-several-reads", test_kernel_file);
  ADD("what-is-no-regular-file", test_no_regular_file);
  ADD("a-read-that-fails", test_failed_read);
  return g_test_run();
}
