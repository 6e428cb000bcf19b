/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/cpu-topology.h"
#include "scratch.h"

typedef struct {
  const char *name;
  guint cpu;
  const char *text; /* of thread_siblings_list; NULL: no file */
  const char *siblings;
} SiblingsCase;

static const SiblingsCase siblings_cases[] = {
    {"smt", 3, "3,11\n", "3,11"},
    {"hybrid-performance-core", 0, "0-1\n", "0-1"},
    {"hybrid-efficiency-core", 16, "16\n", "16"},
    {"missing-file", 5, NULL, "5"},
    {"empty-file", 5, "", "5"},
    {"garbage", 5, "f00f,bar", "5"},
    {"list-without-itself", 5, "0-1\n", "5"},
    {"huge-number", 5, "5-99999999999\n", "5"},
};

static void
test_siblings(gconstpointer data)
{
  const SiblingsCase *c = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autofree char *file =
      g_strdup_printf("sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", c->cpu);
  g_auto(EppdCpuList) siblings = {0};
  g_autofree char *formatted = NULL;

  if (c->text)
    scratch_write(dir, file, c->text);
  eppd_cpu_topology_siblings(root, c->cpu, &siblings);
  formatted = eppd_cpu_list_format(&siblings);
  g_assert_cmpstr(formatted, ==, c->siblings);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(siblings_cases); i++) {
    g_autofree char *path = g_strconcat("/cpu-topology/siblings/", siblings_cases[i].name, NULL);

    g_test_add_data_func(path, &siblings_cases[i], test_siblings);
  }
  return g_test_run();
}
