/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "base/text-file.h"
#include "hardware/file-watch.h"
#include "scratch.h"

#include <fcntl.h>
#include <poll.h>

typedef struct {
  Scratch *dir;
  EppdFileWatch *watch;
} Fixture;

static void
set_up(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  fixture->dir = scratch_new();
  fixture->watch = eppd_file_watch_new(&error);
  g_assert_no_error(error);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  eppd_file_watch_free(fixture->watch);
  scratch_free(fixture->dir);
}

static void
watch_file(Fixture *fixture, const char *file, guint tag)
{
  g_autofree char *path = scratch_path(fixture->dir, file);
  g_autoptr(GError) error = NULL;

  g_assert_true(eppd_file_watch_add(fixture->watch, path, tag, &error));
  g_assert_no_error(error);
}

static bool
is_readable(Fixture *fixture)
{
  struct pollfd pollfd = {.fd = eppd_file_watch_fd(fixture->watch), .events = POLLIN};

  return poll(&pollfd, 1, 0) == 1;
}

/* The tags drained, joined by spaces. Local file systems queue the event within the write. */
static void
assert_drains(Fixture *fixture, const char *expected)
{
  bool vanished;
  g_autoptr(GArray) tags = eppd_file_watch_drain(fixture->watch, &vanished);
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < tags->len; i++)
    g_string_append_printf(text, "%s%u", i ? " " : "", g_array_index(tags, guint, i));
  g_assert_cmpstr(text->str, ==, expected);
  g_assert_false(vanished);
  g_assert_false(is_readable(fixture));
}

static void
assert_drains_vanished(Fixture *fixture, guint tag)
{
  bool vanished;
  g_autoptr(GArray) tags = eppd_file_watch_drain(fixture->watch, &vanished);

  g_assert_cmpuint(tags->len, ==, 1);
  g_assert_cmpuint(g_array_index(tags, guint, 0), ==, tag);
  g_assert_true(vanished);
}

static void
test_written_files(Fixture *fixture, gconstpointer data)
{
  scratch_write(fixture->dir, "a", "1\n");
  scratch_write(fixture->dir, "b", "1\n");
  scratch_write(fixture->dir, "c", "1\n");
  watch_file(fixture, "a", 0);
  watch_file(fixture, "b", 7);
  watch_file(fixture, "c", 3);
  assert_drains(fixture, "");

  scratch_write(fixture->dir, "b", "2\n");
  scratch_write(fixture->dir, "a", "2\n");
  scratch_write(fixture->dir, "b", "3\n");
  g_assert_true(is_readable(fixture));
  assert_drains(fixture, "0 7");
  assert_drains(fixture, "");
}

static void
test_reading_is_no_news(Fixture *fixture, gconstpointer data)
{
  g_autofree char *text = NULL;

  scratch_write(fixture->dir, "a", "1\n");
  watch_file(fixture, "a", 1);
  text = scratch_read(fixture->dir, "a");
  g_assert_nonnull(text);
  assert_drains(fixture, "");
}

static void
test_same_path_twice(Fixture *fixture, gconstpointer data)
{
  scratch_write(fixture->dir, "a", "1\n");
  watch_file(fixture, "a", 1);
  watch_file(fixture, "a", 1);
  watch_file(fixture, "a", 2);
  scratch_write(fixture->dir, "a", "2\n");
  assert_drains(fixture, "1 2");
}

static void
test_same_tag_for_two_files(Fixture *fixture, gconstpointer data)
{
  scratch_write(fixture->dir, "a", "1\n");
  scratch_write(fixture->dir, "b", "1\n");
  watch_file(fixture, "a", 1);
  watch_file(fixture, "b", 1);
  scratch_write(fixture->dir, "a", "2\n");
  scratch_write(fixture->dir, "b", "2\n");
  assert_drains(fixture, "1");
}

static void
test_vanished_file_is_news_and_can_be_watched_again(Fixture *fixture, gconstpointer data)
{
  scratch_write(fixture->dir, "a", "1\n");
  watch_file(fixture, "a", 5);
  scratch_remove(fixture->dir, "a");
  assert_drains_vanished(fixture, 5);

  /* Another file by the same name is not watched by itself. */
  scratch_write(fixture->dir, "a", "2\n");
  assert_drains(fixture, "");
  watch_file(fixture, "a", 6);
  scratch_write(fixture->dir, "a", "3\n");
  assert_drains(fixture, "6");
}

