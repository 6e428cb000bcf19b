/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "daemon/flag-file.h"
#include "scratch.h"

typedef struct {
  Scratch *dir;
  EppdFlagFile *file; /* "file" in it */
} Fixture;

static void
set_up(Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = NULL;

  fixture->dir = scratch_new();
  scratch_mkdir(fixture->dir, "run");
  path = scratch_path(fixture->dir, "run/file");
  fixture->file = eppd_flag_file_new(path);
  g_assert_cmpstr(eppd_flag_file_path(fixture->file), ==, path);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  eppd_flag_file_free(fixture->file);
  scratch_free(fixture->dir);
}

static gboolean
replace(Fixture *fixture, const char *text, GError **error)
{
  GString *string = g_string_new(text);
  gboolean ok = eppd_flag_file_replace(fixture->file, string, error);

  g_string_free(string, TRUE);
  return ok;
}

static void
assert_text(Fixture *fixture, const char *expected)
{
  g_autofree char *text = scratch_read(fixture->dir, "run/file");

  g_assert_cmpstr(text, ==, expected);
}

static void
test_replaced_whole_and_flipped_in_place(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  assert_text(fixture, NULL);
  g_assert_true(replace(fixture, "a=0\nb=0\n", &error));
  g_assert_true(eppd_flag_file_set(fixture->file, 6, '1', &error));
  assert_text(fixture, "a=0\nb=1\n");
  g_assert_true(replace(fixture, "b=0\n", &error));
  assert_text(fixture, "b=0\n");
  g_assert_true(eppd_flag_file_set(fixture->file, 2, '1', &error));
  assert_text(fixture, "b=1\n");
  g_assert_true(replace(fixture, "", &error));
  assert_text(fixture, "");
  g_assert_no_error(error);
}

static void
test_a_failure_leaves_the_old_one(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  g_assert_true(replace(fixture, "a=0\n", NULL));
  scratch_chmod(fixture->dir, "run", 0555);
  scratch_be_nobody(true);
  g_assert_false(replace(fixture, "b=0\n", &error));
  scratch_be_nobody(false);
  scratch_chmod(fixture->dir, "run", 0755);
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_DENIED);
  g_assert_true(eppd_flag_file_set(fixture->file, 2, '1', NULL));
  assert_text(fixture, "a=1\n");
}

static void
test_links_are_not_followed(Fixture *fixture, gconstpointer data)
{
  g_autofree char *victim = NULL;

  scratch_write(fixture->dir, "victim", "precious");
  scratch_symlink(fixture->dir, "../victim", "run/file");
  scratch_symlink(fixture->dir, "../victim", "run/file.new");
  g_assert_true(replace(fixture, "a=0\n", NULL));
  g_assert_true(eppd_flag_file_set(fixture->file, 2, '1', NULL));
  assert_text(fixture, "a=1\n");
  victim = scratch_read(fixture->dir, "victim");
  g_assert_cmpstr(victim, ==, "precious");
}

static void
test_removed_by_another(Fixture *fixture, gconstpointer data)
{
  g_assert_false(eppd_flag_file_is_removed(fixture->file));
  g_assert_true(replace(fixture, "a=0\n", NULL));
  g_assert_false(eppd_flag_file_is_removed(fixture->file));
  scratch_remove(fixture->dir, "run/file");
  g_assert_true(eppd_flag_file_is_removed(fixture->file));
  g_assert_true(replace(fixture, "a=0\n", NULL));
  g_assert_false(eppd_flag_file_is_removed(fixture->file));
}

static void
test_removed_by_us(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  g_assert_true(eppd_flag_file_remove(fixture->file, &error));
  g_assert_true(replace(fixture, "a=0\n", &error));
  g_assert_true(eppd_flag_file_remove(fixture->file, &error));
  assert_text(fixture, NULL);
  g_assert_false(eppd_flag_file_is_removed(fixture->file));
  g_assert_no_error(error);

  scratch_mkdir(fixture->dir, "run/file");
  g_assert_false(eppd_flag_file_remove(fixture->file, &error));
  g_assert_nonnull(strstr(error->message, "run/file"));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add("/flag-file/replaced-whole-and-flipped-in-place", Fixture, NULL, set_up,
             test_replaced_whole_and_flipped_in_place, tear_down);
  g_test_add("/flag-file/a-failure-leaves-the-old-one", Fixture, NULL, set_up,
             test_a_failure_leaves_the_old_one, tear_down);
  g_test_add("/flag-file/links-are-not-followed", Fixture, NULL, set_up,
             test_links_are_not_followed, tear_down);
  g_test_add("/flag-file/removed-by-another", Fixture, NULL, set_up, test_removed_by_another,
             tear_down);
  g_test_add("/flag-file/removed-by-us", Fixture, NULL, set_up, test_removed_by_us, tear_down);
  return g_test_run();
}
