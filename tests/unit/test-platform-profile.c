/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "hardware/platform-profile.h"
#include "poll-news.h"
#include "skip.h"

#define LEGACY  "sys/firmware/acpi/platform_profile"
#define CHOICES LEGACY "_choices"
#define CLASS   "sys/class/platform-profile/platform-profile-"

#define ALL "low-power balanced performance"

#define BIT(choice) (1u << EPPD_PLATFORM_##choice)
#define ALL_BITS    (BIT(LOW_POWER) | BIT(BALANCED) | BIT(PERFORMANCE))

#define HANDLER(n, profile) CLASS n "/choices=" ALL "\n", CLASS n "/profile=" profile "\n"

typedef struct {
  Scratch *dir;
  EppdSysRoot *root;
} Fixture;

static void
set_up(Fixture *fixture, gconstpointer data)
{
  fixture->dir = scratch_new();
  fixture->root = eppd_sys_root_new(fixture->dir);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  eppd_sys_root_unref(fixture->root);
  scratch_free(fixture->dir);
}

#define NO_ERROR (-1)

/* What is there, and what is found: its choices, the file, and what that reads, or the error. */
typedef struct {
  const char *name;
  const char *entries[8];
  guint choices;
  const char *file;
  int error;
  EppdPlatformChoice choice;
} Case;

static const Case cases[] = {
    {"none", {NULL}, 0, LEGACY, EPPD_ERROR_GONE},
    {"legacy",
     {LEGACY "=balanced\n", CHOICES "=" ALL "\n"},
     ALL_BITS,
     LEGACY,
     NO_ERROR,
     EPPD_PLATFORM_BALANCED},
    {"legacy-all-choices",
     {LEGACY "=max-power\n",
      CHOICES "=low-power cool quiet balanced balanced-performance performance max-power custom\n"},
     0xff,
     LEGACY,
     NO_ERROR,
     EPPD_PLATFORM_MAX_POWER},
    {"legacy-unknown-choices-are-skipped",
     {LEGACY "=quiet\n", CHOICES "=quiet turbo balanced\xff  performance\n"},
     BIT(QUIET) | BIT(PERFORMANCE),
     LEGACY,
     NO_ERROR,
     EPPD_PLATFORM_QUIET},
    {"choices-without-the-file", {CHOICES "=" ALL "\n"}, 0, LEGACY, EPPD_ERROR_GONE},
    {"file-without-choices", {LEGACY "=cool\n"}, 0, LEGACY, NO_ERROR, EPPD_PLATFORM_COOL},
    {"empty-choices", {LEGACY "=cool\n", CHOICES "="}, 0, LEGACY, NO_ERROR, EPPD_PLATFORM_COOL},
    {"empty", {LEGACY "=", CHOICES "=" ALL "\n"}, ALL_BITS, LEGACY, EPPD_ERROR_EMPTY},
    {"unknown-name",
     {LEGACY "=turbo\n", CHOICES "=" ALL "\n"},
     ALL_BITS,
     LEGACY,
     EPPD_ERROR_INVALID},
    {"half-a-name", {LEGACY "=balan", CHOICES "=" ALL "\n"}, ALL_BITS, LEGACY, EPPD_ERROR_INVALID},
    {"no-utf8", {LEGACY "=\xff\xfe\n"}, 0, LEGACY, EPPD_ERROR_INVALID},
    {"directory", {LEGACY "/", CHOICES "/"}, 0, LEGACY, EPPD_ERROR_FAILED},
    {"older-text-behind-the-line",
     {LEGACY "=quiet\nance\n", CHOICES "=" ALL "\n"},
     ALL_BITS,
     LEGACY,
     NO_ERROR,
     EPPD_PLATFORM_QUIET},

    /* The class */
    {"legacy-goes-before-the-class",
     {LEGACY "=balanced\n", CHOICES "=balanced performance\n", HANDLER("0", "performance")},
     BIT(BALANCED) | BIT(PERFORMANCE),
     LEGACY,
     NO_ERROR,
     EPPD_PLATFORM_BALANCED},
    {"custom-of-handlers-that-tell-one-profile",
     {LEGACY "=custom\n", CHOICES "=" ALL "\n", HANDLER("0", "quiet"), HANDLER("1", "low-power")},
     ALL_BITS,
     LEGACY,
     NO_ERROR,
     EPPD_PLATFORM_QUIET},
    {"custom-of-handlers-that-tell-several",
     {LEGACY "=custom\n", CHOICES "=" ALL "\n", HANDLER("0", "quiet"), HANDLER("1", "balanced")},
     ALL_BITS,
     LEGACY,
     NO_ERROR,
     EPPD_PLATFORM_CUSTOM},
    {"custom-of-a-handler",
     {LEGACY "=custom\n", CHOICES "=" ALL "\n", HANDLER("0", "quiet"), HANDLER("1", "custom")},
     ALL_BITS,
     LEGACY,
     NO_ERROR,
     EPPD_PLATFORM_CUSTOM},
    {"custom-and-an-empty-handler",
     {LEGACY "=custom\n", CHOICES "=" ALL "\n", HANDLER("0", "quiet"), HANDLER("1", "")},
     ALL_BITS,
     LEGACY,
     NO_ERROR,
     EPPD_PLATFORM_CUSTOM},
    {"custom-without-the-class",
     {LEGACY "=custom\n", CHOICES "=" ALL "\n"},
     ALL_BITS,
     LEGACY,
     NO_ERROR,
     EPPD_PLATFORM_CUSTOM},
    {"class-alone",
     {HANDLER("3", "quiet")},
     ALL_BITS,
     CLASS "3/profile",
     NO_ERROR,
     EPPD_PLATFORM_QUIET},
    {"class-alone-custom",
     {HANDLER("0", "custom")},
     ALL_BITS,
     CLASS "0/profile",
     NO_ERROR,
     EPPD_PLATFORM_CUSTOM},
    {"class-alone-of-several",
     {HANDLER("0", "quiet"), HANDLER("1", "quiet")},
     0,
     LEGACY,
     EPPD_ERROR_GONE},
    {"class-with-other-names",
     {CLASS "x/profile=quiet\n", "sys/class/platform-profile/notes=x", HANDLER("7", "cool")},
     ALL_BITS,
     CLASS "7/profile",
     NO_ERROR,
     EPPD_PLATFORM_COOL},
    {"class-device-without-files", {CLASS "0/"}, 0, CLASS "0/profile", EPPD_ERROR_GONE},
};

