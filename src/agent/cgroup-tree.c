/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/cgroup-tree.h"

#include "base/log.h"
#include "games/scope-name.h"

#include <sys/inotify.h>

typedef struct {
  EppdCgroupTree *tree;
  char *cgroup;
  guint depth;
  guint watch_id;
} Directory;

struct _EppdCgroupTree {
  char *root;
  EppdPathWatch *watch;
  EppdCgroupFound found;
  gpointer data;
  GHashTable *directories; /* cgroup → Directory: those that are looked into */
  GHashTable *apps;        /* set of the cgroups that were found */
};

static void
directory_free(gpointer data)
{
  Directory *directory = data;

  eppd_path_watch_remove(directory->tree->watch, directory->watch_id);
  g_free(directory->cgroup);
  g_free(directory);
}

static void scan(EppdCgroupTree *tree, const char *cgroup, guint depth);

/* Something named @name is in @directory. */
static void
came(const Directory *directory, const char *name)
{
  EppdCgroupTree *tree = directory->tree;
  g_autofree char *cgroup = g_strconcat(directory->cgroup, "/", name, NULL);
  g_autoptr(EppdScopeName) scope = eppd_scope_name_parse(name);

  if (scope) {
    if (g_hash_table_add(tree->apps, g_strdup(cgroup)))
      tree->found(cgroup, true, tree->data);
  } else if (g_str_has_suffix(name, ".slice") || g_str_has_prefix(name, "user@")) {
    scan(tree, cgroup, directory->depth + 1);
  }
}

static void
went(const Directory *directory, const char *name)
{
  EppdCgroupTree *tree = directory->tree;
  g_autofree char *cgroup = g_strconcat(directory->cgroup, "/", name, NULL);

  /* A slice goes when it is empty. */
  g_hash_table_remove(tree->directories, cgroup);
  if (g_hash_table_remove(tree->apps, cgroup))
    tree->found(cgroup, false, tree->data);
}

static void
look_into(const Directory *directory)
{
  g_autofree char *path = g_build_filename(directory->tree->root, directory->cgroup, NULL);
  g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *inner = g_build_filename(path, name, NULL);

    if (g_file_test(inner, G_FILE_TEST_IS_DIR))
      came(directory, name);
  }
}

static void
on_event(guint32 mask, const char *name, gpointer data)
{
  Directory *directory = data;

  if (mask & IN_Q_OVERFLOW) {
    look_into(directory);
  } else if (mask & IN_IGNORED) {
    directory->watch_id = 0;
    g_hash_table_remove(directory->tree->directories, directory->cgroup);
  } else if (name && (mask & IN_ISDIR)) {
    if (mask & IN_CREATE)
      came(directory, name);
    else
      went(directory, name);
  }
}

/* Watches first, so that what comes in between is found at least once. */
static void
scan(EppdCgroupTree *tree, const char *cgroup, guint depth)
{
  g_autofree char *path = g_build_filename(tree->root, cgroup, NULL);
  g_autoptr(GError) error = NULL;
  Directory *directory;

  if (depth > EPPD_CGROUP_TREE_DEPTH_MAX || g_hash_table_contains(tree->directories, cgroup) ||
      g_hash_table_size(tree->directories) >= EPPD_CGROUP_TREE_DIRECTORIES_MAX)
    return;
  directory = g_new0(Directory, 1);
  directory->tree = tree;
  directory->cgroup = g_strdup(cgroup);
  directory->depth = depth;
  directory->watch_id = eppd_path_watch_add(tree->watch, path, IN_CREATE | IN_DELETE | IN_ONLYDIR,
                                            on_event, directory, &error);
  if (error) {
    eppd_info("cgroups", "%s, ignoring it", error->message);
    directory_free(directory);
    return;
  }
  g_hash_table_insert(tree->directories, directory->cgroup, directory);
  look_into(directory);
}

EppdCgroupTree *
eppd_cgroup_tree_new(
    const char *root, uid_t uid, EppdPathWatch *watch, EppdCgroupFound found, gpointer data)
{
  EppdCgroupTree *tree = g_new0(EppdCgroupTree, 1);
  g_autofree char *slice = g_strdup_printf("/user.slice/user-%u.slice", (guint)uid);

  tree->root = g_strdup(root);
  tree->watch = watch;
  tree->found = found;
  tree->data = data;
  tree->directories = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, directory_free);
  tree->apps = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  scan(tree, slice, 1);
  return tree;
}

void
eppd_cgroup_tree_free(EppdCgroupTree *tree)
{
  g_hash_table_unref(tree->directories);
  g_hash_table_unref(tree->apps);
  g_free(tree->root);
  g_free(tree);
}
