/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "games/desktop-dirs.h"
#include "scratch.h"

static const struct {
  const char *name;
  const char *home;
  const char *data_home;
  const char *data_dirs;
  const char *paths; /* without "/applications", with ':' in between; NULL: refused */
} envs[] = {
    {"defaults", "/home/u", NULL, NULL,
     "/home/u/.local/share:/home/u/.local/share/flatpak/exports/share:"
     "/var/lib/flatpak/exports/share:/usr/local/share:/usr/share"},
    {"empty-is-unset", "/home/u", "", "",
     "/home/u/.local/share:/home/u/.local/share/flatpak/exports/share:"
     "/var/lib/flatpak/exports/share:/usr/local/share:/usr/share"},
    {"all-given", "/home/u", "/d", "/a:/b",
     "/d:/d/flatpak/exports/share:/var/lib/flatpak/exports/share:/a:/b"},
    {"flatpak-keeps-its-place", "/home/u", "/d",
     "/a:/var/lib/flatpak/exports/share/:/d/flatpak/exports/share:/b",
     "/d:/a:/var/lib/flatpak/exports/share:/d/flatpak/exports/share:/b"},
    {"relative-ones-do-not-count", "/home/u", "share", "a:./b:/c",
     "/home/u/.local/share:/home/u/.local/share/flatpak/exports/share:"
     "/var/lib/flatpak/exports/share:/c"},
    {"each-once", "/home/u", "/d", "/a:/a/:/d::/a/../a:/b",
     "/d:/d/flatpak/exports/share:/var/lib/flatpak/exports/share:/a:/b"},
    {"no-home-needed", NULL, "/d", "/a",
     "/d:/d/flatpak/exports/share:/var/lib/flatpak/exports/share:/a"},
    {"no-home", NULL, NULL, NULL, NULL},
    {"relative-home", "u", NULL, "/a", NULL},
};

static void
test_environment(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(envs); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(EppdDesktopDirs) dirs =
        eppd_desktop_dirs_new(envs[i].home, envs[i].data_home, envs[i].data_dirs, &error);
    g_autoptr(GString) text = g_string_new(NULL);

    g_test_message("%s", envs[i].name);
    if (!envs[i].paths) {
      g_assert_null(dirs);
      g_assert_error(error, EPPD_ERROR, EPPD_ERROR_INVALID);
      continue;
    }
    g_assert_no_error(error);
    for (const char *const *path = eppd_desktop_dirs_paths(dirs); *path; path++) {
      g_assert_true(g_str_has_suffix(*path, "/applications"));
      g_string_append_printf(text, "%s%.*s", text->len > 0 ? ":" : "",
                             (int)(strlen(*path) - strlen("/applications")), *path);
    }
    g_assert_cmpstr(text->str, ==, envs[i].paths);
  }
}

/* The user's data in home, the system's in one and two. */
static EppdDesktopDirs *
dirs_in(const Scratch *dir)
{
  g_autofree char *home = scratch_path(dir, "home");
  g_autofree char *data_dirs = g_strdup_printf("%s/one:%s/two", dir, dir);
  EppdDesktopDirs *dirs = eppd_desktop_dirs_new(NULL, home, data_dirs, NULL);

  g_assert_nonnull(dirs);
  return dirs;
}

/* "ID=PATH", the path below the scratch directory without "applications/", a '+' for the user's;
 * files of the machine's own flatpaks left out. */
static char *
file_text(const Scratch *dir, const EppdDesktopFile *file)
{
  g_auto(GStrv) parts = NULL;

  if (!g_str_has_prefix(file->path, dir))
    return NULL;
  parts = g_strsplit(file->path + strlen(dir) + 1, "applications/", 2);
  g_assert_cmpstr(file->relative, ==, parts[1]);
  return g_strdup_printf("%s=%s%s%s", file->id, parts[0], parts[1], file->is_users ? "+" : "");
}

typedef struct {
  const char *name;
  const char *entries[8]; /* for scratch_make() */
  const char *list;
} Case;

static const Case cases[] = {
    {"nothing", {NULL}, ""},
    {"one-of-each",
     {"home/applications/a.desktop=", "one/applications/b.desktop=", "two/applications/c.desktop="},
     "a=home/a.desktop+ b=one/b.desktop c=two/c.desktop"},
    {"users-over-systems",
     {"two/applications/a.desktop=", "one/applications/a.desktop=", "home/applications/a.desktop="},
     "a=home/a.desktop+"},
    {"first-of-the-systems",
     {"two/applications/a.desktop=", "one/applications/a.desktop="},
     "a=one/a.desktop"},
    {"sub-directories",
     {"one/applications/kde4/foo.desktop=", "one/applications/a/b/c.d.desktop="},
     "a-b-c.d=one/a/b/c.d.desktop kde4-foo=one/kde4/foo.desktop"},
    {"users-over-systems-by-id",
     {"one/applications/kde4/foo.desktop=", "home/applications/kde4-foo.desktop="},
     "kde4-foo=home/kde4-foo.desktop+"},
    {"a-file-before-a-directory",
     {"one/applications/a/b.desktop=", "one/applications/a-b.desktop="},
     "a-b=one/a-b.desktop"},
    {"other-files-are-none",
     {"one/applications/a.desktop~=", "one/applications/mimeinfo.cache=",
      "one/applications/.desktop=", "one/applications/x.desktop/", "one/a.desktop="},
     ""},
    {"links-are-followed",
     {"export/a.desktop=", "one/applications/a.desktop->../../export/a.desktop",
      "two/applications/sub->../../export"},
     "a=one/a.desktop sub-a=two/sub/a.desktop"},
    {"broken-links-are-none", {"one/applications/a.desktop->missing"}, ""},
    {"flatpaks-own",
     {"home/flatpak/exports/share/applications/a.desktop="},
     "a=home/flatpak/exports/share/a.desktop"},
    {"not-utf-8", {"one/applications/a\xff.desktop="}, ""},
};