static void
assert_reads(EppdPlatformProfile *platform, EppdPlatformChoice expected)
{
  g_autoptr(GError) error = NULL;
  EppdPlatformChoice choice;

  g_assert_true(eppd_platform_profile_read(platform, &choice, &error));
  g_assert_no_error(error);
  g_assert_cmpint(choice, ==, (int)expected);
}

static void
assert_read_fails(EppdPlatformProfile *platform, int code)
{
  g_autoptr(GError) error = NULL;
  EppdPlatformChoice choice = EPPD_PLATFORM_MAX_POWER;

  g_assert_false(eppd_platform_profile_read(platform, &choice, &error));
  g_assert_error(error, EPPD_ERROR, code);
  g_assert_nonnull(strstr(error->message, eppd_platform_profile_path(platform)));
  g_assert_cmpint(choice, ==, EPPD_PLATFORM_MAX_POWER);
}

static void
test_found(Fixture *fixture, gconstpointer data)
{
  const Case *c = data;
  g_autoptr(EppdPlatformProfile) platform = NULL;
  g_autofree char *path = scratch_path(fixture->dir, c->file);
  g_autofree char *directory = scratch_path(fixture->dir, "sys/firmware/acpi");

  for (gsize i = 0; i < G_N_ELEMENTS(c->entries) && c->entries[i]; i++)
    scratch_make(fixture->dir, c->entries[i]);
  platform = eppd_platform_profile_new(fixture->root);
  g_assert_cmpuint(eppd_platform_profile_choices(platform), ==, c->choices);
  g_assert_cmpstr(eppd_platform_profile_path(platform), ==, path);
  g_assert_cmpstr(eppd_platform_profile_directory(platform), ==, directory);
  if (c->error == NO_ERROR)
    assert_reads(platform, c->choice);
  else
    assert_read_fails(platform, c->error);
}

static void
assert_line(const Fixture *fixture, const char *file, const char *text)
{
  g_autofree char *line = scratch_read_line(fixture->dir, file);

  g_assert_cmpstr(line, ==, text);
}

