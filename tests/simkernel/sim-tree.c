/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-tree.h"

#include <errno.h>
#include <string.h>

struct SimTree {
  SimNode *root;
  SimTreeHooks hooks;
  gpointer data;
};

struct SimNode {
  guint n_refs;
  SimNodeKind kind;
  char *name;
  SimNode *parent;      /* NULL: the root, or dead */
  char *dead_path;      /* NULL while it lives */
  GHashTable *children; /* of a directory: name (the node's own) → node */
  const SimFileOps *ops;
  gpointer data;
  char *text; /* a link's target; what a constant file reads */
};

static int
text_show(gpointer data, GString *text)
{
  const SimNode *node = data;

  g_string_append(text, node->text);
  return 0;
}

static const SimFileOps text_ops = {.show = text_show};

static SimNode *
node_new(SimNodeKind kind, const char *name, SimNode *parent)
{
  SimNode *node = g_new0(SimNode, 1);

  node->n_refs = 1;
  node->kind = kind;
  node->name = g_strdup(name);
  node->parent = parent;
  if (kind == SIM_NODE_DIRECTORY)
    node->children =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)sim_node_unref);
  return node;
}

SimNode *
sim_node_ref(SimNode *node)
{
  node->n_refs++;
  return node;
}

void
sim_node_unref(SimNode *node)
{
  if (--node->n_refs > 0)
    return;
  g_clear_pointer(&node->children, g_hash_table_unref);
  g_free(node->name);
  g_free(node->dead_path);
  g_free(node->text);
  g_free(node);
}

SimNodeKind
sim_node_kind(const SimNode *node)
{
  return node->kind;
}

bool
sim_node_is_dead(const SimNode *node)
{
  return node->dead_path != NULL;
}

bool
sim_node_is_readable(const SimNode *node)
{
  return node->kind == SIM_NODE_FILE && node->ops->show;
}

bool
sim_node_is_writable(const SimNode *node)
{
  return node->kind == SIM_NODE_FILE && node->ops->store;
}

char *
sim_node_path(const SimNode *node)
{
  GString *path;

  if (node->dead_path)
    return g_strdup(node->dead_path);
  if (!node->parent)
    return g_strdup("/");
  path = g_string_new(NULL);
  for (; node->parent; node = node->parent) {
    g_string_prepend(path, node->name);
    g_string_prepend_c(path, '/');
  }
  return g_string_free(path, FALSE);
}

const char *
sim_node_name(const SimNode *node)
{
  return node->name;
}

const char *
sim_node_link_target(const SimNode *node)
{
  return node->kind == SIM_NODE_LINK ? node->text : NULL;
}

SimNode *
sim_node_parent(const SimNode *node)
{
  return node->parent;
}

SimNode *
sim_node_child(const SimNode *directory, const char *name)
{
  return directory->children ? g_hash_table_lookup(directory->children, name) : NULL;
}

GPtrArray *
sim_node_children(const SimNode *directory)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  GHashTableIter iter;
  gpointer name;

  if (!directory->children)
    return names;
  g_hash_table_iter_init(&iter, directory->children);
  while (g_hash_table_iter_next(&iter, &name, NULL))
    g_ptr_array_add(names, g_strdup(name));
  return names;
}

int
sim_node_read(SimNode *node, GString *text)
{
  if (sim_node_is_dead(node))
    return ENODEV;
  return sim_node_is_readable(node) ? node->ops->show(node->data, text) : EIO;
}

int
sim_node_write(SimNode *node, const char *text)
{
  if (sim_node_is_dead(node))
    return ENODEV;
  return sim_node_is_writable(node) ? node->ops->store(node->data, text) : EIO;
}

/* @path is the node's. */
static void
bury(SimNode *node, const char *path)
{
  GHashTableIter iter;
  gpointer child;

  node->dead_path = g_strdup(path);
  if (node->children) {
    g_hash_table_iter_init(&iter, node->children);
    while (g_hash_table_iter_next(&iter, NULL, &child)) {
      SimNode *dying = child;
      g_autofree char *child_path = g_strconcat(path, "/", dying->name, NULL);

      bury(dying, child_path);
    }
    g_hash_table_remove_all(node->children);
  }
  node->parent = NULL;
}

static void
remove_node(SimTree *tree, SimNode *node)
{
  g_autofree char *path = sim_node_path(node);
  g_autofree char *name = g_strdup(node->name);
  SimNode *parent = sim_node_ref(node->parent);

  sim_node_ref(node);
  g_hash_table_remove(parent->children, name);
  bury(node, path);
  sim_node_unref(node);
  if (tree->hooks.removed)
    tree->hooks.removed(parent, name, tree->data);
  sim_node_unref(parent);
}

