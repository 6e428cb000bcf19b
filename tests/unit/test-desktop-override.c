/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "games/desktop-override.h"
#include "games/desktop-text.h"
#include "scratch.h"

#include <sys/stat.h>

#define HEADER "[Desktop Entry]\n"
#define KEYS   "Type=Application\nName=Game\nName[de]=Sp\xe4\xdf # \n\n# c\nExec=g\n"

#define GAME     HEADER KEYS
#define ENABLED  HEADER "X-Eppd-Boost=true\n" KEYS
#define DISABLED HEADER "X-Eppd-Boost=false\n" KEYS

static const EppdBoostKeys none = {0};
static const EppdBoostKeys yes = {.has_boost = true, .boost = true};
static const EppdBoostKeys no = {.has_boost = true};
static const EppdBoostKeys all = {.has_boost = true,
                                  .boost = true,
                                  .has_trigger = true,
                                  .trigger = EPPD_TRIGGER_APP,
                                  .threshold_percent = 12,
                                  .has_profile = true,
                                  .profile = EPPD_PROFILE_PERFORMANCE};

/* ---- text ---- */

typedef struct {
  const char *name;
  const EppdBoostKeys *keys;
  const char *before;
  const char *after;
} Case;

static const Case cases[] = {
    {"new-key", &yes, GAME, ENABLED},
    {"all-keys", &all, HEADER "Name=x\n",
     HEADER "X-Eppd-Boost=true\nX-Eppd-Trigger=app\nX-Eppd-Threshold=12\n"
            "X-Eppd-Profile=performance\nName=x\n"},
    {"changed-where-it-stands", &yes, HEADER "A=1\nX-Eppd-Boost=false\nB=2\n",
     HEADER "A=1\nX-Eppd-Boost=true\nB=2\n"},
    {"wrong-value-is-changed", &no, HEADER "X-Eppd-Boost=maybe\n", HEADER "X-Eppd-Boost=false\n"},
    {"kept-byte-for-byte", &yes, HEADER " X-Eppd-Boost  =\ttrue \nA=1",
     HEADER " X-Eppd-Boost  =\ttrue \nA=1"},
    {"removed", &none, HEADER "A=1\nX-Eppd-Boost=true\nX-Eppd-Threshold=5\nB=2\n",
     HEADER "A=1\nB=2\n"},
    {"last-of-duplicates", &yes, HEADER "X-Eppd-Boost=true\nA=1\nX-Eppd-Boost=false\nB=2\n",
     HEADER "A=1\nX-Eppd-Boost=true\nB=2\n"},
    {"duplicates-in-a-later-group", &yes,
     HEADER "X-Eppd-Boost=false\n[X]\nA=1\n" HEADER "X-Eppd-Boost=false\n",
     HEADER "[X]\nA=1\n" HEADER "X-Eppd-Boost=true\n"},
    {"duplicates-removed", &none,
     HEADER "X-Eppd-Boost=true\n[X]\nA=1\n" HEADER "X-Eppd-Boost=false\n",
     HEADER "[X]\nA=1\n" HEADER},
    {"one-stays-another-goes", &yes, HEADER "X-Eppd-Trigger=app\nX-Eppd-Boost=true\n",
     HEADER "X-Eppd-Boost=true\n"},
    {"crlf", &yes, "[Desktop Entry]\r\nA=1\r\n", "[Desktop Entry]\r\nX-Eppd-Boost=true\r\nA=1\r\n"},
    {"crlf-changed", &yes, "[Desktop Entry]\nX-Eppd-Boost=false\r\n",
     "[Desktop Entry]\nX-Eppd-Boost=true\r\n"},
    {"no-newline-at-the-end", &yes, HEADER "A=1", HEADER "X-Eppd-Boost=true\nA=1"},
    {"no-newline-behind-the-key", &yes, HEADER "X-Eppd-Boost=false", HEADER "X-Eppd-Boost=true"},
    {"byte-order-mark", &yes, "\xef\xbb\xbf" HEADER "A=1\n",
     "\xef\xbb\xbf" HEADER "X-Eppd-Boost=true\nA=1\n"},
    {"other-groups-are-not-touched", &yes,
     "[X]\nX-Eppd-Boost=false\n" HEADER "A=1\n[Desktop Action y]\nX-Eppd-Boost=false\n",
     "[X]\nX-Eppd-Boost=false\n" HEADER
     "X-Eppd-Boost=true\nA=1\n[Desktop Action y]\nX-Eppd-Boost=false\n"},
    {"similar-keys-are-not-touched", &none,
     HEADER "X-Eppd-Boosts=1\nX-Eppd-Boost[de]=1\n#X-Eppd-Boost=1\n",
     HEADER "X-Eppd-Boosts=1\nX-Eppd-Boost[de]=1\n#X-Eppd-Boost=1\n"},
    {"junk-is-kept", &yes, "junk\n\n" HEADER "\xff\xfe\n=\n \t\n",
     "junk\n\n" HEADER "X-Eppd-Boost=true\n\xff\xfe\n=\n \t\n"},
};

