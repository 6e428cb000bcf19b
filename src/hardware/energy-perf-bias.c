/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/energy-perf-bias.h"

#include "base/error.h"
#include "base/text-file.h"
#include "hardware/directory.h"

#define CPU_DIR "/sys/devices/system/cpu"

#define BIAS_MAX 15

static const struct {
  const char *name;
  guint bias;
} names[] = {
    {"performance", 0}, {"balance-performance", 4}, {"normal", 6}, {"balance-power", 8},
    {"power", 15},
};

/* The names of all CPUs, online or not. */
static GPtrArray *
list_cpus(EppdSysRoot *root)
{
  GPtrArray *cpus = eppd_directory_names(root, CPU_DIR);

  for (guint i = cpus->len; i > 0; i--) {
    if (!eppd_directory_name_is_numbered(cpus->pdata[i - 1], "cpu"))
      g_ptr_array_remove_index(cpus, i - 1);
  }
  return cpus;
}

static char *
bias_path(EppdSysRoot *root, const char *cpu)
{
  return eppd_sys_root_path(root, CPU_DIR "/%s/power/energy_perf_bias", cpu);
}

static bool
means(const char *text, guint bias)
{
  guint64 number;

  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    if (g_str_equal(text, names[i].name))
      return names[i].bias == bias;
  }
  return g_ascii_string_to_unsigned(text, 10, 0, BIAS_MAX, &number, NULL) && number == bias;
}

/* CPU 0 often has no such file: it can't be offline. */
static bool
is_offline(EppdSysRoot *root, const char *cpu)
{
  g_autofree char *path = eppd_sys_root_path(root, CPU_DIR "/%s/online", cpu);
  gint64 online = 1;

  return eppd_text_file_read_number(path, 0, 1, &online, NULL) && online == 0;
}

static gboolean
write_one(EppdSysRoot *root, const char *cpu, guint bias, GError **error)
{
  g_autofree char *path = bias_path(root, cpu);
  g_autofree char *text = g_strdup_printf("%u", bias);
  g_autoptr(GError) read_error = NULL;
  g_autoptr(GError) write_error = NULL;
  g_autofree char *found = eppd_text_file_read_line(path, &read_error);

  if ((found && means(found, bias)) || g_error_matches(read_error, EPPD_ERROR, EPPD_ERROR_GONE) ||
      eppd_text_file_write(path, text, &write_error) ||
      g_error_matches(write_error, EPPD_ERROR, EPPD_ERROR_GONE) || is_offline(root, cpu))
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&write_error));
  return FALSE;
}

bool
eppd_energy_perf_bias_is_present(EppdSysRoot *root)
{
  g_autoptr(GPtrArray) cpus = list_cpus(root);

  for (guint i = 0; i < cpus->len; i++) {
    g_autofree char *path = bias_path(root, cpus->pdata[i]);

    if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
      return true;
  }
  return false;
}

gboolean
eppd_energy_perf_bias_write_all(EppdSysRoot *root, guint bias, GError **error)
{
  g_autoptr(GPtrArray) cpus = list_cpus(root);
  g_autoptr(GError) first_error = NULL;

  for (guint i = 0; i < cpus->len; i++)
    write_one(root, cpus->pdata[i], bias, first_error ? NULL : &first_error);
  if (!first_error)
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&first_error));
  return FALSE;
}
