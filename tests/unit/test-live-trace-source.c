/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/live-trace-source.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARMED_USEC 1000000

static GString *warnings;

static GLogWriterOutput
collect_warnings(GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  for (gsize i = 0; i < n_fields; i++) {
    if (strcmp(fields[i].key, "MESSAGE") == 0 && (level & G_LOG_LEVEL_WARNING))
      g_string_append_printf(warnings, "%s\n", (const char *)fields[i].value);
  }
  return G_LOG_WRITER_HANDLED;
}

static guint watched_cpus[] = {0, 3};

static const EppdResidencyConfig config = {
    .cpus = {.cpus = watched_cpus, .n_cpus = G_N_ELEMENTS(watched_cpus)},
    .threshold_permille = 500,
    .sample_usec = 10000,
};

typedef struct {
  char *directory;
  char *path;
  int fd; /* the writer's */
  EppdResidencySource *source;
  GString *samples;
} Fixture;

static void
set_up(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  fixture->directory = g_dir_make_tmp("eppd-live-XXXXXX", &error);
  g_assert_no_error(error);
  fixture->path = g_build_filename(fixture->directory, "fifo", NULL);
  g_assert_cmpint(mkfifo(fixture->path, 0600), ==, 0);
  fixture->fd = open(fixture->path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  g_assert_cmpint(fixture->fd, >=, 0);
  g_assert_true(eppd_live_trace_source_is_for(fixture->path));
  fixture->source = eppd_live_trace_source_new(fixture->path);
  fixture->samples = g_string_new(NULL);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  eppd_residency_source_free(fixture->source);
  if (fixture->fd >= 0)
    close(fixture->fd);
  g_unlink(fixture->path);
  g_rmdir(fixture->directory);
  g_free(fixture->path);
  g_free(fixture->directory);
  g_string_free(fixture->samples, TRUE);
  g_string_truncate(warnings, 0);
}

static void
arm(Fixture *fixture)
{
  g_autoptr(GError) error = NULL;

  eppd_residency_source_arm(fixture->source, &config, ARMED_USEC, &error);
  g_assert_no_error(error);
}

static void
put_bytes(Fixture *fixture, const char *text, gsize length)
{
  g_assert_cmpint(write(fixture->fd, text, length), ==, (gssize)length);
}

static void
put(Fixture *fixture, const char *text)
{
  put_bytes(fixture, text, strlen(text));
}

static void
note_sample(const EppdResidencySample *sample, gpointer data)
{
  g_string_append_printf(data, "%u:%u@%" G_GINT64_FORMAT " ", sample->cpu, sample->busy_permille,
                         sample->when_usec);
}

/* The samples of all that was written, a line at a time. */
static const char *
take(Fixture *fixture)
{
  g_string_truncate(fixture->samples, 0);
  while (eppd_residency_source_dispatch(fixture->source, 2 * ARMED_USEC, 1, note_sample,
                                        fixture->samples) != -1)
    ;
  return fixture->samples->str;
}

/* What was complained of, without what is the same each time. */
static void
assert_said(Fixture *fixture, const char *what)
{
  g_autofree char *wanted =
      what ? g_strdup_printf("trace: %s:%s: ignoring the line\n", fixture->path, what)
           : g_strdup("");

  g_assert_cmpstr(warnings->str, ==, wanted);
}

typedef struct {
  const char *name;
  const char *text;
  gssize length; /* 0: a string */
  const char *samples;
  const char *warning; /* «LINE: what» */
} LineCase;

/* The line that comes first may be half a line. */
static const LineCase line_cases[] = {
    {"nothing is silent", "", 0, "", NULL},
    {"a window is a sample", "\n1000000 0 0 0\n1010000 0 500 1000\n", 0, "0:500@1010000 ", NULL},
    {"each CPU has its own window",
     "\n1000000 0 0 0\n1000000 3 0 0\n1010000 0 250 1000\n1010000 3 750 1000\n", 0,
     "0:250@1010000 3:750@1010000 ", NULL},
    {"ticks closer than the period less half a tick accumulate",
     "\n1000000 0 0 0\n1004000 0 4 4\n1008000 0 8 8\n1012000 0 8 20\n", 0, "0:1000@1008000 ", NULL},
    {"a gap of more than two periods is a baseline",
     "\n1000000 0 0 0\n1020001 0 500 1000\n1030001 0 600 2000\n", 0, "0:100@1030001 ", NULL},
    {"what is older than the arming is skipped",
     "\n990000 0 0 0\n999999 0 900 1000\n1000000 0 1000 1000\n1010000 0 1500 2000\n", 0,
     "0:500@1010000 ", NULL},
    {"up to the first end of a line it may be half a line",
     "00 0 0\n1000000 0 0 0\n1010000 0 500 1000\n", 0, "0:500@1010000 ", NULL},
    {"other CPUs' lines are passed over", "\n1000000 1 0 0\n1010000 1 500 1000\n", 0, "", NULL},
    {"comments and blank lines are tolerated", "# live\n\n1000000 0 0 0\r\n#\n1010000 0 500 1000\n",
     0, "0:500@1010000 ", NULL},
    {"garbage is skipped", "\n1000000 0 0 0\nhello\n1010000 0 500 1000\n", 0, "0:500@1010000 ",
     "2: not «usec cpu mperf tsc»"},
    {"a NUL is garbage", "\n1000000 0 0 0\n1005000 0 \0 0\n1010000 0 500 1000\n",
     sizeof "\n1000000 0 0 0\n1005000 0 \0 0\n1010000 0 500 1000\n" - 1, "0:500@1010000 ",
     "2: too long, or binary"},
    {"a line that goes back in time is skipped",
     "\n1000000 0 0 0\n999999 0 1 1\n1010000 0 500 1000\n", 0, "0:500@1010000 ",
     "2: goes back in time"},
    {"one ahead of the clock does not silence the rest",
     "\n1000000 0 0 0\n3000001 0 0 0\n1010000 0 500 1000\n", 0, "0:500@1010000 ",
     "2: ahead of the clock"},
    {"half a line waits for its other half", "\n1000000 0 0 0\n1010000 0 500 10", 0, "", NULL},
};

static void
test_lines(Fixture *fixture, gconstpointer data)
{
  const LineCase *test = data;

  arm(fixture);
  put_bytes(fixture, test->text, test->length > 0 ? (gsize)test->length : strlen(test->text));
  g_assert_cmpstr(take(fixture), ==, test->samples);
  assert_said(fixture, test->warning);
}

static void
test_byte_by_byte(Fixture *fixture, gconstpointer data)
{
  const char *text = "\n1000000 0 0 0\n1010000 0 500 1000\n";

  arm(fixture);
  for (gsize i = 0; i < strlen(text) - 1; i++) {
    put_bytes(fixture, &text[i], 1);
    g_assert_cmpstr(take(fixture), ==, "");
  }
  put(fixture, "\n");
  g_assert_cmpstr(take(fixture), ==, "0:500@1010000 ");
  assert_said(fixture, NULL);
}

/* As long as the pipe holds, with and without an end. */
static void
test_long_line(Fixture *fixture, gconstpointer data)
{
  g_autofree char *blanks = g_strnfill(20000, ' ');

  arm(fixture);
  put(fixture, "\n1000000 0 0 0\n");
  put(fixture, blanks);
  g_assert_cmpstr(take(fixture), ==, "");
  put(fixture, blanks);
  put(fixture, "1005000 0 1 1\n1010000 0 500 1000\n");
  g_assert_cmpstr(take(fixture), ==, "0:500@1010000 ");
  assert_said(fixture, "2: too long, or binary");
}

static bool
is_readable(Fixture *fixture)
{
  struct pollfd poll_fd = {.fd = eppd_residency_source_get_fd(fixture->source), .events = POLLIN};

  g_assert_cmpint(poll(&poll_fd, 1, 0), >=, 0);
  return poll_fd.revents != 0;
}

static void
test_poll(Fixture *fixture, gconstpointer data)
{
  g_assert_cmpint(eppd_residency_source_get_fd(fixture->source), ==, -1);
  arm(fixture);
  g_assert_false(is_readable(fixture));
  put(fixture, "\n1000000 0 0 0\n");
  g_assert_true(is_readable(fixture));
  take(fixture);
  g_assert_false(is_readable(fixture));
  eppd_residency_source_disarm(fixture->source);
  g_assert_cmpint(eppd_residency_source_get_fd(fixture->source), ==, -1);
}

static void
test_writer_leaves(Fixture *fixture, gconstpointer data)
{
  arm(fixture);
  put(fixture, "\n1000000 0 0 0\n");
  close(fixture->fd);
  take(fixture);
  g_assert_false(is_readable(fixture));
  fixture->fd = open(fixture->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  put(fixture, "1010000 0 500 1000\n");
  g_assert_cmpstr(take(fixture), ==, "0:500@1010000 ");
}

/* Without a reader and without a writer, a FIFO keeps nothing. */
static void
test_nothing_is_open_between_arms(Fixture *fixture, gconstpointer data)
{
  arm(fixture);
  eppd_residency_source_disarm(fixture->source);
  close(fixture->fd);
  fixture->fd = open(fixture->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  g_assert_cmpint(fixture->fd, ==, -1);
  g_assert_cmpint(errno, ==, ENXIO);
}

static void
test_armed_again(Fixture *fixture, gconstpointer data)
{
  guint busy_permille;
  gint64 when_usec;

  arm(fixture);
  put(fixture, "\n1000000 0 0 0\n1010000 0 500 1000\n1020000 0 5");
  g_assert_cmpstr(take(fixture), ==, "0:500@1010000 ");
  g_assert_true(eppd_residency_source_get_sample(fixture->source, 0, &busy_permille, &when_usec));
  g_assert_cmpuint(busy_permille, ==, 500);
  g_assert_cmpint(when_usec, ==, 1010000);
  eppd_residency_source_disarm(fixture->source);

  arm(fixture);
  g_assert_false(eppd_residency_source_get_sample(fixture->source, 0, &busy_permille, &when_usec));
  put(fixture, "00 1000\n1020000 0 0 0\n1030000 0 700 1000\n");
  g_assert_cmpstr(take(fixture), ==, "0:700@1030000 ");
  assert_said(fixture, NULL);
}

static void
test_configure(Fixture *fixture, gconstpointer data)
{
  EppdResidencyConfig slower = config;

  slower.sample_usec = 30000;
  arm(fixture);
  g_assert_true(eppd_residency_source_configure(fixture->source, &slower, NULL));
  g_assert_cmpint(eppd_residency_source_get_period_usec(fixture->source), ==, 30000);
  put(fixture, "\n1000000 0 0 0\n1010000 0 1 1\n1020000 0 2 2\n1030000 0 3 4\n");
  g_assert_cmpstr(take(fixture), ==, "0:750@1030000 ");
}

static void
disarm_on_sample(const EppdResidencySample *sample, gpointer data)
{
  eppd_residency_source_disarm(data);
}

static void
test_disarm_within_dispatch(Fixture *fixture, gconstpointer data)
{
  arm(fixture);
  put(fixture, "\n1000000 0 0 0\n1010000 0 1 1\n1020000 0 2 2\n");
  g_assert_cmpint(eppd_residency_source_dispatch(fixture->source, 2 * ARMED_USEC, 64,
                                                 disarm_on_sample, fixture->source),
                  ==, -1);
  g_assert_cmpint(eppd_residency_source_dispatch(fixture->source, 2 * ARMED_USEC, 64,
                                                 disarm_on_sample, fixture->source),
                  ==, -1);
}

static void
test_self_test(Fixture *fixture, gconstpointer data)
{
  g_autofree char *wanted = g_strdup_printf("what is written into %s", fixture->path);
  g_autofree char *detail = NULL;
  g_autoptr(GError) error = NULL;

  g_assert_true(eppd_residency_source_self_test(fixture->source, &detail, &error));
  g_assert_cmpstr(detail, ==, wanted);
  g_assert_cmpstr(eppd_residency_source_name(fixture->source), ==, "trace");
  g_assert_false(eppd_residency_source_is_virtual(fixture->source));
}

static void
test_no_fifo_any_more(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) gone = NULL;
  g_autoptr(GError) other = NULL;
  char *detail = NULL;

  g_unlink(fixture->path);
  g_assert_false(eppd_live_trace_source_is_for(fixture->path));
  g_assert_false(eppd_residency_source_self_test(fixture->source, &detail, &gone));
  g_assert_nonnull(strstr(gone->message, fixture->path));
  g_assert_null(detail);

  g_assert_true(g_file_set_contents(fixture->path, "1000000 0 0 0\n", -1, NULL));
  g_assert_false(eppd_live_trace_source_is_for(fixture->path));
  g_assert_false(eppd_residency_source_arm(fixture->source, &config, ARMED_USEC, &other));
  g_assert_nonnull(strstr(other->message, "no FIFO"));
  g_assert_cmpint(eppd_residency_source_get_fd(fixture->source), ==, -1);
}

static void
add(const char *name, gconstpointer data, void (*test)(Fixture *fixture, gconstpointer data))
{
  g_autofree char *path = g_strdup_printf("/live-trace-source/%s", name);

  g_test_add(path, Fixture, data, set_up, test, tear_down);
}

int
main(int argc, char **argv)
{
  int result;

  g_test_init(&argc, &argv, NULL);
  /* A warning is what some tests are after. */
  g_log_set_always_fatal(G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  g_log_set_writer_func(collect_warnings, NULL, NULL);
  warnings = g_string_new(NULL);

  for (guint i = 0; i < G_N_ELEMENTS(line_cases); i++)
    add(line_cases[i].name, &line_cases[i], test_lines);
  add("bytes may come one by one", NULL, test_byte_by_byte);
  add("a very long line is skipped", NULL, test_long_line);
  add("it wakes only when there is something", NULL, test_poll);
  add("a writer that leaves is no end", NULL, test_writer_leaves);
  add("nothing is open between arms", NULL, test_nothing_is_open_between_arms);
  add("armed again it knows nothing of before", NULL, test_armed_again);
  add("a new period counts at once", NULL, test_configure);
  add("may be disarmed by its callback", NULL, test_disarm_within_dispatch);
  add("self-test", NULL, test_self_test);
  add("what is no FIFO any more is an error", NULL, test_no_fifo_any_more);
  result = g_test_run();
  g_string_free(warnings, TRUE);
  return result;
}
