/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cgroup2.h"

#include "base/error.h"
#include "base/process-cgroup.h"

#include "scratch.h"
#include "skip.h"

/* The mount point is that of the hierarchy which /proc names. */
static void
test_root_has_our_own_cgroup(void)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *root = eppd_cgroup2_root(&error);
  g_autofree char *cgroup = root ? eppd_process_cgroup(0, NULL) : NULL;
  g_autofree char *path = NULL;

  if (!root) {
    g_assert_error(error, EPPD_ERROR, EPPD_ERROR_UNSUPPORTED);
    skip_lacking("a cgroup v2 hierarchy");
    return;
  }
  g_assert_nonnull(cgroup);
  path = g_build_filename(root, cgroup, "cgroup.procs", NULL);
  g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
}

static void
test_populated(void)
{
  static const struct {
    const char *events; /* NULL: no file */
    bool is_populated;
  } cases[] = {
      {"populated 1\nfrozen 0\n", true},
      {"frozen 0\npopulated 1\n", true},
      {"populated 0\nfrozen 0\n", false},
      {"populated 10\n", false},
      {"", false},
      {NULL, false},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(Scratch) dir = scratch_new();

    if (cases[i].events)
      scratch_write(dir, "cgroup.events", cases[i].events);
    g_assert_cmpint(eppd_cgroup2_is_populated(dir), ==, cases[i].is_populated);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/cgroup2/root-has-our-own-cgroup", test_root_has_our_own_cgroup);
  g_test_add_func("/cgroup2/populated", test_populated);
  return g_test_run();
}
