/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/power-supply.h"

#include "base/text-file.h"

#include <stdbool.h>
#include <string.h>

static char *
read_attribute(const char *dir, const char *file)
{
  g_autofree char *path = g_build_filename(dir, file, NULL);

  return eppd_text_file_read_line(path, NULL);
}

/* Some drivers of mice and headsets give their batteries no scope. */
static bool
is_peripheral(const char *dir)
{
  g_autofree char *scope = read_attribute(dir, "scope");
  g_autofree char *link = NULL;
  g_autofree char *target = NULL;
  g_autofree char *subsystem = NULL;

  if (scope)
    return strcmp(scope, "Device") == 0;
  link = g_build_filename(dir, "device", "subsystem", NULL);
  target = g_file_read_link(link, NULL);
  subsystem = target ? g_path_get_basename(target) : NULL;
  return g_strcmp0(subsystem, "hid") == 0 || g_strcmp0(subsystem, "bluetooth") == 0;
}

/* A USB-C supply feeds us while any port of its device is a sink, or none says what it is. */
static bool
is_power_sink(const char *dir)
{
  g_autofree char *ports_path = g_build_filename(dir, "device", "typec", NULL);
  g_autoptr(GDir) ports = g_dir_open(ports_path, 0, NULL);
  const char *name;
  bool any_source = false;

  while (ports && (name = g_dir_read_name(ports))) {
    g_autofree char *port = g_build_filename(ports_path, name, NULL);
    g_autofree char *role = read_attribute(port, "power_role");

    if (role && strstr(role, "[sink]"))
      return true;
    if (role && strstr(role, "[source]"))
      any_source = true;
  }
  return !any_source;
}

static bool
is_feeding(const char *dir, const char *type)
{
  g_autofree char *path = g_build_filename(dir, "online", NULL);
  gint64 online = 0;

  if (strcmp(type, "Battery") == 0 ||
      !eppd_text_file_read_number(path, 0, G_MAXINT, &online, NULL) || online == 0)
    return false;
  return !g_str_has_prefix(type, "USB") || is_power_sink(dir);
}

EppdPowerSource
eppd_power_supply_read(EppdSysRoot *root)
{
  g_autofree char *path = eppd_sys_root_path(root, "/sys/class/power_supply");
  g_autoptr(GDir) supplies = g_dir_open(path, 0, NULL);
  const char *name;
  bool any = false;

  while (supplies && (name = g_dir_read_name(supplies))) {
    g_autofree char *dir = g_build_filename(path, name, NULL);
    g_autofree char *type = read_attribute(dir, "type");

    if (!type || is_peripheral(dir))
      continue;
    if (is_feeding(dir, type))
      return EPPD_POWER_SOURCE_AC;
    any = true;
  }
  return any ? EPPD_POWER_SOURCE_BATTERY : EPPD_POWER_SOURCE_AC;
}
