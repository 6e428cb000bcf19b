/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/boost-state.h"
#include "residency/trace-source.h"

#include <glib/gstdio.h>
#include <string.h>

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

static char *
write_trace(const char *text, gssize length)
{
  g_autoptr(GError) error = NULL;
  char *path = NULL;
  int fd = g_file_open_tmp("eppd-trace-XXXXXX", &path, &error);

  g_assert_no_error(error);
  g_close(fd, NULL);
  g_file_set_contents(path, text, length, &error);
  g_assert_no_error(error);
  return path;
}

static guint watched_cpus[] = {0, 3};

static const EppdResidencyConfig config = {
    .cpus = {.cpus = watched_cpus, .n_cpus = G_N_ELEMENTS(watched_cpus)},
    .threshold_permille = 500,
    .sample_usec = 10000,
};

static void
note_sample(const EppdResidencySample *sample, gpointer data)
{
  g_string_append_printf(data, "%u:%u@%" G_GINT64_FORMAT " ", sample->cpu, sample->busy_permille,
                         sample->when_usec);
}

/* Replays all of an armed trace in virtual time. */
static char *
replay(EppdResidencySource *source)
{
  GString *samples = g_string_new(NULL);
  gint64 next_usec;

  do {
    gint64 now_usec = eppd_residency_source_advance(source, -1);

    next_usec = eppd_residency_source_dispatch(source, now_usec, 1, note_sample, samples);
  } while (next_usec != -1);
  return g_string_free(samples, FALSE);
}

typedef struct {
  const char *name;
  const char *text;
  gssize length; /* 0: a string */
  const char *samples;
  const char *warnings; /* «LINE: what» each in a line; NULL: none */
} ReplayCase;

static const ReplayCase replay_cases[] = {
    {"an empty file is silent", "", 0, "", NULL},
    {"the first line of a CPU is its baseline", "1000 0 5 5\n", 0, "", NULL},
    {"a window is a sample", "0 0 0 0\n10000 0 500 1000\n", 0, "0:500@10000 ", NULL},
    {"each CPU has its own window", "0 0 0 0\n1 3 0 0\n10000 0 250 1000\n10001 3 750 1000\n", 0,
     "0:250@10000 3:750@10001 ", NULL},
    {"lines of one time are all handed out",
     "0 0 0 0\n0 3 0 0\n10000 0 250 1000\n10000 3 750 1000\n", 0, "0:250@10000 3:750@10000 ", NULL},
    {"comments, blank lines, CRLF, blanks and a missing last newline are tolerated",
     "# a trace\r\n\r\n  \t\n 0\t0 0   0 \r\n#\n10000 0 500 1000", 0, "0:500@10000 ", NULL},
    {"lines closer than the period less half a tick accumulate",
     "0 0 0 0\n4000 0 4 4\n7999 0 8 8\n8000 0 8 16\n12000 0 8 20\n16000 0 16 24\n", 0,
     "0:500@8000 0:1000@16000 ", NULL},
    {"two periods are a window yet", "0 0 0 0\n20000 0 500 1000\n", 0, "0:500@20000 ", NULL},
    {"a longer window only sets the baseline", "0 0 0 0\n20001 0 500 1000\n30001 0 1000 1500\n", 0,
     "0:1000@30001 ", NULL},
    {"a counter that stands still is no sample", "0 0 5 0\n10000 0 5 1000\n20000 0 1005 2000\n", 0,
     "0:500@20000 ", NULL},
    {"a counter that goes back sets the baseline",
     "0 0 500 1000\n10000 0 100 2000\n20000 0 200 3000\n", 0, "0:100@20000 ", NULL},
    {"a counter wraps", "0 0 18446744073709551615 18446744073709551515\n10000 0 499 899\n", 0,
     "0:500@10000 ", NULL},
    {"other CPUs' lines are passed over", "0 1 0 0\n0 0 0 0\n10000 1 5 5\n10000 0 500 1000\n", 0,
     "0:500@10000 ", NULL},
    {"garbage is skipped", "0 0 0 0\nhello\n5000 0 1\n5000 0 1 2 3\n5000 0 x 9\n10000 0 500 1000\n",
     0, "0:500@10000 ",
     "2: not «usec cpu mperf tsc»\n3: not «usec cpu mperf tsc»\n4: not «usec cpu mperf tsc»\n"
     "5: not «usec cpu mperf tsc»\n"},
    {"negative and overflowing numbers are garbage",
     "-1 0 0 0\n0 -1 0 0\n0 0 -5 0\n0 0 18446744073709551616 0\n9223372036854775807 0 0 0\n", 0, "",
     "1: not «usec cpu mperf tsc»\n2: not «usec cpu mperf tsc»\n3: not «usec cpu mperf tsc»\n"
     "4: not «usec cpu mperf tsc»\n5: not «usec cpu mperf tsc»\n"},
    {"a CPU past the limit is garbage", "0 8191 0 0\n0 8192 0 0\n", 0, "",
     "2: not «usec cpu mperf tsc»\n"},
    {"a line that goes back in time is skipped", "10000 0 0 0\n9999 0 500 500\n20000 0 500 1000\n",
     0, "0:500@20000 ", "2: goes back in time\n"},
    {"a NUL is garbage", "0 0 0 0\n10000 0 5\0 5\n10000 0 500 1000\n",
     sizeof "0 0 0 0\n10000 0 5\0 5\n10000 0 500 1000\n" - 1, "0:500@10000 ",
     "2: too long, or binary\n"},
    {"ten complaints are enough", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n0 0 0 0\n10000 0 500 1000\n",
     0, "0:500@10000 ",
     "1: not «usec cpu mperf tsc»\n2: not «usec cpu mperf tsc»\n3: not «usec cpu mperf tsc»\n"
     "4: not «usec cpu mperf tsc»\n5: not «usec cpu mperf tsc»\n6: not «usec cpu mperf tsc»\n"
     "7: not «usec cpu mperf tsc»\n8: not «usec cpu mperf tsc»\n9: not «usec cpu mperf tsc»\n"
     "10: not «usec cpu mperf tsc»\n"},
};

