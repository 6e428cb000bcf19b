/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/amdgpu.h"

#include "base/text-file.h"
#include "hardware/cpu-info.h"
#include "hardware/directory.h"

#include <stdlib.h>
#include <string.h>

#define CLASS_DIR "/sys/class/drm"

bool
eppd_amdgpu_is_amd_machine(EppdSysRoot *root)
{
  g_autofree char *vendor = eppd_cpu_info_value(root, "vendor_id");

  return g_strcmp0(vendor, "AuthenticAMD") == 0;
}

static bool
is_connected(EppdSysRoot *root, const char *connector)
{
  g_autofree char *path = eppd_sys_root_path(root, CLASS_DIR "/%s/status", connector);
  g_autofree char *status = eppd_text_file_read_line(path, NULL);

  return g_strcmp0(status, "connected") == 0;
}

GPtrArray *
eppd_amdgpu_panel_files(EppdSysRoot *root)
{
  GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) names = eppd_directory_names(root, CLASS_DIR);

  for (guint i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    g_autofree char *path =
        eppd_sys_root_path(root, CLASS_DIR "/%s/amdgpu/panel_power_savings", name);

    if (g_str_has_prefix(name, "card") && strstr(name, "-eDP-") && is_connected(root, name) &&
        g_file_test(path, G_FILE_TEST_IS_REGULAR))
      g_ptr_array_add(files, g_steal_pointer(&path));
  }
  return files;
}

GPtrArray *
eppd_amdgpu_dpm_files(EppdSysRoot *root)
{
  GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
  /* Several cards may be one device's. */
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, free, NULL);
  g_autoptr(GPtrArray) names = eppd_directory_names(root, CLASS_DIR);

  for (guint i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    g_autofree char *path =
        eppd_sys_root_path(root, CLASS_DIR "/%s/device/power_dpm_force_performance_level", name);
    char *real;

    if (!eppd_directory_name_is_numbered(name, "card") ||
        !g_file_test(path, G_FILE_TEST_IS_REGULAR))
      continue;
    real = realpath(path, NULL);
    if (real && g_hash_table_add(seen, real))
      g_ptr_array_add(files, g_steal_pointer(&path));
  }
  return files;
}