static void
test_list(gconstpointer data)
{
  const Case *c = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdDesktopDirs) dirs = dirs_in(dir);
  g_autoptr(GPtrArray) files = NULL;
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < G_N_ELEMENTS(c->entries) && c->entries[i]; i++)
    scratch_make(dir, c->entries[i]);
  files = eppd_desktop_dirs_list(dirs);
  for (guint i = 0; i < files->len; i++) {
    const EppdDesktopFile *file = files->pdata[i];
    g_autoptr(EppdDesktopFile) found = NULL;
    g_autofree char *one = file_text(dir, file);

    if (one)
      g_string_append_printf(text, "%s%s", text->len > 0 ? " " : "", one);
    /* What is listed is found. */
    found = eppd_desktop_dirs_find(dirs, file->id, NULL);
    g_assert_nonnull(found);
    g_assert_cmpstr(found->path, ==, file->path);
    g_assert_cmpstr(found->relative, ==, file->relative);
    g_assert_true(found->is_users == file->is_users);
  }
  g_assert_cmpstr(text->str, ==, c->list);
}

/* Links that lead back, twice in each directory: the walk is bounded. */
static void
test_circles_end(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdDesktopDirs) dirs = dirs_in(dir);
  g_autoptr(GPtrArray) files = NULL;

  scratch_write(dir, "one/applications/a.desktop", "");
  for (char name = 'b'; name <= 'k'; name++) {
    g_autofree char *link = g_strdup_printf("one/applications/%c", name);

    scratch_symlink(dir, ".", link);
  }
  files = eppd_desktop_dirs_list(dirs);
  g_assert_cmpuint(files->len, >=, 1);
  g_assert_cmpuint(files->len, <=, EPPD_DESKTOP_FILES_MAX);
}

static void
test_find_system(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdDesktopDirs) dirs = dirs_in(dir);
  g_autoptr(EppdDesktopFile) file = NULL;
  g_autofree char *text = NULL;

  scratch_write(dir, "home/applications/a.desktop", "");
  scratch_write(dir, "two/applications/a.desktop", "");
  file = eppd_desktop_dirs_find_system(dirs, "a.desktop", NULL);
  text = file_text(dir, file);
  g_assert_cmpstr(text, ==, "a=two/a.desktop");
}

static void
test_what_is_not_found(void)
{
  const struct {
    const char *id;
    EppdError code;
  } table[] = {
      {"b", EPPD_ERROR_GONE},       {"x-..-a", EPPD_ERROR_GONE},      {"..-a", EPPD_ERROR_GONE},
      {"-a", EPPD_ERROR_GONE},      {"a-", EPPD_ERROR_GONE},          {".-a", EPPD_ERROR_GONE},
      {"", EPPD_ERROR_INVALID},     {".desktop", EPPD_ERROR_INVALID}, {"x/a", EPPD_ERROR_INVALID},
      {"../a", EPPD_ERROR_INVALID}, {"\xff", EPPD_ERROR_INVALID},
  };
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdDesktopDirs) dirs = dirs_in(dir);
  g_autofree char *dashes = g_strnfill(4096, '-');
  g_autofree char *longer = g_strnfill(4097, 'x');
  g_autoptr(GError) error = NULL;

  scratch_write(dir, "one/applications/a.desktop", "");
  scratch_write(dir, "one/applications/x/b.desktop", "");
  for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
    g_autoptr(GError) one = NULL;

    g_test_message("id %u", i);
    g_assert_null(eppd_desktop_dirs_find(dirs, table[i].id, &one));
    g_assert_error(one, EPPD_ERROR, (int)table[i].code);
    g_assert_true(g_utf8_validate(one->message, -1, NULL));
  }
  g_assert_null(eppd_desktop_dirs_find(dirs, dashes, NULL));
  g_assert_null(eppd_desktop_dirs_find(dirs, longer, &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_INVALID);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/desktop-dirs/environment", test_environment);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/desktop-dirs/list/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_list);
  }
  g_test_add_func("/desktop-dirs/circles-end", test_circles_end);
  g_test_add_func("/desktop-dirs/find-system", test_find_system);
  g_test_add_func("/desktop-dirs/what-is-not-found", test_what_is_not_found);
  return g_test_run();
}