/* The warnings, without what is the same in each. */
static char *
take_warnings(const char *path)
{
  g_autofree char *prefix = g_strdup_printf("trace: %s:", path);
  g_auto(GStrv) lines = g_strsplit(warnings->str, "\n", -1);
  GString *short_lines = g_string_new(NULL);

  for (guint i = 0; lines[i]; i++) {
    char *end;

    if (!*lines[i])
      continue;
    g_assert_true(g_str_has_prefix(lines[i], prefix));
    end = strstr(lines[i], ": ignoring the line");
    g_assert_nonnull(end);
    *end = '\0';
    g_string_append_printf(short_lines, "%s\n", lines[i] + strlen(prefix));
  }
  g_string_truncate(warnings, 0);
  return g_string_free(short_lines, FALSE);
}

static void
test_replay(gconstpointer data)
{
  const ReplayCase *test = data;
  g_autofree char *path = write_trace(test->text, test->length ? test->length : -1);
  g_autoptr(EppdResidencySource) source = eppd_trace_source_new(path, true);
  g_autoptr(GError) error = NULL;

  for (guint round = 0; round < 2; round++) {
    g_autofree char *samples = NULL;
    g_autofree char *said = NULL;

    eppd_residency_source_arm(source, &config, 0, &error);
    g_assert_no_error(error);
    samples = replay(source);
    g_assert_cmpstr(samples, ==, test->samples);
    said = take_warnings(path);
    /* Said once, although it is replayed from the start. */
    g_assert_cmpstr(said, ==, round == 0 && test->warnings ? test->warnings : "");
    eppd_residency_source_disarm(source);
  }
  g_unlink(path);
}

/* A line of a megabyte is neither kept nor a reading. */
static void
test_long_line(void)
{
  g_autofree char *blanks = g_strnfill(1024 * 1024, ' ');
  g_autofree char *text = g_strdup_printf("0 0 0 0\n%s5000 0 1 1\n10000 0 500 1000\n", blanks);
  g_autofree char *path = write_trace(text, -1);
  g_autoptr(EppdResidencySource) source = eppd_trace_source_new(path, true);
  g_autofree char *samples = NULL;
  g_autofree char *said = NULL;

  g_assert_true(eppd_residency_source_arm(source, &config, 0, NULL));
  samples = replay(source);
  g_assert_cmpstr(samples, ==, "0:500@10000 ");
  said = take_warnings(path);
  g_assert_cmpstr(said, ==, "2: too long, or binary\n");
  g_unlink(path);
}

static void
note_edge(GString *edges, EppdEdge edge, gint64 when_usec)
{
  if (edge != EPPD_EDGE_NONE)
    g_string_append_printf(edges, "%s@%" G_GINT64_FORMAT " ",
                           edge == EPPD_EDGE_BUSY ? "busy" : "idle", when_usec);
}

typedef struct {
  EppdBoostState state;
  GString *edges;
} Boost;

static const EppdBoostParams boost_params = {.threshold_permille = 500, .hold_usec = 30000};

static void
boost_sample(const EppdResidencySample *sample, gpointer data)
{
  Boost *boost = data;

  note_edge(boost->edges,
            eppd_boost_state_sample(&boost->state, &boost_params, sample->busy_permille,
                                    sample->when_usec),
            sample->when_usec);
}

