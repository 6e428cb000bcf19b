/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sys-root.h"

typedef struct {
  const char *name;
  const char *prefix;
  const char *path; /* of /sys/policy7 */
} Case;

static const Case cases[] = {
    {"null-is-the-machine", NULL, "/sys/policy7"},
    {"slash-is-the-machine", "/", "/sys/policy7"},
    {"slashes-are-the-machine", "///", "/sys/policy7"},
    {"empty-is-the-machine", "", "/sys/policy7"},
    {"directory", "/tmp/tree", "/tmp/tree/sys/policy7"},
    {"trailing-slash", "/tmp/tree/", "/tmp/tree/sys/policy7"},
    {"relative", ".", "./sys/policy7"},
    {"percent-in-the-prefix", "/tmp/%s%n", "/tmp/%s%n/sys/policy7"},
};

static void
test_path(gconstpointer data)
{
  const Case *c = data;
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(c->prefix);
  g_autofree char *path = eppd_sys_root_path(root, "/sys/policy%u", 7U);

  g_assert_cmpstr(path, ==, c->path);
}

static void
test_ref_keeps_it(void)
{
  EppdSysRoot *root = eppd_sys_root_new("/tmp/tree");
  EppdSysRoot *other = eppd_sys_root_ref(root);
  g_autofree char *path = NULL;

  eppd_sys_root_unref(root);
  path = eppd_sys_root_path(other, "/proc");
  g_assert_cmpstr(path, ==, "/tmp/tree/proc");
  eppd_sys_root_unref(other);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/sys-root/path/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_path);
  }
  g_test_add_func("/sys-root/ref-keeps-it", test_ref_keeps_it);
  return g_test_run();
}