static void
write_choice(EppdPlatformProfile *platform, EppdPlatformChoice choice)
{
  g_autoptr(GError) error = NULL;

  g_assert_true(eppd_platform_profile_write(platform, choice, &error));
  g_assert_no_error(error);
  assert_reads(platform, choice);
}

/* The handlers' own files are the kernel's to set. */
static void
test_write_to_legacy(Fixture *fixture, gconstpointer data)
{
  static const char *const entries[] = {LEGACY "=balanced\n", CHOICES "=" ALL "\n",
                                        HANDLER("0", "balanced")};
  g_autoptr(EppdPlatformProfile) platform = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS(entries); i++)
    scratch_make(fixture->dir, entries[i]);
  platform = eppd_platform_profile_new(fixture->root);
  write_choice(platform, EPPD_PLATFORM_PERFORMANCE);
  write_choice(platform, EPPD_PLATFORM_LOW_POWER);
  assert_line(fixture, LEGACY, "low-power");
  assert_line(fixture, CLASS "0/profile", "balanced");
}

static void
test_write_to_class(Fixture *fixture, gconstpointer data)
{
  static const char *const entries[] = {HANDLER("0", "balanced")};
  g_autoptr(EppdPlatformProfile) platform = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS(entries); i++)
    scratch_make(fixture->dir, entries[i]);
  platform = eppd_platform_profile_new(fixture->root);
  write_choice(platform, EPPD_PLATFORM_PERFORMANCE);
  assert_line(fixture, CLASS "0/profile", "performance");
}

static void
assert_write_fails(EppdPlatformProfile *platform, int code)
{
  g_autoptr(GError) error = NULL;

  g_assert_false(eppd_platform_profile_write(platform, EPPD_PLATFORM_PERFORMANCE, &error));
  g_assert_error(error, EPPD_ERROR, code);
  g_assert_nonnull(strstr(error->message, eppd_platform_profile_path(platform)));
}

static void
test_refused_write(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdPlatformProfile) platform = NULL;

  scratch_write(fixture->dir, LEGACY, "balanced\n");
  scratch_chmod(fixture->dir, LEGACY, 0444);
  platform = eppd_platform_profile_new(fixture->root);
  scratch_be_nobody(true);
  assert_write_fails(platform, EPPD_ERROR_DENIED);
  scratch_be_nobody(false);
}

static void
test_write_to_nothing(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdPlatformProfile) platform = eppd_platform_profile_new(fixture->root);

  assert_write_fails(platform, EPPD_ERROR_GONE);
}

static void
test_unreadable(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdPlatformProfile) platform = NULL;

  scratch_write(fixture->dir, LEGACY, "balanced\n");
  scratch_write(fixture->dir, CHOICES, ALL "\n");
  scratch_chmod(fixture->dir, LEGACY, 0);
  scratch_be_nobody(true);
  platform = eppd_platform_profile_new(fixture->root);
  assert_read_fails(platform, EPPD_ERROR_GONE);
  scratch_be_nobody(false);
  g_assert_cmpuint(eppd_platform_profile_choices(platform), ==, 0);
  g_assert_cmpint(eppd_platform_profile_fd(platform), ==, -1);
}

static void
test_huge(Fixture *fixture, gconstpointer data)
{
  g_autofree char *filler = g_strnfill(1000 * 1000, ' ');
  g_autofree char *text = g_strconcat("balanced", filler, NULL);
  g_autoptr(EppdPlatformProfile) platform = NULL;

  scratch_write(fixture->dir, LEGACY, text);
  scratch_write(fixture->dir, CHOICES, text);
  platform = eppd_platform_profile_new(fixture->root);
  g_assert_cmpuint(eppd_platform_profile_choices(platform), ==, 0);
  assert_read_fails(platform, EPPD_ERROR_LIMIT);
}

static void
test_comes_late_and_goes(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdPlatformProfile) platform = eppd_platform_profile_new(fixture->root);

  scratch_write(fixture->dir, LEGACY, "balanced\n");
  eppd_platform_profile_refresh(platform);
  g_assert_cmpuint(eppd_platform_profile_choices(platform), ==, 0);
  scratch_write(fixture->dir, CHOICES, ALL "\n");
  eppd_platform_profile_refresh(platform);
  g_assert_cmpuint(eppd_platform_profile_choices(platform), ==, ALL_BITS);
  assert_reads(platform, EPPD_PLATFORM_BALANCED);

  scratch_remove(fixture->dir, LEGACY);
  eppd_platform_profile_refresh(platform);
  g_assert_cmpuint(eppd_platform_profile_choices(platform), ==, 0);
  assert_read_fails(platform, EPPD_ERROR_GONE);
}

