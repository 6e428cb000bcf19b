/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/kernel-settings.h"
#include "scratch.h"

#define BOOST   EPPD_AMD_PSTATE_KERNEL_BOOST_FILE
#define DYNAMIC EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE

typedef struct {
  Scratch *dir; /* the root, and the runtime directory "run" in it */
  EppdSysRoot *root;
  EppdJournal *journal;
  EppdKernelSettings *settings;
} Fixture;

static void
set_up(Fixture *fixture, gconstpointer data)
{
  g_autofree char *run = NULL;

  fixture->dir = scratch_new();
  fixture->root = eppd_sys_root_new(fixture->dir);
  scratch_mkdir(fixture->dir, "run");
  run = scratch_path(fixture->dir, "run");
  fixture->journal = eppd_journal_load(fixture->root, run);
  fixture->settings = eppd_kernel_settings_new(fixture->root, fixture->journal);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  eppd_kernel_settings_free(fixture->settings);
  eppd_journal_free(fixture->journal);
  eppd_sys_root_unref(fixture->root);
  scratch_free(fixture->dir);
}

static void
put(Fixture *fixture, const char *file, const char *text)
{
  g_autofree char *line = g_strconcat(text, "\n", NULL);

  scratch_write(fixture->dir, file + 1, line);
}

static void
assert_holds(Fixture *fixture, const char *file, const char *text)
{
  g_autofree char *line = scratch_read_line(fixture->dir, file + 1);

  g_assert_cmpstr(line, ==, text);
}

static void
assert_journal_has_files(Fixture *fixture, guint n)
{
  g_autoptr(GPtrArray) files = eppd_journal_files(fixture->journal);

  g_assert_cmpuint(files->len, ==, n);
}

/* What was found, what we want, and what it is after that and after the end. */
typedef struct {
  const char *name;
  const char *found;
  bool want;
  const char *held;
} Case;

static const Case cases[] = {
    {"off-wanted-off", "N", false, "N"},
    {"on-wanted-off", "Y", false, "N"},
    {"off-wanted-on", "N", true, "Y"},
    {"on-wanted-on", "Y", true, "Y"},
};

static void
test_the_value_found_is_put_back(Fixture *fixture, gconstpointer data)
{
  const Case *c = data;
  bool differs = !g_str_equal(c->found, c->held);

  put(fixture, BOOST, c->found);
  g_assert_true(eppd_kernel_settings_want_boost(fixture->settings, c->want));
  assert_holds(fixture, BOOST, c->held);
  assert_journal_has_files(fixture, differs ? 1 : 0);
  g_assert_true(eppd_kernel_settings_want_boost(fixture->settings, c->want));
  eppd_kernel_settings_release_boost(fixture->settings);
  assert_holds(fixture, BOOST, c->found);
  assert_journal_has_files(fixture, 0);
}

static void
test_another_s_value_is_not_fought(Fixture *fixture, gconstpointer data)
{
  const Case *c = data;
  const char *other = c->want ? "N" : "Y";

  put(fixture, BOOST, c->found);
  g_assert_true(eppd_kernel_settings_want_boost(fixture->settings, c->want));
  g_assert_false(eppd_kernel_settings_boost_is_overruled(fixture->settings, c->want));
  put(fixture, BOOST, other);
  for (guint i = 0; i < 3; i++) {
    g_assert_false(eppd_kernel_settings_want_boost(fixture->settings, c->want));
    g_assert_true(eppd_kernel_settings_boost_is_overruled(fixture->settings, c->want));
    assert_holds(fixture, BOOST, other);
  }
  /* To want what the other wants is no fight, and changes nothing about it. */
  g_assert_true(eppd_kernel_settings_want_boost(fixture->settings, !c->want));
  g_assert_false(eppd_kernel_settings_want_boost(fixture->settings, c->want));
  assert_holds(fixture, BOOST, other);
  eppd_kernel_settings_release_boost(fixture->settings);
  assert_holds(fixture, BOOST, other);
  assert_journal_has_files(fixture, 0);

  /* The next boost is another matter. */
  g_assert_true(eppd_kernel_settings_want_boost(fixture->settings, c->want));
  assert_holds(fixture, BOOST, c->held);
  eppd_kernel_settings_release_boost(fixture->settings);
  assert_holds(fixture, BOOST, other);
}

static void
test_a_parameter_that_is_gone_does_not_matter(Fixture *fixture, gconstpointer data)
{
  put(fixture, BOOST, "Y");
  g_assert_true(eppd_kernel_settings_want_boost(fixture->settings, false));
  scratch_remove(fixture->dir, &BOOST[1]);
  g_assert_true(eppd_kernel_settings_want_boost(fixture->settings, false));
  eppd_kernel_settings_release_boost(fixture->settings);
  assert_journal_has_files(fixture, 0);
  g_assert_true(eppd_kernel_settings_want_boost(fixture->settings, true));
}

static void
test_dynamic_epp_is_taken_over_once(Fixture *fixture, gconstpointer data)
{
  put(fixture, DYNAMIC, "enabled");
  g_assert_true(eppd_kernel_settings_take_over_dynamic_epp(fixture->settings));
  assert_holds(fixture, DYNAMIC, "disabled");
  put(fixture, DYNAMIC, "enabled");
  g_assert_false(eppd_kernel_settings_take_over_dynamic_epp(fixture->settings));
  g_assert_true(eppd_kernel_settings_dynamic_epp_is_overruled(fixture->settings));
  assert_holds(fixture, DYNAMIC, "enabled");

  eppd_kernel_settings_try_again(fixture->settings);
  g_assert_true(eppd_kernel_settings_take_over_dynamic_epp(fixture->settings));
  assert_holds(fixture, DYNAMIC, "disabled");
  g_assert_true(eppd_kernel_settings_release_dynamic_epp(fixture->settings));
  assert_holds(fixture, DYNAMIC, "enabled");
  g_assert_false(eppd_kernel_settings_release_dynamic_epp(fixture->settings));
}

static GLogWriterOutput
ignore_log(GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  return G_LOG_WRITER_HANDLED;
}

static void
add(const char *path, gconstpointer data, void (*func)(Fixture *, gconstpointer))
{
  g_autofree char *full = g_strconcat("/kernel-settings/", path, NULL);

  g_test_add(full, Fixture, data, set_up, func, tear_down);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_log_set_writer_func(ignore_log, NULL, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *back = g_strconcat("the-value-found-is-put-back/", cases[i].name, NULL);
    g_autofree char *fight = g_strconcat("another-s-value-is-not-fought/", cases[i].name, NULL);

    add(back, &cases[i], test_the_value_found_is_put_back);
    add(fight, &cases[i], test_another_s_value_is_not_fought);
  }
  add("a-parameter-that-is-gone-does-not-matter", NULL,
      test_a_parameter_that_is_gone_does_not_matter);
  add("dynamic-epp-is-taken-over-once", NULL, test_dynamic_epp_is_taken_over_once);
  return g_test_run();
}