static void
test_missing_file_is_an_error(Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = scratch_path(fixture->dir, "missing");
  g_autoptr(GError) error = NULL;

  g_assert_false(eppd_file_watch_add(fixture->watch, path, 1, &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_GONE);
  assert_drains(fixture, "");
}

static void
watch_directory(Fixture *fixture, const char *file, guint tag)
{
  g_autofree char *path = scratch_path(fixture->dir, file);
  g_autoptr(GError) error = NULL;

  g_assert_true(eppd_file_watch_add_directory(fixture->watch, path, tag, &error));
  g_assert_no_error(error);
}

static void
test_files_of_a_directory(Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = scratch_path(fixture->dir, "d/a");

  scratch_write(fixture->dir, "d/in/b", "1\n");
  watch_directory(fixture, "d", 4);
  assert_drains(fixture, "");

  scratch_write(fixture->dir, "d/a", "1\n");
  assert_drains(fixture, "4");
  scratch_write(fixture->dir, "d/a", "2\n");
  assert_drains(fixture, "4");
  g_assert_true(g_file_set_contents(path, "3\n", -1, NULL));
  assert_drains(fixture, "4");
  scratch_remove(fixture->dir, "d/a");
  assert_drains(fixture, "4");

  g_free(scratch_read(fixture->dir, "d/in/b"));
  scratch_write(fixture->dir, "d/in/b", "2\n");
  assert_drains(fixture, "");
}

static void
test_directory_and_a_file_in_it(Fixture *fixture, gconstpointer data)
{
  scratch_write(fixture->dir, "d/a", "1\n");
  watch_directory(fixture, "d", 1);
  watch_directory(fixture, "d", 2);
  watch_file(fixture, "d/a", 3);
  scratch_write(fixture->dir, "d/b", "1\n");
  assert_drains(fixture, "1 2");
  scratch_write(fixture->dir, "d/a", "2\n");
  assert_drains(fixture, "1 2 3");
}

/* The kernel has one watch for it: the one must not take what the other asked for. */
static void
test_directory_added_as_a_file_too(Fixture *fixture, gconstpointer data)
{
  scratch_mkdir(fixture->dir, "d");
  watch_directory(fixture, "d", 1);
  watch_file(fixture, "d", 2);
  scratch_mkdir(fixture->dir, "d/new");
  assert_drains(fixture, "1 2");
}

static void
test_vanished_directory_is_news_and_can_be_watched_again(Fixture *fixture, gconstpointer data)
{
  scratch_mkdir(fixture->dir, "d");
  watch_directory(fixture, "d", 5);
  scratch_remove(fixture->dir, "d");
  assert_drains_vanished(fixture, 5);

  scratch_mkdir(fixture->dir, "d");
  watch_directory(fixture, "d", 6);
  scratch_write(fixture->dir, "d/a", "1\n");
  assert_drains(fixture, "6");
}

static void
test_no_directory_is_an_error(Fixture *fixture, gconstpointer data)
{
  g_autofree char *missing = scratch_path(fixture->dir, "missing");
  g_autofree char *file = scratch_path(fixture->dir, "file");
  g_autoptr(GError) missing_error = NULL;
  g_autoptr(GError) file_error = NULL;

  scratch_write(fixture->dir, "file", "1\n");
  g_assert_false(eppd_file_watch_add_directory(fixture->watch, missing, 1, &missing_error));
  g_assert_error(missing_error, EPPD_ERROR, EPPD_ERROR_GONE);
  g_assert_false(eppd_file_watch_add_directory(fixture->watch, file, 1, &file_error));
  g_assert_error(file_error, EPPD_ERROR, EPPD_ERROR_GONE);
  scratch_write(fixture->dir, "file", "2\n");
  assert_drains(fixture, "");
}

/* The kernel drops events from its limit on, and says so: nobody may be forgotten then. */
static void
test_overflow_is_news_of_all(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GArray) tags = NULL;
  gint64 max_events = 0;
  bool vanished = false;
  int fds[2];

  g_assert_true(eppd_text_file_read_number("/proc/sys/fs/inotify/max_queued_events", 1, G_MAXINT32,
                                           &max_events, NULL));
  if (max_events > 1000 * 1000) {
    g_test_skip("machine lacks: an inotify queue short enough to fill");
    return;
  }
  for (guint i = 0; i < 2; i++) {
    g_autofree char *file = g_strdup_printf("%u", i);
    g_autofree char *path = scratch_path(fixture->dir, file);

    scratch_write(fixture->dir, file, "1\n");
    watch_file(fixture, file, i);
    fds[i] = open(path, O_WRONLY | O_CLOEXEC);
    g_assert_cmpint(fds[i], >=, 0);
  }
  scratch_write(fixture->dir, "silent", "1\n");
  watch_file(fixture, "silent", 99);

  /* In turns: equal events in a row are merged. */
  for (gint64 i = 0; i < max_events + 10; i++)
    g_assert_cmpint(write(fds[i % 2], "x", 1), ==, 1);
  close(fds[0]);
  close(fds[1]);

  while (is_readable(fixture)) {
    g_clear_pointer(&tags, g_array_unref);
    tags = eppd_file_watch_drain(fixture->watch, &vanished);
  }
  /* One that vanished may be among the events lost. */
  g_assert_true(vanished);
  g_assert_nonnull(tags);
  g_assert_cmpuint(tags->len, ==, 3);
  g_assert_cmpuint(g_array_index(tags, guint, 2), ==, 99);
}

static void
add(const char *path, void (*func)(Fixture *, gconstpointer))
{
  g_autofree char *full = g_strconcat("/file-watch/", path, NULL);

  g_test_add(full, Fixture, NULL, set_up, func, tear_down);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  add("written-files", test_written_files);
  add("reading-is-no-news", test_reading_is_no_news);
  add("same-path-twice", test_same_path_twice);
  add("same-tag-for-two-files", test_same_tag_for_two_files);
  add("vanished-file-is-news-and-can-be-watched-again",
      test_vanished_file_is_news_and_can_be_watched_again);
  add("missing-file-is-an-error", test_missing_file_is_an_error);
  add("files-of-a-directory", test_files_of_a_directory);
  add("directory-and-a-file-in-it", test_directory_and_a_file_in_it);
  add("directory-added-as-a-file-too", test_directory_added_as_a_file_too);
  add("vanished-directory-is-news-and-can-be-watched-again",
      test_vanished_directory_is_news_and_can_be_watched_again);
  add("no-directory-is-an-error", test_no_directory_is_an_error);
  add("overflow-is-news-of-all", test_overflow_is_news_of_all);
  return g_test_run();
}
