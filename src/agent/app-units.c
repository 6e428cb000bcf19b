/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/app-units.h"

#include "base/cgroup2.h"
#include "base/error.h"
#include "base/log.h"

#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#define TOPIC "units"

typedef struct {
  EppdAppUnit unit; /* first: the list is of these */
  EppdAppUnits *units;
  guint watch_id; /* of its cgroup.events */
  ino_t inode;    /* of its cgroup: the kernel does not tell the watch that a cgroup has gone */
} Entry;

struct _EppdAppUnits {
  char *root;
  EppdPathWatch *watch;
  void (*changed)(gpointer data);
  gpointer data;
  GPtrArray *list; /* of Entry */
  guint last_run;
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

/* 0 where it is not there. */
static ino_t
inode_of(const EppdAppUnits *units, const char *cgroup)
{
  g_autofree char *path = g_build_filename(units->root, cgroup, NULL);
  struct stat st;

  return stat(path, &st) == 0 ? st.st_ino : 0;
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

/* The kernel tells of changes: one that is still populated was empty in between. */
static bool
read_change(Entry *entry)
{
  bool was_populated = entry->unit.is_populated;

  if (read_populated(entry))
    return true;
  if (was_populated)
    entry->unit.run = ++entry->units->last_run;
  return was_populated;
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
    is_news = read_change(entry);
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

  /* A hold names its cgroup in a text. */
  if (!scope || !g_utf8_validate(cgroup, -1, NULL))
    return false;
  entry = g_new0(Entry, 1);
  entry->units = units;
  entry->unit.name = g_strdup(name);
  entry->unit.cgroup = g_strdup(cgroup);
  entry->unit.scope = g_steal_pointer(&scope);
  entry->unit.run = ++units->last_run;
  entry->inode = inode_of(units, cgroup);
  /* Before it is read, so that nothing that happens in between is missed. */
  entry->watch_id =
      eppd_path_watch_add(units->watch, path, IN_MODIFY, on_cgroup_event, entry, &error);
  if (error)
    eppd_debug(TOPIC, "%s, ignoring it", error->message);
  if (g_error_matches(error, EPPD_ERROR, EPPD_ERROR_GONE)) {
    entry_free(entry);
    return false;
  }
  /* Where no more can be watched, whoever tells of units tells of its end as well. */
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

  if (there && there->inode != inode_of(units, cgroup)) {
    is_news = g_ptr_array_remove_fast(units->list, there);
    named = find_name(units, name);
    there = NULL;
  }
  if (there && named == there)
    return read_populated(there);
  if (named)
    is_news = g_ptr_array_remove_fast(units->list, named) || is_news;
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
