/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "games/user-file.h"
#include "scratch.h"

#include <sys/stat.h>

static gboolean
replace(const Scratch *dir, const char *relative, const char *text, GError **error)
{
  g_autofree char *base = scratch_path(dir, "base/applications");

  return eppd_user_file_replace(base, relative, text, strlen(text), error);
}

static gboolean
remove_file(const Scratch *dir, const char *relative, GError **error)
{
  g_autofree char *base = scratch_path(dir, "base/applications");

  return eppd_user_file_remove(base, relative, error);
}

static void
check_text(const Scratch *dir, const char *file, const char *text)
{
  g_autofree char *found = scratch_read(dir, file);

  g_assert_cmpstr(found, ==, text);
}

/* How many files a directory holds: nothing temporary may stay. */
static guint
n_files(const Scratch *dir, const char *directory)
{
  g_autofree char *path = scratch_path(dir, directory);
  g_autoptr(GDir) open = g_dir_open(path, 0, NULL);
  guint n = 0;

  while (open && g_dir_read_name(open))
    n++;
  return n;
}

static mode_t
mode_of(const Scratch *dir, const char *file)
{
  g_autofree char *path = scratch_path(dir, file);
  struct stat st;

  g_assert_cmpint(lstat(path, &st), ==, 0);
  return st.st_mode;
}

static void
test_directories_are_made(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(GError) error = NULL;

  replace(dir, "a/b/c.desktop", "text", &error);
  g_assert_no_error(error);
  check_text(dir, "base/applications/a/b/c.desktop", "text");
  g_assert_cmpuint(n_files(dir, "base/applications/a/b"), ==, 1);
}

static void
test_the_file_is_replaced_and_keeps_its_mode(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(GError) error = NULL;

  scratch_write(dir, "base/applications/a.desktop", "old and longer");
  scratch_chmod(dir, "base/applications/a.desktop", 0750);
  replace(dir, "a.desktop", "new", &error);
  g_assert_no_error(error);
  check_text(dir, "base/applications/a.desktop", "new");
  g_assert_cmpuint(mode_of(dir, "base/applications/a.desktop"), ==, S_IFREG | 0750);
  g_assert_cmpuint(n_files(dir, "base/applications"), ==, 1);
}

static void
test_a_link_in_its_place_is_not_written_through(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(GError) error = NULL;

  scratch_write(dir, "system/a.desktop", "system");
  scratch_symlink(dir, "../../system/a.desktop", "base/applications/a.desktop");
  replace(dir, "a.desktop", "user", &error);
  g_assert_no_error(error);
  check_text(dir, "system/a.desktop", "system");
  check_text(dir, "base/applications/a.desktop", "user");
  g_assert_true(S_ISREG(mode_of(dir, "base/applications/a.desktop")));

  g_assert_true(remove_file(dir, "a.desktop", NULL));
  scratch_symlink(dir, "../../system/a.desktop", "base/applications/a.desktop");
  g_assert_true(remove_file(dir, "a.desktop", NULL));
  check_text(dir, "system/a.desktop", "system");
}

static void
test_no_way_leads_out(void)
{
  const char *const ways[] = {"out/a.desktop", "sub/out/a.desktop", "../system/a.desktop",
                              "sub/../../../system/a.desktop"};
  g_autoptr(Scratch) dir = scratch_new();

  scratch_write(dir, "system/a.desktop", "system");
  scratch_symlink(dir, "../../system", "base/applications/out");
  scratch_mkdir(dir, "base/applications/sub");
  scratch_symlink(dir, "../../../system", "base/applications/sub/out");
  for (guint i = 0; i < G_N_ELEMENTS(ways); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GError) remove_error = NULL;

    g_assert_false(replace(dir, ways[i], "user", &error));
    g_assert_nonnull(error);
    g_assert_false(remove_file(dir, ways[i], &remove_error));
    g_assert_nonnull(remove_error);
    check_text(dir, "system/a.desktop", "system");
    g_assert_cmpuint(n_files(dir, "system"), ==, 1);
  }
}

static void
test_the_users_directory_may_be_a_link(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(GError) error = NULL;

  scratch_mkdir(dir, "dotfiles");
  scratch_symlink(dir, "../dotfiles", "base/applications");
  replace(dir, "a.desktop", "text", &error);
  g_assert_no_error(error);
  check_text(dir, "dotfiles/a.desktop", "text");
}

static void
test_a_failure_leaves_what_was_there(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(GError) error = NULL;
  g_autoptr(GError) closed_error = NULL;

  scratch_mkdir(dir, "base/applications/a.desktop/inner");
  g_assert_false(replace(dir, "a.desktop", "text", &error));
  g_assert_nonnull(error);
  g_assert_cmpuint(n_files(dir, "base/applications"), ==, 1);
  g_assert_cmpuint(n_files(dir, "base/applications/a.desktop"), ==, 1);

  scratch_write(dir, "base/applications/b.desktop", "old");
  scratch_chmod(dir, "base/applications", 0555);
  scratch_be_nobody(true);
  g_assert_false(replace(dir, "b.desktop", "new", &closed_error));
  scratch_be_nobody(false);
  g_assert_error(closed_error, EPPD_ERROR, EPPD_ERROR_DENIED);
  check_text(dir, "base/applications/b.desktop", "old");
}

static void
test_removing_what_is_not_there(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(GError) error = NULL;

  g_assert_false(remove_file(dir, "a.desktop", &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_GONE);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/user-file/directories-are-made", test_directories_are_made);
  g_test_add_func("/user-file/the-file-is-replaced-and-keeps-its-mode",
                  test_the_file_is_replaced_and_keeps_its_mode);
  g_test_add_func("/user-file/a-link-in-its-place-is-not-written-through",
                  test_a_link_in_its_place_is_not_written_through);
  g_test_add_func("/user-file/no-way-leads-out", test_no_way_leads_out);
  g_test_add_func("/user-file/the-users-directory-may-be-a-link",
                  test_the_users_directory_may_be_a_link);
  g_test_add_func("/user-file/a-failure-leaves-what-was-there",
                  test_a_failure_leaves_what_was_there);
  g_test_add_func("/user-file/removing-what-is-not-there", test_removing_what_is_not_there);
  return g_test_run();
}
