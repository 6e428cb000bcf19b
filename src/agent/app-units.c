/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/app-units.h"

#include "base/cgroup2.h"
#include "base/log.h"

#include <string.h>
#include <sys/inotify.h>

#define TOPIC "units"

typedef struct {
  EppdAppUnit unit; /* first: the list is of these */
  EppdAppUnits *units;
  guint watch_id; /* of its cgroup.events */
} Entry;

struct _EppdAppUnits {
  char *root;
  EppdPathWatch *watch;
  void (*changed)(gpointer data);
  gpointer data;
  GPtrArray *list; /* of Entry */
};

static void
entry_free(gpointer data)
{
  Entry *entry = data;

  eppd_path_watch_remove(entry->units->watch, entry->watch_id);
  g_clear_pointer(&entry->unit.scope, eppd_scope_name_free);
  g_free(entry->unit.name);
  g_free(entry->unit.cgroup);
  g_free(entry);
}

static bool
read_populated(Entry *entry)
{
  g_autofree char *path = g_build_filename(entry->units->root, entry->unit.cgroup, NULL);
  bool is_populated = eppd_cgroup2_is_populated(path);

  if (is_populated == entry->unit.is_populated)
    return false;
  entry->unit.is_populated = is_populated;
  eppd_debug(TOPIC, "%s %s", entry->unit.name, is_populated ? "runs" : "is empty");
  return true;
}

static void
on_cgroup_event(guint32 mask, const char *name, gpointer data)
{
  Entry *entry = data;
  EppdAppUnits *units = entry->units;
  bool is_news = false;

  if (mask & IN_IGNORED)
    is_news = g_ptr_array_remove_fast(units->list, entry);
  else
    is_news = read_populated(entry);
  if (is_news)
    units->changed(units->data);
}

static Entry *
find_name(const EppdAppUnits *units, const char *name)
{
  for (guint i = 0; i < units->list->len; i++) {
    Entry *entry = units->list->pdata[i];

    if (strcmp(entry->unit.name, name) == 0)
      return entry;
  }
  return NULL;
}

static Entry *
find_cgroup(const EppdAppUnits *units, const char *cgroup)
{
  for (guint i = 0; i < units->list->len; i++) {
    Entry *entry = units->list->pdata[i];

    if (strcmp(entry->unit.cgroup, cgroup) == 0)
      return entry;
  }
  return NULL;
}

static bool
add(EppdAppUnits *units, const char *name, const char *cgroup)
{
  g_autofree char *path = g_build_filename(units->root, cgroup, "cgroup.events", NULL);
  g_autoptr(EppdScopeName) scope = eppd_scope_name_parse(name);
  g_autoptr(GError) error = NULL;
  Entry *entry;

  if (!scope)
    return false;
  entry = g_new0(Entry, 1);
  entry->units = units;
  entry->unit.name = g_strdup(name);
  entry->unit.cgroup = g_strdup(cgroup);
  entry->unit.scope = g_steal_pointer(&scope);
  /* Before it is read, so that nothing that happens in between is missed. */
  entry->watch_id =
      eppd_path_watch_add(units->watch, path, IN_MODIFY, on_cgroup_event, entry, &error);
  if (error) {
    eppd_debug(TOPIC, "%s, ignoring it", error->message);
    entry_free(entry);
    return false;
  }
  g_ptr_array_add(units->list, entry);
  read_populated(entry);
  return true;
}

EppdAppUnits *
eppd_app_units_new(const char *root,
                   EppdPathWatch *watch,
                   void (*changed)(gpointer data),
                   gpointer data)
{
  EppdAppUnits *units = g_new0(EppdAppUnits, 1);

  units->root = g_strdup(root);
  units->watch = watch;
  units->changed = changed;
  units->data = data;
  units->list = g_ptr_array_new_with_free_func(entry_free);
  return units;
}

void
eppd_app_units_free(EppdAppUnits *units)
{
  g_ptr_array_unref(units->list);
  g_free(units->root);
  g_free(units);
}

bool
eppd_app_units_set(EppdAppUnits *units, const char *name, const char *cgroup)
{
  Entry *named = find_name(units, name);
  Entry *there = cgroup ? find_cgroup(units, cgroup) : NULL;
  bool is_news = false;

  if (there && named == there)
    return read_populated(there);
  if (named)
    is_news = g_ptr_array_remove_fast(units->list, named);
  if (there) {
    g_free(there->unit.name);
    there->unit.name = g_strdup(name);
    return read_populated(there) || is_news;
  }
  return (cgroup && add(units, name, cgroup)) || is_news;
}

const GPtrArray *
eppd_app_units_list(const EppdAppUnits *units)
{
  return units->list;
}