/* The loop that residency-source.h gives, with a boost: holds pass at their own time, between the
 * lines, and after the last. */
static void
test_virtual_time_passes_holds(void)
{
  g_autofree char *path = write_trace("1000 0 0 0\n"
                                      "11000 0 1000 1000\n" /* busy: the hold ends at 41000 */
                                      "21000 0 1000 2000\n"
                                      "31000 0 1001 3000\n"
                                      "43000 0 1002 4000\n"  /* after the hold */
                                      "53000 0 2002 5000\n"  /* busy: it ends at 83000 */
                                      "63000 0 3002 6000\n", /* busy: it ends at 93000 */
                                      -1);
  g_autoptr(EppdResidencySource) source = eppd_trace_source_new(path, true);
  g_autoptr(GString) edges = g_string_new(NULL);
  Boost boost = {.edges = edges};
  gint64 next_usec = 0;
  gint64 deadline_usec = -1;

  g_assert_true(eppd_residency_source_is_virtual(source));
  g_assert_true(eppd_residency_source_arm(source, &config, 777, NULL));
  g_assert_cmpint(eppd_residency_source_get_time_usec(source), ==, 1000);
  while (next_usec != -1 || deadline_usec != -1) {
    gint64 now_usec = eppd_residency_source_advance(source, deadline_usec);

    g_assert_cmpint(eppd_residency_source_get_time_usec(source), ==, now_usec);
    next_usec = eppd_residency_source_dispatch(source, now_usec, 100, boost_sample, &boost);
    note_edge(edges, eppd_boost_state_expire(&boost.state, &boost_params, now_usec), now_usec);
    deadline_usec = eppd_boost_state_deadline_usec(&boost.state, &boost_params);
  }
  g_assert_cmpstr(edges->str, ==, "busy@11000 idle@41000 busy@53000 idle@93000 ");
  g_unlink(path);
}

static void
test_advance_never_goes_back(void)
{
  g_autofree char *path = write_trace("1000 0 0 0\n11000 0 1 1\n", -1);
  g_autoptr(EppdResidencySource) source = eppd_trace_source_new(path, true);
  g_autoptr(GString) samples = g_string_new(NULL);

  g_assert_true(eppd_residency_source_arm(source, &config, 0, NULL));
  eppd_residency_source_dispatch(source, 1000, 10, note_sample, samples);
  g_assert_cmpint(eppd_residency_source_advance(source, 5000), ==, 5000);
  g_assert_cmpint(eppd_residency_source_advance(source, 3000), ==, 5000);
  g_assert_cmpint(eppd_residency_source_advance(source, 50000), ==, 11000);
  eppd_residency_source_dispatch(source, 11000, 10, note_sample, samples);
  g_assert_cmpint(eppd_residency_source_advance(source, -1), ==, 11000);
  g_assert_cmpint(eppd_residency_source_advance(source, 12000), ==, 12000);
  g_unlink(path);
}

static void
test_real_time(void)
{
  g_autofree char *path = write_trace("5000 0 0 0\n15000 0 500 1000\n25000 0 600 2000\n", -1);
  g_autoptr(EppdResidencySource) source = eppd_trace_source_new(path, false);
  g_autoptr(GString) samples = g_string_new(NULL);
  guint busy_permille = 7;
  gint64 when_usec = 7;

  g_assert_false(eppd_residency_source_is_virtual(source));
  g_assert_true(eppd_residency_source_arm(source, &config, 1000000, NULL));
  g_assert_cmpint(eppd_residency_source_get_fd(source), ==, -1);
  g_assert_cmpint(eppd_residency_source_get_period_usec(source), ==, 10000);
  g_assert_cmpint(eppd_residency_source_dispatch(source, 1000000, 10, note_sample, samples), ==,
                  1010000);
  g_assert_false(eppd_residency_source_get_sample(source, 0, &busy_permille, &when_usec));
  g_assert_cmpint(when_usec, ==, 7);
  g_assert_cmpint(eppd_residency_source_dispatch(source, 1009999, 10, note_sample, samples), ==,
                  1010000);
  g_assert_cmpstr(samples->str, ==, "");
  g_assert_cmpint(eppd_residency_source_dispatch(source, 1020000, 1, note_sample, samples), ==,
                  1020000);
  g_assert_cmpstr(samples->str, ==, "0:500@1010000 ");
  g_assert_cmpint(eppd_residency_source_dispatch(source, 1020000, 1, note_sample, samples), ==, -1);
  g_assert_cmpstr(samples->str, ==, "0:500@1010000 0:100@1020000 ");
  g_assert_true(eppd_residency_source_get_sample(source, 0, &busy_permille, &when_usec));
  g_assert_cmpuint(busy_permille, ==, 100);
  g_assert_cmpint(when_usec, ==, 1020000);
  g_assert_false(eppd_residency_source_get_sample(source, 1, &busy_permille, &when_usec));
  g_assert_cmpint(eppd_residency_source_dispatch(source, G_MAXINT64, 1, note_sample, samples), ==,
                  -1);
  g_unlink(path);
}

