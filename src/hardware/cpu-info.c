/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/cpu-info.h"

#include "base/text-file.h"

#include <string.h>

char *
eppd_cpu_info_value(EppdSysRoot *root, const char *key)
{
  g_autofree char *path = eppd_sys_root_path(root, "/proc/cpuinfo");
  g_autofree char *text = eppd_text_file_read_start(path, NULL);
  g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

  for (guint i = 0; lines[i]; i++) {
    g_auto(GStrv) sides = g_strsplit(lines[i], ":", 2);

    if (sides[0] && sides[1] && strcmp(g_strchomp(sides[0]), key) == 0)
      return g_strdup(g_strstrip(sides[1]));
  }
  return NULL;
}
