/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sys-root.h"

#include <string.h>

struct _EppdSysRoot {
  gatomicrefcount refs;
  char *prefix; /* no trailing slash: "" is the machine */
};

EppdSysRoot *
eppd_sys_root_new(const char *prefix)
{
  EppdSysRoot *root = g_new0(EppdSysRoot, 1);
  gsize length = prefix ? strlen(prefix) : 0;

  while (length > 0 && prefix[length - 1] == '/')
    length--;
  g_atomic_ref_count_init(&root->refs);
  root->prefix = g_strndup(prefix ? prefix : "", length);
  return root;
}

EppdSysRoot *
eppd_sys_root_ref(EppdSysRoot *root)
{
  g_atomic_ref_count_inc(&root->refs);
  return root;
}

void
eppd_sys_root_unref(EppdSysRoot *root)
{
  if (!g_atomic_ref_count_dec(&root->refs))
    return;
  g_free(root->prefix);
  g_free(root);
}

char *
eppd_sys_root_path(const EppdSysRoot *root, const char *format, ...)
{
  g_autofree char *path = NULL;
  va_list args;

  va_start(args, format);
  path = g_strdup_vprintf(format, args);
  va_end(args);
  return g_strconcat(root->prefix, path, NULL);
}
