/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/process-cgroup.h"

#include "base/error.h"
#include "base/text-file.h"

#include <string.h>

/* The v2 hierarchy is number 0, without a name. */
#define V2_PREFIX "0::"

char *
eppd_process_cgroup(pid_t pid, GError **error)
{
  g_autofree char *path =
      pid > 0 ? g_strdup_printf("/proc/%d/cgroup", (int)pid) : g_strdup("/proc/self/cgroup");
  g_autofree char *text = eppd_text_file_read(path, error);
  g_auto(GStrv) lines = NULL;

  if (!text)
    return NULL;
  lines = g_strsplit(text, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    if (g_str_has_prefix(lines[i], V2_PREFIX "/"))
      return g_strdup(lines[i] + strlen(V2_PREFIX));
  }
  g_set_error(error, EPPD_ERROR, EPPD_ERROR_GONE, "%s names no cgroup of the v2 hierarchy", path);
  return NULL;
}
