/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/directory.h"

#include <string.h>

static int
compare_names(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

GPtrArray *
eppd_directory_names(EppdSysRoot *root, const char *path)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *full = eppd_sys_root_path(root, "%s", path);
  g_autoptr(GDir) dir = g_dir_open(full, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir)))
    g_ptr_array_add(names, g_strdup(name));
  g_ptr_array_sort(names, compare_names);
  return names;
}

bool
eppd_directory_name_is_numbered(const char *name, const char *prefix)
{
  const char *digits;

  if (!g_str_has_prefix(name, prefix))
    return false;
  digits = name + strlen(prefix);
  return *digits && digits[strspn(digits, "0123456789")] == '\0';
}
