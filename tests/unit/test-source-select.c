/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "residency/source-select.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

/* A source whose self-test ends as it is told. */
typedef struct {
  EppdResidencySource base;
  EppdResidencySourceClass klass;
  bool works;
  guint *n_tested;
  guint *n_freed;
} FakeSource;

static gboolean
fake_self_test(EppdResidencySource *source, char **detail, GError **error)
{
  FakeSource *self = (FakeSource *)source;

  (*self->n_tested)++;
  if (self->works) {
    *detail = g_strdup("fine");
    return TRUE;
  }
  g_set_error(error, EPPD_ERROR, EPPD_ERROR_UNSUPPORTED, "no %s here", self->klass.name);
  return FALSE;
}

static void
fake_free(EppdResidencySource *source)
{
  (*((FakeSource *)source)->n_freed)++;
  g_free(source);
}

typedef struct {
  const char *name;
  bool works[3];
  const char *chosen;
  const char *reason;
  guint n_tested;
} FirstCase;

static const FirstCase first_cases[] = {
    {"the first that works, and no other is tried", {true, true, true}, "a", "fine", 1},
    {"why not those before", {false, true, true}, "b", "fine; not a: no a here", 2},
    {"the last", {false, false, true}, "c", "fine; not a: no a here; not b: no b here", 3},
    {"none",
     {false, false, false},
     NULL,
     "no source works; not a: no a here; not b: no b here; not c: no c here",
     3},
};

static void
test_first(gconstpointer data)
{
  static const char *const names[] = {"a", "b", "c"};
  const FirstCase *test = data;
  EppdResidencySource *candidates[3];
  g_autoptr(EppdSourceChoice) choice = NULL;
  guint n_tested = 0, n_freed = 0;

  for (guint i = 0; i < 3; i++) {
    FakeSource *fake = g_new0(FakeSource, 1);

    fake->klass = (EppdResidencySourceClass){
        .name = names[i], .self_test = fake_self_test, .free = fake_free};
    fake->base.klass = &fake->klass;
    fake->works = test->works[i];
    fake->n_tested = &n_tested;
    fake->n_freed = &n_freed;
    candidates[i] = &fake->base;
  }
  choice = eppd_source_select_first(candidates, 3);
  g_assert_cmpstr(choice->source ? eppd_residency_source_name(choice->source) : NULL, ==,
                  test->chosen);
  g_assert_cmpstr(choice->reason, ==, test->reason);
  g_assert_cmpuint(n_tested, ==, test->n_tested);
  g_assert_cmpuint(n_freed, ==, test->chosen ? 2 : 3);
  g_clear_pointer(&choice, eppd_source_choice_free);
  g_assert_cmpuint(n_freed, ==, 3);
}

static void
test_names(void)
{
  static const char *const valid[] = {
      "auto", "bpf", "perf", "procstat", "trace:/a file", "trace:virtual:x", "trace:virtual"};
  static const char *const invalid[] = {"",       "Auto",           "bpf ",       "trace",
                                        "trace:", "trace:virtual:", "procstat:x", "none"};

  for (guint i = 0; i < G_N_ELEMENTS(valid); i++)
    g_assert_true(eppd_source_select_is_valid(valid[i], NULL));
  for (guint i = 0; i < G_N_ELEMENTS(invalid); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(EppdSourceChoice) choice = NULL;

    g_assert_false(eppd_source_select_is_valid(invalid[i], &error));
    g_assert_error(error, EPPD_ERROR, EPPD_ERROR_INVALID);
    choice = eppd_source_select(invalid[i]);
    g_assert_null(choice->source);
    g_assert_nonnull(strstr(choice->reason, error->message));
  }
  g_assert_false(eppd_source_select_is_valid(NULL, NULL));
}

static void
test_trace(gconstpointer data)
{
  const char *kind = data;
  g_autofree char *path = NULL;
  g_autofree char *wanted = NULL;
  g_autoptr(EppdSourceChoice) choice = NULL;
  g_autoptr(EppdSourceChoice) missing = NULL;

  g_close(g_file_open_tmp("eppd-trace-XXXXXX", &path, NULL), NULL);
  wanted = g_strconcat(kind, path, NULL);
  choice = eppd_source_select(wanted);
  g_assert_nonnull(choice->source);
  g_assert_cmpstr(eppd_residency_source_name(choice->source), ==, "trace");
  g_assert_true(eppd_residency_source_is_virtual(choice->source) == (strstr(kind, "virtual") != 0));
  g_assert_nonnull(strstr(choice->reason, path));

  g_unlink(path);
  missing = eppd_source_select(wanted);
  g_assert_null(missing->source);
  g_assert_true(g_str_has_prefix(missing->reason, "no source works; not trace: "));
}

static void
test_fifo(void)
{
  g_autofree char *directory = g_dir_make_tmp("eppd-fifo-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(directory, "fifo", NULL);
  g_autofree char *wanted = g_strconcat("trace:", path, NULL);
  g_autofree char *virtual_wanted = g_strconcat("trace:virtual:", path, NULL);
  g_autoptr(EppdSourceChoice) choice = NULL;
  g_autoptr(EppdSourceChoice) refused = NULL;
  g_autofree char *reason = g_strdup_printf("what is written into %s", path);

  g_assert_cmpint(mkfifo(path, 0600), ==, 0);
  choice = eppd_source_select(wanted);
  g_assert_nonnull(choice->source);
  g_assert_cmpstr(choice->reason, ==, reason);

  /* It has no times to run through. */
  refused = eppd_source_select(virtual_wanted);
  g_assert_null(refused->source);
  g_assert_nonnull(strstr(refused->reason, "is no regular file"));
  g_unlink(path);
  g_rmdir(directory);
}

/* /proc/stat is everywhere, so that auto finds something at the least. */
static void
test_machine(gconstpointer data)
{
  const char *wanted = data;
  g_autoptr(EppdSourceChoice) choice = eppd_source_select(wanted);
  const char *name;

  g_test_message("%s: %s", wanted, choice->reason);
  g_assert_nonnull(choice->source);
  name = eppd_residency_source_name(choice->source);
  g_assert_cmpstr(choice->reason, !=, "");
  g_assert_false(g_str_has_prefix(choice->reason, "; "));
  if (strcmp(wanted, "auto") != 0) {
    g_assert_cmpstr(name, ==, wanted);
    g_assert_null(strstr(choice->reason, "; not "));
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(first_cases); i++) {
    g_autofree char *name = g_strdup_printf("/source-select/first/%s", first_cases[i].name);

    g_test_add_data_func(name, &first_cases[i], test_first);
  }
  g_test_add_func("/source-select/names are valid or not", test_names);
  g_test_add_data_func("/source-select/trace", "trace:", test_trace);
  g_test_add_data_func("/source-select/trace in virtual time", "trace:virtual:", test_trace);
  g_test_add_func("/source-select/a FIFO is read as it is written", test_fifo);
  g_test_add_data_func("/source-select/auto finds one", "auto", test_machine);
  g_test_add_data_func("/source-select/procstat works", "procstat", test_machine);
  return g_test_run();
}
