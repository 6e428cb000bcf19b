/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-device.h"

#include "sim-parse.h"

#include <errno.h>

struct SimDevice {
  SimTree *tree;
  char *devpath;
  char *subsystem;
  char *link; /* the subsystem's, to it */
  GStrv properties;
};

static int
show_uevent(gpointer data, GString *text)
{
  const SimDevice *device = data;

  for (guint i = 0; device->properties && device->properties[i]; i++)
    g_string_append_printf(text, "%s\n", device->properties[i]);
  return 0;
}

/* What `udevadm trigger` does. */
static int
store_uevent(gpointer data, const char *text)
{
  static const char *const actions[] = {"add",    "remove",  "change", "move",
                                        "online", "offline", "bind",   "unbind"};
  int action = sim_match(actions, G_N_ELEMENTS(actions), text);

  if (action < 0)
    return EINVAL;
  sim_device_uevent(data, actions[action]);
  return 0;
}

static const SimFileOps uevent_ops = {show_uevent, store_uevent};

/* From a place @depth directories below /sys. */
static char *
relative(guint depth, const char *target)
{
  GString *path = g_string_new(NULL);

  for (guint i = 0; i < depth; i++)
    g_string_append(path, "../");
  g_string_append(path, target);
  return g_string_free(path, FALSE);
}

static guint
depth_of(const char *devpath)
{
  guint depth = 0;

  for (const char *slash = devpath; *slash; slash++)
    depth += *slash == '/';
  return depth;
}

SimDevice *
sim_device_add(SimTree *tree, const char *devpath, const char *subsystem, SimSubsystemKind kind)
{
  bool is_bus = kind == SIM_SUBSYSTEM_BUS;
  g_autofree char *home = g_strdup_printf("%s/%s", is_bus ? "bus" : "class", subsystem);
  g_autofree char *name = g_path_get_basename(devpath);
  g_autofree char *to_subsystem = relative(depth_of(devpath), home);
  g_autofree char *to_device = relative(is_bus ? 3 : 2, devpath + 1);
  SimDevice *device = g_new0(SimDevice, 1);
  g_autofree char *uevent = NULL;
  g_autofree char *link = NULL;

  device->tree = tree;
  device->devpath = g_strdup(devpath);
  device->subsystem = g_strdup(subsystem);
  device->link = g_strdup_printf("/sys/%s/%s%s", home, is_bus ? "devices/" : "", name);
  uevent = sim_device_file(device, "uevent");
  link = sim_device_file(device, "subsystem");
  sim_tree_add_file(tree, uevent, &uevent_ops, device);
  sim_tree_add_link(tree, link, to_subsystem);
  sim_tree_add_link(tree, device->link, to_device);
  return device;
}

void
sim_device_free(SimDevice *device)
{
  g_free(device->devpath);
  g_free(device->subsystem);
  g_free(device->link);
  g_strfreev(device->properties);
  g_free(device);
}

void
sim_device_remove(SimDevice *device)
{
  g_autofree char *path = g_strconcat("/sys", device->devpath, NULL);

  sim_tree_remove(device->tree, device->link);
  sim_tree_remove(device->tree, path);
  sim_device_free(device);
}

void
sim_device_set_properties(SimDevice *device, const char *const *properties)
{
  g_strfreev(device->properties);
  device->properties = g_strdupv((GStrv)properties);
}

void
sim_device_uevent(const SimDevice *device, const char *action)
{
  sim_tree_uevent(device->tree, action, device->subsystem, device->devpath,
                  (const char *const *)device->properties);
}

const char *
sim_device_path(const SimDevice *device)
{
  return device->devpath;
}

char *
sim_device_file(const SimDevice *device, const char *name)
{
  return g_strdup_printf("/sys%s/%s", device->devpath, name);
}