static void
check_text(const Case *c, const char *bytes, gsize length, const char *after)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *exact = g_memdup2(bytes, length);
  gsize new_length = 0;
  g_autofree char *text = eppd_desktop_override_text(exact, length, c->keys, &new_length, &error);

  g_assert_no_error(error);
  g_assert_cmpuint(new_length, ==, strlen(text));
  g_assert_cmpstr(text, ==, after);
}

static void
test_text(gconstpointer data)
{
  const Case *c = data;

  check_text(c, c->before, strlen(c->before), c->after);
  /* Once more changes nothing. */
  check_text(c, c->after, strlen(c->after), c->after);
}

static void
test_nul_bytes_are_kept(void)
{
  const char before[] = HEADER "A=\0\n\0";
  const char after[] = HEADER "X-Eppd-Boost=true\nA=\0\n\0";
  gsize length = 0;
  g_autofree char *text =
      eppd_desktop_override_text(before, sizeof before - 1, &yes, &length, NULL);

  g_assert_cmpmem(text, length, after, sizeof after - 1);
}

static void
test_what_is_no_entry_is_refused(void)
{
  const char *const texts[] = {"", "A=1\n", "[X]\nA=1\n", "[Desktop Entry]", HEADER};
  g_autoptr(GError) limit_error = NULL;
  g_autoptr(GString) big = g_string_new(HEADER);
  gsize length = 7;

  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(GError) error = NULL;

    g_assert_null(eppd_desktop_override_text(texts[i], strlen(texts[i]), &yes, &length, &error));
    g_assert_error(error, EPPD_ERROR, EPPD_ERROR_INVALID);
  }
  while (big->len < EPPD_DESKTOP_TEXT_MAX)
    g_string_append_c(big, '\n');
  g_assert_null(eppd_desktop_override_text(big->str, big->len, &yes, &length, &limit_error));
  g_assert_error(limit_error, EPPD_ERROR, EPPD_ERROR_LIMIT);
  g_assert_cmpuint(length, ==, 7);
}

/* ---- files ---- */

static EppdDesktopDirs *
dirs_in(const Scratch *dir)
{
  g_autofree char *home = scratch_path(dir, "home");
  g_autofree char *data_dirs = scratch_path(dir, "system");
  EppdDesktopDirs *dirs = eppd_desktop_dirs_new(NULL, home, data_dirs, NULL);

  g_assert_nonnull(dirs);
  return dirs;
}

static void
check_file(const Scratch *dir, const char *file, const char *text)
{
  g_autofree char *found = scratch_read(dir, file);

  g_assert_cmpstr(found, ==, text);
}

static void
check_outcome(const Scratch *dir,
              EppdOverrideResult result,
              const char *path,
              EppdOverrideResult expected_result,
              const char *expected_file)
{
  g_autofree char *expected = scratch_path(dir, expected_file);

  g_assert_cmpint((int)result, ==, (int)expected_result);
  g_assert_cmpstr(path, ==, expected);
}

static void
set_ok(const Scratch *dir,
       const char *id,
       const EppdBoostKeys *keys,
       EppdOverrideResult expected,
       const char *file)
{
  g_autoptr(EppdDesktopDirs) dirs = dirs_in(dir);
  g_autoptr(GError) error = NULL;
  g_autofree char *path = NULL;
  EppdOverrideResult result = (EppdOverrideResult)-1;

  eppd_desktop_override_set(dirs, id, keys, &result, &path, &error);
  g_assert_no_error(error);
  check_outcome(dir, result, path, expected, file);
}

static void
disable_ok(const Scratch *dir, const char *category, EppdOverrideResult expected, const char *file)
{
  const char *const categories[] = {category, NULL};
  const EppdGameSettings settings = {.desktop_key = true, .categories = categories};
  g_autoptr(EppdDesktopDirs) dirs = dirs_in(dir);
  g_autoptr(GError) error = NULL;
  g_autofree char *path = NULL;
  EppdOverrideResult result = (EppdOverrideResult)-1;

  eppd_desktop_override_disable(dirs, "a", &settings, &result, &path, &error);
  g_assert_no_error(error);
  check_outcome(dir, result, path, expected, file);
}

#define SYSTEM_FILE "system/applications/a.desktop"
#define USERS_FILE  "home/applications/a.desktop"

