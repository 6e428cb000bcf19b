/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/peripheral-charge.h"

#include "base/text-file.h"
#include "hardware/directory.h"

#define CLASS_DIR "/sys/class/power_supply"

static bool
is_peripheral(EppdSysRoot *root, const char *supply)
{
  g_autofree char *path = eppd_sys_root_path(root, CLASS_DIR "/%s/scope", supply);
  g_autofree char *scope = eppd_text_file_read_line(path, NULL);

  return g_strcmp0(scope, "Device") == 0;
}

GPtrArray *
eppd_peripheral_charge_files(EppdSysRoot *root)
{
  GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) supplies = eppd_directory_names(root, CLASS_DIR);

  for (guint i = 0; i < supplies->len; i++) {
    const char *supply = supplies->pdata[i];
    g_autofree char *path = eppd_sys_root_path(root, CLASS_DIR "/%s/charge_type", supply);

    if (is_peripheral(root, supply) && g_file_test(path, G_FILE_TEST_IS_REGULAR))
      g_ptr_array_add(files, g_steal_pointer(&path));
  }
  return files;
}
