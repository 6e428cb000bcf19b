/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/attribute.h"

#include "base/error.h"
#include "scratch.h"

#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "scaling_governor"

typedef struct {
  Scratch *dir;
  EppdAttribute attribute;
} Fixture;

static void
set_up(Fixture *fixture, gconstpointer data)
{
  fixture->dir = scratch_new();
  scratch_write(fixture->dir, FILE_NAME, "powersave\n");
  eppd_attribute_init(&fixture->attribute, g_build_filename(fixture->dir, FILE_NAME, NULL));
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  eppd_attribute_clear(&fixture->attribute);
  scratch_free(fixture->dir);
}

static void
assert_reads(Fixture *fixture, const char *expected)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = eppd_attribute_read(&fixture->attribute, &error);

  g_assert_no_error(error);
  g_assert_cmpstr(text, ==, expected);
}

static void
test_opens_at_the_first_access_and_stays_open(Fixture *fixture, gconstpointer data)
{
  int fd;

  g_assert_cmpint(fixture->attribute.fd, ==, -1);
  assert_reads(fixture, "powersave");
  fd = fixture->attribute.fd;
  g_assert_cmpint(fd, >=, 0);
  g_assert_true(eppd_attribute_write(&fixture->attribute, "performance", NULL));
  assert_reads(fixture, "performance");
  g_assert_cmpint(fixture->attribute.fd, ==, fd);
}

static void
test_update_writes_what_differs_alone(Fixture *fixture, gconstpointer data)
{
  struct stat before;
  struct stat after;

  g_assert_cmpint(stat(fixture->attribute.path, &before), ==, 0);
  g_assert_true(eppd_attribute_update(&fixture->attribute, "powersave", NULL));
  g_assert_cmpint(stat(fixture->attribute.path, &after), ==, 0);
  g_assert_cmpint(before.st_mtim.tv_sec, ==, after.st_mtim.tv_sec);
  g_assert_cmpint(before.st_mtim.tv_nsec, ==, after.st_mtim.tv_nsec);
  g_assert_true(eppd_attribute_update(&fixture->attribute, "performance", NULL));
  assert_reads(fixture, "performance");
}

static void
test_missing_file_is_gone_until_it_is_there(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) read_error = NULL;
  g_autoptr(GError) write_error = NULL;

  scratch_remove(fixture->dir, FILE_NAME);
  g_assert_null(eppd_attribute_read(&fixture->attribute, &read_error));
  g_assert_error(read_error, EPPD_ERROR, EPPD_ERROR_GONE);
  g_assert_nonnull(strstr(read_error->message, FILE_NAME));
  g_assert_false(eppd_attribute_write(&fixture->attribute, "x", &write_error));
  g_assert_error(write_error, EPPD_ERROR, EPPD_ERROR_GONE);

  scratch_write(fixture->dir, FILE_NAME, "ondemand\n");
  assert_reads(fixture, "ondemand");
}

static void
test_closed_attribute_opens_what_is_there_now(Fixture *fixture, gconstpointer data)
{
  assert_reads(fixture, "powersave");
  scratch_remove(fixture->dir, FILE_NAME);
  scratch_write(fixture->dir, FILE_NAME, "schedutil\n");
  eppd_attribute_close(&fixture->attribute);
  assert_reads(fixture, "schedutil");
}

static void
test_read_only_file_can_be_read_and_says_no_to_writes(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  bool is_root = geteuid() == 0;

  /* No mode binds root. */
  g_assert_cmpint(g_chmod(fixture->attribute.path, 0444), ==, 0);
  if (is_root)
    g_assert_cmpint(seteuid(65534), ==, 0);
  assert_reads(fixture, "powersave");
  g_assert_false(eppd_attribute_write(&fixture->attribute, "x", &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_DENIED);
  if (is_root)
    g_assert_cmpint(seteuid(0), ==, 0);

  /* It is asked anew each time. */
  g_assert_cmpint(g_chmod(fixture->attribute.path, 0644), ==, 0);
  g_assert_true(eppd_attribute_write(&fixture->attribute, "ondemand", NULL));
  assert_reads(fixture, "ondemand");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add("/attribute/" name, Fixture, NULL, set_up, function, tear_down)
  ADD("opens-at-the-first-access-and-stays-open", test_opens_at_the_first_access_and_stays_open);
  ADD("update-writes-what-differs-alone", test_update_writes_what_differs_alone);
  ADD("missing-file-is-gone-until-it-is-there", test_missing_file_is_gone_until_it_is_there);
  ADD("closed-attribute-opens-what-is-there-now", test_closed_attribute_opens_what_is_there_now);
  ADD("read-only-file-can-be-read-and-says-no-to-writes",
      test_read_only_file_can_be_read_and_says_no_to_writes);
  return g_test_run();
}