static void
test_legacy_comes_after_the_class(Fixture *fixture, gconstpointer data)
{
  static const char *const entries[] = {HANDLER("0", "performance")};
  g_autoptr(EppdPlatformProfile) platform = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS(entries); i++)
    scratch_make(fixture->dir, entries[i]);
  platform = eppd_platform_profile_new(fixture->root);
  assert_reads(platform, EPPD_PLATFORM_PERFORMANCE);
  scratch_write(fixture->dir, CHOICES, ALL "\n");
  scratch_write(fixture->dir, LEGACY, "low-power\n");
  eppd_platform_profile_refresh(platform);
  assert_reads(platform, EPPD_PLATFORM_LOW_POWER);
}

/* As g_file_set_contents() does it. */
static void
test_replaced_file_is_read_after_refresh(Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = scratch_path(fixture->dir, LEGACY);
  g_autoptr(EppdPlatformProfile) platform = NULL;

  scratch_write(fixture->dir, CHOICES, ALL "\n");
  scratch_write(fixture->dir, LEGACY, "balanced\n");
  platform = eppd_platform_profile_new(fixture->root);
  g_assert_true(g_file_set_contents(path, "performance\n", -1, NULL));
  eppd_platform_profile_refresh(platform);
  assert_reads(platform, EPPD_PLATFORM_PERFORMANCE);
}

static void
test_descriptor_tells_the_next_change(Fixture *fixture, gconstpointer data)
{
  g_autoptr(PollNews) news = poll_news_new();
  g_autoptr(EppdPlatformProfile) platform = NULL;

  if (!news) {
    skip_lacking_root("a cgroup of the test's own can't be made");
    return;
  }
  poll_news_link(news, fixture->dir, LEGACY);
  platform = eppd_platform_profile_new(fixture->root);
  g_assert_true(poll_news_is_raised(eppd_platform_profile_fd(platform), 0));
  assert_read_fails(platform, EPPD_ERROR_INVALID);
  g_assert_false(poll_news_is_raised(eppd_platform_profile_fd(platform), 0));
  poll_news_raise(news);
  g_assert_true(poll_news_is_raised(eppd_platform_profile_fd(platform), 60 * 1000));
  assert_read_fails(platform, EPPD_ERROR_INVALID);
  g_assert_false(poll_news_is_raised(eppd_platform_profile_fd(platform), 0));
}

static void
test_plain_file_tells_nothing(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdPlatformProfile) platform = NULL;

  scratch_write(fixture->dir, LEGACY, "balanced\n");
  platform = eppd_platform_profile_new(fixture->root);
  scratch_write(fixture->dir, LEGACY, "performance\n");
  g_assert_cmpint(eppd_platform_profile_fd(platform), >=, 0);
  g_assert_false(poll_news_is_raised(eppd_platform_profile_fd(platform), 0));
}

static void
add(const char *path, gconstpointer data, void (*func)(Fixture *, gconstpointer))
{
  g_autofree char *full = g_strconcat("/platform-profile/", path, NULL);

  g_test_add(full, Fixture, data, set_up, func, tear_down);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("found/", cases[i].name, NULL);

    add(path, &cases[i], test_found);
  }
  add("write-to-legacy", NULL, test_write_to_legacy);
  add("write-to-class", NULL, test_write_to_class);
  add("refused-write", NULL, test_refused_write);
  add("write-to-nothing", NULL, test_write_to_nothing);
  add("unreadable", NULL, test_unreadable);
  add("huge", NULL, test_huge);
  add("comes-late-and-goes", NULL, test_comes_late_and_goes);
  add("legacy-comes-after-the-class", NULL, test_legacy_comes_after_the_class);
  add("replaced-file-is-read-after-refresh", NULL, test_replaced_file_is_read_after_refresh);
  add("descriptor-tells-the-next-change", NULL, test_descriptor_tells_the_next_change);
  add("plain-file-tells-nothing", NULL, test_plain_file_tells_nothing);
  return g_test_run();
}