static void
test_enabled_and_disabled_again(void)
{
  g_autoptr(Scratch) dir = scratch_new();

  scratch_write(dir, SYSTEM_FILE, GAME);
  set_ok(dir, "a", &yes, EPPD_OVERRIDE_WRITTEN, USERS_FILE);
  check_file(dir, USERS_FILE, ENABLED);
  set_ok(dir, "a.desktop", &yes, EPPD_OVERRIDE_UNCHANGED, USERS_FILE);
  disable_ok(dir, NULL, EPPD_OVERRIDE_REMOVED, USERS_FILE);
  check_file(dir, USERS_FILE, NULL);
  disable_ok(dir, NULL, EPPD_OVERRIDE_UNCHANGED, SYSTEM_FILE);
  check_file(dir, USERS_FILE, NULL);
  check_file(dir, SYSTEM_FILE, GAME);
}

static void
test_a_file_of_the_users_own_stays(void)
{
  g_autoptr(Scratch) dir = scratch_new();

  scratch_write(dir, USERS_FILE, GAME);
  set_ok(dir, "a", &yes, EPPD_OVERRIDE_WRITTEN, USERS_FILE);
  check_file(dir, USERS_FILE, ENABLED);
  disable_ok(dir, NULL, EPPD_OVERRIDE_WRITTEN, USERS_FILE);
  check_file(dir, USERS_FILE, GAME);
}

static void
test_a_copy_that_the_user_changed_stays(void)
{
  g_autoptr(Scratch) dir = scratch_new();

  scratch_write(dir, SYSTEM_FILE, GAME);
  scratch_write(dir, USERS_FILE, ENABLED "Icon=mine\n");
  disable_ok(dir, NULL, EPPD_OVERRIDE_WRITTEN, USERS_FILE);
  check_file(dir, USERS_FILE, GAME "Icon=mine\n");
}

static void
test_an_equal_copy_that_is_not_ours_stays(void)
{
  g_autoptr(Scratch) dir = scratch_new();

  scratch_write(dir, SYSTEM_FILE, GAME);
  scratch_write(dir, USERS_FILE, GAME);
  disable_ok(dir, NULL, EPPD_OVERRIDE_UNCHANGED, USERS_FILE);
  check_file(dir, USERS_FILE, GAME);
}

static void
test_what_the_system_opts_in_is_disabled_by_a_no(void)
{
  g_autoptr(Scratch) dir = scratch_new();

  scratch_write(dir, SYSTEM_FILE, ENABLED);
  disable_ok(dir, NULL, EPPD_OVERRIDE_WRITTEN, USERS_FILE);
  check_file(dir, USERS_FILE, DISABLED);
  disable_ok(dir, NULL, EPPD_OVERRIDE_UNCHANGED, USERS_FILE);
  /* Enabled again it is as the system's. */
  set_ok(dir, "a", &yes, EPPD_OVERRIDE_REMOVED, USERS_FILE);
  check_file(dir, USERS_FILE, NULL);
  set_ok(dir, "a", &yes, EPPD_OVERRIDE_UNCHANGED, SYSTEM_FILE);
}

static void
test_what_a_category_opts_in_is_disabled_by_a_no(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *text = NULL;

  scratch_write(dir, SYSTEM_FILE, GAME "Categories=Game;\n");
  disable_ok(dir, "Game", EPPD_OVERRIDE_WRITTEN, USERS_FILE);
  text = scratch_read(dir, USERS_FILE);
  g_assert_nonnull(strstr(text, "X-Eppd-Boost=false\n"));
  disable_ok(dir, "Game", EPPD_OVERRIDE_UNCHANGED, USERS_FILE);
}

static void
test_a_no_that_stands_there_stays(void)
{
  g_autoptr(Scratch) dir = scratch_new();

  scratch_write(dir, SYSTEM_FILE, GAME);
  scratch_write(dir, USERS_FILE, HEADER "X-Eppd-Boost=false\nX-Eppd-Threshold=5\n" KEYS);
  disable_ok(dir, NULL, EPPD_OVERRIDE_WRITTEN, USERS_FILE);
  check_file(dir, USERS_FILE, DISABLED);
  disable_ok(dir, NULL, EPPD_OVERRIDE_UNCHANGED, USERS_FILE);
}

static void
test_a_directory_that_is_the_systems_is_refused(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdDesktopDirs) dirs = dirs_in(dir);
  g_autoptr(GError) error = NULL;
  EppdOverrideResult result;

  scratch_write(dir, SYSTEM_FILE, GAME);
  scratch_symlink(dir, "../system/applications", "home/applications");
  g_assert_false(eppd_desktop_override_set(dirs, "a", &yes, &result, NULL, &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_INVALID);
  check_file(dir, SYSTEM_FILE, GAME);
}

