/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/path-watch.h"

#include "base/error.h"

#include "scratch.h"

#include <poll.h>
#include <sys/inotify.h>

typedef struct {
  Scratch *dir;
  EppdPathWatch *watch;
  GString *said; /* "NAME " of each event, "(gone) " at the end of a watch */
  guint id;      /* of a watch that the event is to end */
} Fixture;

static void
set_up(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  fixture->dir = scratch_new();
  fixture->watch = eppd_path_watch_new(&error);
  g_assert_no_error(error);
  fixture->said = g_string_new(NULL);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  g_string_free(fixture->said, TRUE);
  eppd_path_watch_free(fixture->watch);
  scratch_free(fixture->dir);
}

static void
on_event(guint32 mask, const char *name, gpointer data)
{
  Fixture *fixture = data;

  g_string_append_printf(fixture->said, "%s ", mask & IN_IGNORED ? "(gone)" : name ? name : "-");
  eppd_path_watch_remove(fixture->watch, fixture->id);
}

static guint
add(Fixture *fixture, const char *file, guint32 mask)
{
  g_autofree char *path = scratch_path(fixture->dir, file);
  g_autoptr(GError) error = NULL;
  guint id = eppd_path_watch_add(fixture->watch, path, mask, on_event, fixture, &error);

  g_assert_no_error(error);
  g_assert_cmpuint(id, !=, 0);
  return id;
}

static void
assert_said(Fixture *fixture, const char *expected)
{
  eppd_path_watch_dispatch(fixture->watch);
  g_assert_cmpstr(fixture->said->str, ==, expected);
  g_string_truncate(fixture->said, 0);
}

static void
test_what_happens_is_told(Fixture *fixture, gconstpointer data)
{
  struct pollfd poll_fd = {.fd = eppd_path_watch_fd(fixture->watch), .events = POLLIN};

  add(fixture, "", IN_CREATE | IN_DELETE);
  g_assert_cmpint(poll(&poll_fd, 1, 0), ==, 0);
  scratch_write(fixture->dir, "a", "");
  scratch_remove(fixture->dir, "a");
  g_assert_cmpint(poll(&poll_fd, 1, 0), ==, 1);
  assert_said(fixture, "a a ");
  assert_said(fixture, "");
}

static void
test_a_file_that_goes(Fixture *fixture, gconstpointer data)
{
  guint id;

  scratch_write(fixture->dir, "a", "");
  id = add(fixture, "a", IN_MODIFY);
  scratch_remove(fixture->dir, "a");
  assert_said(fixture, "(gone) ");
  /* Too late, and no harm. */
  eppd_path_watch_remove(fixture->watch, id);
}

static void
test_several_watch_one_path(Fixture *fixture, gconstpointer data)
{
  guint first = add(fixture, "", IN_CREATE);
  guint second = add(fixture, ".", IN_DELETE);

  scratch_write(fixture->dir, "a", "");
  assert_said(fixture, "a a ");
  eppd_path_watch_remove(fixture->watch, first);
  scratch_remove(fixture->dir, "a");
  assert_said(fixture, "a ");
  eppd_path_watch_remove(fixture->watch, second);
  scratch_write(fixture->dir, "a", "");
  assert_said(fixture, "");
}

static void
test_an_event_may_end_its_own_watch(Fixture *fixture, gconstpointer data)
{
  fixture->id = add(fixture, "", IN_CREATE);
  scratch_write(fixture->dir, "a", "");
  scratch_write(fixture->dir, "b", "");
  assert_said(fixture, "a ");
}

static void
test_a_path_that_is_not_there(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  g_assert_cmpuint(
      eppd_path_watch_add(fixture->watch, "/nonexistent", IN_MODIFY, on_event, fixture, &error), ==,
      0);
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_GONE);
}

#define ADD(name, func) g_test_add("/path-watch/" name, Fixture, NULL, set_up, func, tear_down)

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  ADD("what-happens-is-told", test_what_happens_is_told);
  ADD("a-file-that-goes", test_a_file_that_goes);
  ADD("several-watch-one-path", test_several_watch_one_path);
  ADD("an-event-may-end-its-own-watch", test_an_event_may_end_its_own_watch);
  ADD("a-path-that-is-not-there", test_a_path_that_is_not_there);
  return g_test_run();
}
