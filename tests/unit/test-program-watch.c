/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/program-watch.h"

#include "scratch.h"

typedef struct {
  Scratch *dir;
  EppdPathWatch *paths;
  EppdProgramWatch *watch;
  guint n_opened;
  guint n_replaced;
} Fixture;

static void
on_opened(gpointer data)
{
  ((Fixture *)data)->n_opened++;
}

static void
on_replaced(gpointer data)
{
  ((Fixture *)data)->n_replaced++;
}

static void
set_up(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);

  fixture->dir = scratch_new();
  scratch_write(fixture->dir, "program", "");
  scratch_write(fixture->dir, "other", "");
  fixture->paths = eppd_path_watch_new(&error);
  g_assert_no_error(error);
  fixture->watch = eppd_program_watch_new(fixture->paths, on_opened, on_replaced, fixture);
  g_ptr_array_add(files, scratch_path(fixture->dir, "program"));
  g_ptr_array_add(files, scratch_path(fixture->dir, "program"));
  g_ptr_array_add(files, scratch_path(fixture->dir, "missing"));
  eppd_program_watch_set(fixture->watch, files);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  eppd_program_watch_free(fixture->watch);
  eppd_path_watch_free(fixture->paths);
  scratch_free(fixture->dir);
}

/* How often that was told. */
static guint
open_file(Fixture *fixture, const char *name)
{
  guint before = fixture->n_opened;
  g_autofree char *text = scratch_read(fixture->dir, name);

  g_assert_nonnull(text);
  eppd_path_watch_dispatch(fixture->paths);
  return fixture->n_opened - before;
}

/* Watches again what rests, as if it were time; for how long it was to rest. */
static gint64
resume(Fixture *fixture)
{
  gint64 now_usec = g_get_monotonic_time();
  /* At 0 nothing is due yet, however slow this is. */
  gint64 next_usec = eppd_program_watch_resume(fixture->watch, 0);

  g_assert_cmpint(next_usec, >, 0);
  g_assert_cmpint(eppd_program_watch_resume(fixture->watch, next_usec), ==, -1);
  return next_usec - now_usec;
}

static void
test_told_once_and_then_it_rests(Fixture *fixture, gconstpointer data)
{
  g_assert_cmpuint(open_file(fixture, "other"), ==, 0);
  g_assert_cmpint(eppd_program_watch_resume(fixture->watch, G_MAXINT64), ==, -1);
  g_assert_cmpuint(open_file(fixture, "program"), ==, 1);
  g_assert_cmpuint(open_file(fixture, "program"), ==, 0);
  g_assert_cmpint(resume(fixture), <=, EPPD_PROGRAM_REST_USEC);
  g_assert_cmpuint(open_file(fixture, "program"), ==, 1);
  g_assert_cmpuint(fixture->n_replaced, ==, 0);
}

static void
test_while_it_goes_on_it_rests_longer(Fixture *fixture, gconstpointer data)
{
  gint64 rest_usec = EPPD_PROGRAM_REST_USEC;

  for (guint i = 0; i < 10; i++) {
    g_assert_cmpuint(open_file(fixture, "program"), ==, 1);
    g_assert_cmpint(resume(fixture), <=, rest_usec);
    rest_usec = MIN(2 * rest_usec, EPPD_PROGRAM_REST_MAX_USEC);
  }
  g_assert_cmpuint(open_file(fixture, "program"), ==, 1);
  g_assert_cmpint(resume(fixture), >, EPPD_PROGRAM_REST_MAX_USEC / 2);
}

static void
test_replaced(Fixture *fixture, gconstpointer data)
{
  g_autofree char *from = scratch_path(fixture->dir, "other");
  g_autofree char *to = scratch_path(fixture->dir, "program");

  g_assert_cmpint(rename(from, to), ==, 0);
  eppd_path_watch_dispatch(fixture->paths);
  g_assert_cmpuint(fixture->n_replaced, >, 0);
  g_assert_cmpuint(fixture->n_opened, ==, 0);
}

#define ADD(name, func) g_test_add("/program-watch/" name, Fixture, NULL, set_up, func, tear_down)

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  ADD("told-once-and-then-it-rests", test_told_once_and_then_it_rests);
  ADD("while-it-goes-on-it-rests-longer", test_while_it_goes_on_it_rests_longer);
  ADD("replaced", test_replaced);
  return g_test_run();
}
