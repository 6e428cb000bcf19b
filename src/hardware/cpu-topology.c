/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/cpu-topology.h"

#include "base/text-file.h"

static bool
read_list(const char *path, EppdCpuList *list)
{
  g_autofree char *text = eppd_text_file_read_line(path, NULL);

  return text && eppd_cpu_list_parse(text, list);
}

void
eppd_cpu_topology_siblings(EppdSysRoot *root, guint cpu, EppdCpuList *siblings)
{
  g_autofree char *path =
      eppd_sys_root_path(root, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
  g_auto(EppdCpuList) list = {0};

  /* A list without the CPU itself is not about it. */
  if (!read_list(path, &list) || !eppd_cpu_list_contains(&list, cpu)) {
    eppd_cpu_list_clear(&list);
    list.cpus = g_memdup2(&cpu, sizeof cpu);
    list.n_cpus = 1;
  }
  *siblings = list;
  list = (EppdCpuList){0};
}