static void
test_configure(void)
{
  g_autofree char *path = write_trace("0 0 0 0\n10000 0 1 1\n20000 0 2 2\n30000 0 3 4\n", -1);
  g_autoptr(EppdResidencySource) source = eppd_trace_source_new(path, true);
  EppdResidencyConfig slower = config;
  g_autofree char *samples = NULL;

  slower.sample_usec = 30000;
  g_assert_true(eppd_residency_source_arm(source, &config, 0, NULL));
  g_assert_true(eppd_residency_source_configure(source, &slower, NULL));
  samples = replay(source);
  g_assert_cmpstr(samples, ==, "0:750@30000 ");
  g_unlink(path);
}

static void
disarm_on_sample(const EppdResidencySample *sample, gpointer data)
{
  eppd_residency_source_disarm(data);
}

static void
test_disarm_within_dispatch(void)
{
  g_autofree char *path = write_trace("0 0 0 0\n10000 0 1 1\n20000 0 2 2\n", -1);
  g_autoptr(EppdResidencySource) source = eppd_trace_source_new(path, false);

  g_assert_true(eppd_residency_source_arm(source, &config, 0, NULL));
  g_assert_cmpint(eppd_residency_source_dispatch(source, 90000, 10, disarm_on_sample, source), ==,
                  -1);
  g_assert_cmpint(eppd_residency_source_dispatch(source, 90000, 10, disarm_on_sample, source), ==,
                  -1);
  g_unlink(path);
}

static void
test_unusable_files(void)
{
  g_autofree char *path = write_trace("", 0);
  g_autofree char *directory = g_path_get_dirname(path);
  const char *paths[] = {"/nonexistent/trace", directory, "/dev/null"};

  for (guint i = 0; i < G_N_ELEMENTS(paths); i++) {
    g_autoptr(EppdResidencySource) source = eppd_trace_source_new(paths[i], false);
    g_autoptr(GError) test_error = NULL;
    g_autoptr(GError) arm_error = NULL;
    char *detail = NULL;

    g_assert_false(eppd_residency_source_self_test(source, &detail, &test_error));
    g_assert_nonnull(test_error);
    g_assert_nonnull(strstr(test_error->message, paths[i]));
    g_assert_null(detail);
    g_assert_false(eppd_residency_source_arm(source, &config, 0, &arm_error));
    g_assert_cmpstr(arm_error->message, ==, test_error->message);
    g_assert_cmpint(eppd_residency_source_dispatch(source, 0, 1, note_sample, NULL), ==, -1);
  }
  g_unlink(path);
}

static void
test_self_test(void)
{
  g_autofree char *path = write_trace("0 0 0 0\n", -1);
  g_autoptr(EppdResidencySource) source = eppd_trace_source_new(path, true);
  g_autofree char *wanted = g_strdup_printf("replay of %s in virtual time", path);
  g_autofree char *detail = NULL;

  g_assert_true(eppd_residency_source_self_test(source, &detail, NULL));
  g_assert_cmpstr(detail, ==, wanted);
  g_assert_cmpstr(eppd_residency_source_name(source), ==, "trace");
  /* What it does not have is handled for it. */
  eppd_residency_source_set_boosted(source, 0, true);
  g_assert_false(eppd_residency_source_get_last_busy(source, 0, NULL, NULL));
  g_unlink(path);
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

  for (guint i = 0; i < G_N_ELEMENTS(replay_cases); i++) {
    g_autofree char *name = g_strdup_printf("/trace-source/replay/%s", replay_cases[i].name);

    g_test_add_data_func(name, &replay_cases[i], test_replay);
  }
  g_test_add_func("/trace-source/a very long line is skipped", test_long_line);
  g_test_add_func("/trace-source/holds pass at their own virtual time",
                  test_virtual_time_passes_holds);
  g_test_add_func("/trace-source/virtual time never goes back", test_advance_never_goes_back);
  g_test_add_func("/trace-source/real time starts with arming", test_real_time);
  g_test_add_func("/trace-source/a new period counts at once", test_configure);
  g_test_add_func("/trace-source/may be disarmed by its callback", test_disarm_within_dispatch);
  g_test_add_func("/trace-source/an unusable file is an error", test_unusable_files);
  g_test_add_func("/trace-source/self-test", test_self_test);
  result = g_test_run();
  g_string_free(warnings, TRUE);
  return result;
}
