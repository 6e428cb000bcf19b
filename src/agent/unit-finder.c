/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/unit-finder.h"

#include "agent/cgroup-tree.h"
#include "agent/unit-watch.h"

struct _EppdUnitFinder {
  char *root;
  uid_t uid;
  EppdPathWatch *paths;
  void (*changed)(gpointer data);
  gpointer data;
  EppdAppUnits *units;
  EppdUnitWatch *manager; /* NULL: there is no session bus */
  EppdCgroupTree *tree;   /* where there is no user manager */
};

static void
on_unit(const char *name, const char *cgroup, gpointer data)
{
  EppdUnitFinder *finder = data;

  if (eppd_app_units_set(finder->units, name, cgroup))
    finder->changed(finder->data);
}

static void
on_cgroup(const char *cgroup, bool is_there, gpointer data)
{
  on_unit(cgroup, is_there ? cgroup : NULL, data);
}

static void
on_manager(bool is_there, gpointer data)
{
  EppdUnitFinder *finder = data;

  if (is_there)
    g_clear_pointer(&finder->tree, eppd_cgroup_tree_free);
  else if (!finder->tree)
    finder->tree =
        eppd_cgroup_tree_new(finder->root, finder->uid, finder->paths, on_cgroup, finder);
}

EppdUnitFinder *
eppd_unit_finder_new(GDBusConnection *session_bus,
                     const char *root,
                     uid_t uid,
                     EppdPathWatch *paths,
                     void (*changed)(gpointer data),
                     gpointer data)
{
  static const EppdUnitListener listener = {.manager = on_manager, .unit = on_unit};
  EppdUnitFinder *finder = g_new0(EppdUnitFinder, 1);

  finder->root = g_strdup(root);
  finder->uid = uid;
  finder->paths = paths;
  finder->changed = changed;
  finder->data = data;
  finder->units = eppd_app_units_new(root, paths, changed, data);
  if (session_bus)
    finder->manager = eppd_unit_watch_new(session_bus, &listener, finder);
  else
    on_manager(false, finder);
  return finder;
}

void
eppd_unit_finder_free(EppdUnitFinder *finder)
{
  g_clear_pointer(&finder->manager, eppd_unit_watch_free);
  g_clear_pointer(&finder->tree, eppd_cgroup_tree_free);
  eppd_app_units_free(finder->units);
  g_free(finder->root);
  g_free(finder);
}

const GPtrArray *
eppd_unit_finder_list(const EppdUnitFinder *finder)
{
  return eppd_app_units_list(finder->units);
}
