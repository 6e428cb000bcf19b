/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cgroup2.h"

#include "base/error.h"
#include "base/text-file.h"

#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>

#define MOUNTS "/proc/self/mountinfo"

/* The mount point of a line of mountinfo, if it shows a whole v2 hierarchy; NULL otherwise. */
static char *
mount_point(const char *line)
{
  enum { ROOT = 3, MOUNT_POINT = 4, OPTIONAL = 6 };
  g_auto(GStrv) fields = g_strsplit(line, " ", -1);
  guint n_fields = g_strv_length(fields);

  /* Any number of optional fields end with "-"; the type is the next. */
  for (guint i = OPTIONAL; i + 1 < n_fields; i++) {
    if (strcmp(fields[i], "-") != 0)
      continue;
    if (strcmp(fields[i + 1], "cgroup2") != 0 || strcmp(fields[ROOT], "/") != 0)
      return NULL;
    return g_strcompress(fields[MOUNT_POINT]);
  }
  return NULL;
}

char *
eppd_cgroup2_root(GError **error)
{
  g_autofree char *text = NULL;
  g_auto(GStrv) lines = NULL;
  g_autoptr(GError) read_error = NULL;

  /* Not eppd_text_file_read(): a host of containers has more mounts than it takes. */
  if (!g_file_get_contents(MOUNTS, &text, NULL, &read_error)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_FAILED, "Could not read %s: %s", MOUNTS,
                read_error->message);
    return NULL;
  }

  lines = g_strsplit(text, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    g_autofree char *path = mount_point(lines[i]);
    struct statfs fs;

    /* Something else may be mounted over it. */
    if (path && statfs(path, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC)
      return g_steal_pointer(&path);
  }
  g_set_error_literal(error, EPPD_ERROR, EPPD_ERROR_UNSUPPORTED, "There is no cgroup v2 hierarchy");
  return NULL;
}

bool
eppd_cgroup2_is_populated(const char *path)
{
  g_autofree char *file = g_build_filename(path, "cgroup.events", NULL);
  g_autofree char *text = eppd_text_file_read(file, NULL);
  g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;

  return lines && g_strv_contains((const char *const *)lines, "populated 1");
}
