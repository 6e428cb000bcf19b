/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-power-supply.h"

#include "sim-device.h"
#include "sim-parse.h"

#include <errno.h>
#include <string.h>

#define CLASS_DIR "/sys/class/power_supply"

struct SimSupplies {
  SimTree *tree;
  GHashTable *supplies; /* name → Supply */
  SimSuppliesChanged changed;
  gpointer data;
};

typedef struct {
  SimSupplies *supplies;
  SimDevice *parent;
  SimDevice *device;
  GHashTable *files; /* name → text, but for those of the parent */
} Supply;

static const char *
supply_text(const Supply *supply, const char *file)
{
  return g_hash_table_lookup(supply->files, file);
}

static int
show_charge_type(gpointer data, GString *text)
{
  g_string_append_printf(text, "%s\n", supply_text(data, "charge_type"));
  return 0;
}

static int
store_charge_type(gpointer data, const char *text)
{
  static const char *const types[] = {"Unknown",  "N/A",    "Trickle",   "Fast",  "Standard",
                                      "Adaptive", "Custom", "Long Life", "Bypass"};
  int type = sim_match(types, G_N_ELEMENTS(types), text);
  Supply *supply = data;
  guint64 number;

  /* The kernel takes the number of a name too. */
  if (type < 0 && sim_parse_unsigned(text, 10, G_N_ELEMENTS(types) - 1, &number) == 0)
    type = (int)number;
  if (type < 0)
    return EINVAL;
  g_hash_table_insert(supply->files, g_strdup("charge_type"), g_strdup(types[type]));
  return 0;
}

static const SimFileOps charge_type_ops = {show_charge_type, store_charge_type};

static void
set_properties(Supply *supply, const char *name)
{
  g_autoptr(GPtrArray) properties = g_ptr_array_new_with_free_func(g_free);
  GHashTableIter iter;
  gpointer file;
  gpointer text;

  g_ptr_array_add(properties, g_strconcat("POWER_SUPPLY_NAME=", name, NULL));
  g_hash_table_iter_init(&iter, supply->files);
  while (g_hash_table_iter_next(&iter, &file, &text)) {
    g_autofree char *key = g_ascii_strup(file, -1);

    g_ptr_array_add(properties, g_strdup_printf("POWER_SUPPLY_%s=%s", key, (char *)text));
  }
  g_ptr_array_add(properties, NULL);
  sim_device_set_properties(supply->device, (const char *const *)properties->pdata);
}

static void
set_file(Supply *supply, const char *name, const char *file, const char *text)
{
  g_autofree char *path = sim_device_file(supply->device, file);
  bool is_new = !g_hash_table_contains(supply->files, file);

  g_hash_table_insert(supply->files, g_strdup(file), g_strdup(text));
  if (strcmp(file, "charge_type") == 0) {
    if (is_new)
      sim_tree_add_file(supply->supplies->tree, path, &charge_type_ops, supply);
  } else if (is_new) {
    sim_tree_add_text(supply->supplies->tree, path, text);
  } else {
    sim_tree_set_text(supply->supplies->tree, path, text);
  }
  set_properties(supply, name);
}

/* Whether a constant file can be or come there: not below a file, nor where anything else is. */
static bool
is_free(SimTree *tree, const char *path)
{
  g_autofree char *parent = g_path_get_dirname(path);
  SimNode *node = sim_tree_find(tree, path);

  while (!node && strcmp(parent, "/") != 0) {
    g_autofree char *below = g_steal_pointer(&parent);

    node = sim_tree_find(tree, below);
    if (node)
      return sim_node_kind(node) == SIM_NODE_DIRECTORY;
    parent = g_path_get_dirname(below);
  }
  return !node;
}

static bool
set_parent_file(Supply *supply, const char *file, const char *text)
{
  g_autofree char *path = sim_device_file(supply->parent, file);
  SimTree *tree = supply->supplies->tree;

  if (sim_tree_set_text(tree, path, text))
    return true;
  if (!is_free(tree, path))
    return false;
  sim_tree_add_text(tree, path, text);
  return true;
}

static void
supply_free(Supply *supply)
{
  sim_device_free(supply->device);
  sim_device_free(supply->parent);
  g_hash_table_unref(supply->files);
  g_free(supply);
}