SimTree *
sim_tree_new(const SimTreeHooks *hooks, gpointer data)
{
  SimTree *tree = g_new0(SimTree, 1);

  tree->root = node_new(SIM_NODE_DIRECTORY, "", NULL);
  if (hooks)
    tree->hooks = *hooks;
  tree->data = data;
  return tree;
}

void
sim_tree_free(SimTree *tree)
{
  /* Whoever still has a node finds it dead. */
  bury(tree->root, "");
  sim_node_unref(tree->root);
  g_free(tree);
}

static SimNode *
adopt(SimNode *parent, SimNode *child)
{
  g_hash_table_insert(parent->children, child->name, child);
  return child;
}

/* A directory, made where there is none. A file or link in its place is a mistake of the model's.
 */
static SimNode *
make_directory(SimNode *parent, const char *name)
{
  SimNode *child = sim_node_child(parent, name);

  if (!child)
    return adopt(parent, node_new(SIM_NODE_DIRECTORY, name, parent));
  if (child->kind != SIM_NODE_DIRECTORY)
    g_error("%s is below a file in the simulated tree", name);
  return child;
}

/* The directory of @path; @name its last component, within @path. */
static SimNode *
make_parents(SimTree *tree, const char *path, const char **name)
{
  SimNode *directory = tree->root;
  const char *slash;

  g_assert(path[0] == '/' && path[1] != '\0');
  path++;
  while ((slash = strchr(path, '/'))) {
    g_autofree char *component = g_strndup(path, slash - path);

    directory = make_directory(directory, component);
    path = slash + 1;
  }
  *name = path;
  return directory;
}

static SimNode *
add_node(SimTree *tree, const char *path, SimNodeKind kind)
{
  const char *name = NULL;
  SimNode *parent = make_parents(tree, path, &name);
  SimNode *old = sim_node_child(parent, name);

  if (old)
    remove_node(tree, old);
  return adopt(parent, node_new(kind, name, parent));
}

SimNode *
sim_tree_add_file(SimTree *tree, const char *path, const SimFileOps *ops, gpointer data)
{
  SimNode *node = add_node(tree, path, SIM_NODE_FILE);

  node->ops = ops;
  node->data = data;
  return node;
}

SimNode *
sim_tree_add_text(SimTree *tree, const char *path, const char *line)
{
  SimNode *node = add_node(tree, path, SIM_NODE_FILE);

  node->ops = &text_ops;
  node->data = node;
  node->text = g_strconcat(line, "\n", NULL);
  return node;
}

bool
sim_tree_set_text(SimTree *tree, const char *path, const char *line)
{
  SimNode *node = sim_tree_find(tree, path);

  if (!node || node->ops != &text_ops)
    return false;
  g_free(node->text);
  node->text = g_strconcat(line, "\n", NULL);
  return true;
}

SimNode *
sim_tree_add_directory(SimTree *tree, const char *path)
{
  const char *name = NULL;
  SimNode *parent = make_parents(tree, path, &name);

  return make_directory(parent, name);
}

SimNode *
sim_tree_add_link(SimTree *tree, const char *path, const char *target)
{
  SimNode *node = add_node(tree, path, SIM_NODE_LINK);

  node->text = g_strdup(target);
  return node;
}

void
sim_tree_remove(SimTree *tree, const char *path)
{
  SimNode *node = sim_tree_find(tree, path);

  if (node && node->parent)
    remove_node(tree, node);
}

SimNode *
sim_tree_find(const SimTree *tree, const char *path)
{
  g_auto(GStrv) components = g_strsplit(path, "/", -1);
  SimNode *node = tree->root;

  for (guint i = 0; node && components[i]; i++) {
    if (components[i][0] != '\0')
      node = sim_node_child(node, components[i]);
  }
  return node;
}

SimNode *
sim_tree_root(const SimTree *tree)
{
  return tree->root;
}

void
sim_tree_notify(SimTree *tree, const char *path)
{
  SimNode *node = sim_tree_find(tree, path);

  if (node && tree->hooks.notify)
    tree->hooks.notify(node, tree->data);
}

void
sim_tree_uevent(SimTree *tree,
                const char *action,
                const char *subsystem,
                const char *devpath,
                const char *const *properties)
{
  if (tree->hooks.uevent)
    tree->hooks.uevent(action, subsystem, devpath, properties, tree->data);
}