static void
test_sub_directories_are_kept(void)
{
  g_autoptr(Scratch) dir = scratch_new();

  scratch_write(dir, "system/applications/kde4/foo.desktop", GAME);
  set_ok(dir, "kde4-foo", &yes, EPPD_OVERRIDE_WRITTEN, "home/applications/kde4/foo.desktop");
  check_file(dir, "home/applications/kde4/foo.desktop", ENABLED);
  check_file(dir, "system/applications/kde4/foo.desktop", GAME);
}

static void
test_a_link_to_the_systems_file_becomes_a_copy(void)
{
  g_autoptr(Scratch) dir = scratch_new();

  scratch_write(dir, SYSTEM_FILE, GAME);
  scratch_symlink(dir, "../../" SYSTEM_FILE, USERS_FILE);
  set_ok(dir, "a", &yes, EPPD_OVERRIDE_WRITTEN, USERS_FILE);
  check_file(dir, USERS_FILE, ENABLED);
  check_file(dir, SYSTEM_FILE, GAME);
}

static void
test_a_linked_directory_is_refused(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdDesktopDirs) dirs = dirs_in(dir);
  g_autoptr(GError) error = NULL;
  g_autofree char *path = NULL;
  EppdOverrideResult result = EPPD_OVERRIDE_REMOVED;

  scratch_write(dir, "system/applications/sub/a.desktop", GAME);
  scratch_symlink(dir, "../../system/applications/sub", "home/applications/sub");
  g_assert_false(eppd_desktop_override_set(dirs, "sub-a", &yes, &result, &path, &error));
  g_assert_nonnull(error);
  g_assert_cmpint((int)result, ==, (int)EPPD_OVERRIDE_REMOVED);
  g_assert_null(path);
  check_file(dir, "system/applications/sub/a.desktop", GAME);
}

static void
test_what_cannot_be_read_is_not_overwritten(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdDesktopDirs) dirs = dirs_in(dir);
  g_autoptr(GError) error = NULL;
  g_autoptr(GError) gone = NULL;
  EppdOverrideResult result = EPPD_OVERRIDE_REMOVED;

  scratch_write(dir, SYSTEM_FILE, GAME);
  scratch_write(dir, USERS_FILE, "junk\n");
  g_assert_false(eppd_desktop_override_set(dirs, "a", &yes, &result, NULL, &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_INVALID);
  g_assert_nonnull(strstr(error->message, USERS_FILE));
  check_file(dir, USERS_FILE, "junk\n");
  g_assert_false(eppd_desktop_override_set(dirs, "b", &yes, &result, NULL, &gone));
  g_assert_error(gone, EPPD_ERROR, EPPD_ERROR_GONE);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/desktop-override/text/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_text);
  }
  g_test_add_func("/desktop-override/nul-bytes-are-kept", test_nul_bytes_are_kept);
  g_test_add_func("/desktop-override/what-is-no-entry-is-refused",
                  test_what_is_no_entry_is_refused);
  g_test_add_func("/desktop-override/enabled-and-disabled-again", test_enabled_and_disabled_again);
  g_test_add_func("/desktop-override/a-file-of-the-users-own-stays",
                  test_a_file_of_the_users_own_stays);
  g_test_add_func("/desktop-override/a-copy-that-the-user-changed-stays",
                  test_a_copy_that_the_user_changed_stays);
  g_test_add_func("/desktop-override/an-equal-copy-that-is-not-ours-stays",
                  test_an_equal_copy_that_is_not_ours_stays);
  g_test_add_func("/desktop-override/what-the-system-opts-in-is-disabled-by-a-no",
                  test_what_the_system_opts_in_is_disabled_by_a_no);
  g_test_add_func("/desktop-override/what-a-category-opts-in-is-disabled-by-a-no",
                  test_what_a_category_opts_in_is_disabled_by_a_no);
  g_test_add_func("/desktop-override/a-no-that-stands-there-stays",
                  test_a_no_that_stands_there_stays);
  g_test_add_func("/desktop-override/a-directory-that-is-the-systems-is-refused",
                  test_a_directory_that_is_the_systems_is_refused);
  g_test_add_func("/desktop-override/sub-directories-are-kept", test_sub_directories_are_kept);
  g_test_add_func("/desktop-override/a-link-to-the-systems-file-becomes-a-copy",
                  test_a_link_to_the_systems_file_becomes_a_copy);
  g_test_add_func("/desktop-override/a-linked-directory-is-refused",
                  test_a_linked_directory_is_refused);
  g_test_add_func("/desktop-override/what-cannot-be-read-is-not-overwritten",
                  test_what_cannot_be_read_is_not_overwritten);
  return g_test_run();
}