static Supply *
supply_new(SimSupplies *supplies, const char *name)
{
  g_autofree char *parent = g_strdup_printf("/devices/platform/supply.%s", name);
  g_autofree char *devpath = g_strdup_printf("%s/power_supply/%s", parent, name);
  Supply *supply = g_new0(Supply, 1);
  g_autofree char *link = NULL;

  supply->supplies = supplies;
  supply->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  supply->parent = sim_device_add(supplies->tree, parent, "platform", SIM_SUBSYSTEM_BUS);
  supply->device = sim_device_add(supplies->tree, devpath, "power_supply", SIM_SUBSYSTEM_CLASS);
  link = sim_device_file(supply->device, "device");
  sim_tree_add_link(supplies->tree, link, "../..");
  return supply;
}

static void
tell(const SimSupplies *supplies)
{
  if (supplies->changed)
    supplies->changed(supplies->data);
}

static bool
is_file_name(const char *name)
{
  return *name != '\0' && *name != '.' && !strchr(name, '/');
}

SimSupplies *
sim_supplies_new(SimTree *tree)
{
  SimSupplies *supplies = g_new0(SimSupplies, 1);

  supplies->tree = tree;
  supplies->supplies =
      g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)supply_free);
  sim_tree_add_directory(tree, CLASS_DIR);
  return supplies;
}

void
sim_supplies_free(SimSupplies *supplies)
{
  g_hash_table_unref(supplies->supplies);
  g_free(supplies);
}

void
sim_supplies_set_changed(SimSupplies *supplies, SimSuppliesChanged changed, gpointer data)
{
  supplies->changed = changed;
  supplies->data = data;
}

bool
sim_supplies_add(SimSupplies *supplies, const char *name, const char *type)
{
  static const char *const of_batteries[][2] = {
      {"status", "Full"}, {"capacity", "100"}, {"present", "1"}};
  Supply *supply;

  if (!is_file_name(name) || g_hash_table_contains(supplies->supplies, name))
    return false;
  supply = supply_new(supplies, name);
  g_hash_table_insert(supplies->supplies, g_strdup(name), supply);
  set_file(supply, name, "type", type);
  if (strcmp(type, "Battery") != 0)
    set_file(supply, name, "online", "1");
  for (gsize i = 0; strcmp(type, "Battery") == 0 && i < G_N_ELEMENTS(of_batteries); i++)
    set_file(supply, name, of_batteries[i][0], of_batteries[i][1]);
  sim_device_uevent(supply->device, "add");
  tell(supplies);
  return true;
}

bool
sim_supplies_remove(SimSupplies *supplies, const char *name)
{
  Supply *supply = g_hash_table_lookup(supplies->supplies, name);
  char *key;

  if (!supply || !g_hash_table_steal_extended(supplies->supplies, name, (gpointer *)&key, NULL))
    return false;
  sim_device_uevent(supply->device, "remove");
  sim_device_remove(g_steal_pointer(&supply->device));
  sim_device_remove(g_steal_pointer(&supply->parent));
  g_hash_table_unref(supply->files);
  g_free(supply);
  g_free(key);
  tell(supplies);
  return true;
}

bool
sim_supplies_set_online(SimSupplies *supplies, const char *name, const char *online)
{
  Supply *supply = g_hash_table_lookup(supplies->supplies, name);

  if (!supply || !g_hash_table_contains(supply->files, "online"))
    return false;
  set_file(supply, name, "online", online);
  sim_device_uevent(supply->device, "change");
  tell(supplies);
  return true;
}

bool
sim_supplies_set(SimSupplies *supplies, const char *name, const char *file, const char *text)
{
  Supply *supply = g_hash_table_lookup(supplies->supplies, name);
  g_autofree char *path = NULL;

  if (!supply || strstr(file, ".."))
    return false;
  if (g_str_has_prefix(file, "device/"))
    return set_parent_file(supply, file + strlen("device/"), text);
  path = sim_device_file(supply->device, file);
  if (!is_file_name(file) ||
      (!g_hash_table_contains(supply->files, file) && !is_free(supplies->tree, path)))
    return false;
  set_file(supply, name, file, text);
  return true;
}

bool
sim_supplies_are_feeding(const SimSupplies *supplies)
{
  GHashTableIter iter;
  gpointer value;
  bool any = false;

  g_hash_table_iter_init(&iter, supplies->supplies);
  while (g_hash_table_iter_next(&iter, NULL, &value)) {
    const char *online = supply_text(value, "online");

    if (g_strcmp0(supply_text(value, "scope"), "Device") == 0)
      continue;
    any = true;
    if (g_strcmp0(supply_text(value, "type"), "Battery") != 0 && g_strcmp0(online, "0") != 0)
      return true;
  }
  return !any;
}
