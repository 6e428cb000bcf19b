/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/unit-watch.h"

#include "base/log.h"
#include "bus/peer.h"
#include "games/scope-name.h"

#include <string.h>

#define TOPIC   "units"
#define SYSTEMD "org.freedesktop.systemd1"

/* More can't be games. */
#define UNITS_MAX 4096

typedef struct {
  EppdUnitWatch *watch;
  char *name;
  char *path;
  bool is_asked; /* for its cgroup */
  bool is_stale; /* it changed after it was asked */
} Unit;

struct _EppdUnitWatch {
  EppdPeer *manager;
  const EppdUnitListener *listener;
  gpointer data;
  GHashTable *units; /* name → Unit */
};

static void
unit_free(gpointer data)
{
  Unit *unit = data;

  eppd_peer_forget(unit->watch->manager, unit);
  g_free(unit->name);
  g_free(unit->path);
  g_free(unit);
}

/* ---- a unit's cgroup ---- */

static void ask(Unit *unit);

static void
got_cgroup(GVariant *reply, GUnixFDList *fds, const GError *error, gpointer data)
{
  Unit *unit = data;
  EppdUnitWatch *watch = unit->watch;
  g_autoptr(GVariant) value = NULL;
  const char *cgroup = NULL;

  unit->is_asked = false;
  if (reply) {
    g_variant_get(reply, "(v)", &value);
    if (g_variant_is_of_type(value, G_VARIANT_TYPE_STRING))
      cgroup = g_variant_get_string(value, NULL);
  } else {
    eppd_debug(TOPIC, "%s: no cgroup, ignoring it: %s", unit->name, error->message);
  }
  if (unit->is_stale)
    ask(unit);
  watch->listener->unit(unit->name, cgroup && *cgroup == '/' ? cgroup : NULL, watch->data);
}

/* One question at a time, so that no answer can overtake a newer one. */
static void
ask(Unit *unit)
{
  const EppdPeerObject object = {unit->path, "org.freedesktop.DBus.Properties"};
  bool is_scope = g_str_has_suffix(unit->name, ".scope");

  unit->is_stale = unit->is_asked;
  if (unit->is_asked)
    return;
  unit->is_asked = true;
  eppd_peer_ask(
      unit->watch->manager, &object, "Get",
      g_variant_new("(ss)", is_scope ? SYSTEMD ".Scope" : SYSTEMD ".Service", "ControlGroup"),
      "(v)", got_cgroup, unit);
}

/* A unit has its cgroup from when it starts until it has ended, and a service may start again. */
static void
on_unit_changed(GVariant *parameters, gpointer data)
{
  g_autoptr(GVariant) changed = NULL;
  g_autoptr(GVariant) state = NULL;

  g_variant_get(parameters, "(&s@a{sv}^a&s)", NULL, &changed, NULL);
  state = g_variant_lookup_value(changed, "ActiveState", NULL);
  if (state)
    ask(data);
}

/* ---- units ---- */

static void
add_unit(EppdUnitWatch *watch, const char *name, const char *path)
{
  g_autoptr(EppdScopeName) scope = eppd_scope_name_parse(name);
  const EppdPeerObject object = {path, SYSTEMD ".Unit"};
  Unit *unit;

  if (!scope || g_hash_table_contains(watch->units, name) ||
      g_hash_table_size(watch->units) >= UNITS_MAX)
    return;
  unit = g_new0(Unit, 1);
  unit->watch = watch;
  unit->name = g_strdup(name);
  unit->path = g_strdup(path);
  /* Before it is asked: what it had not yet then, this tells. */
  eppd_peer_listen_for_properties(watch->manager, &object, on_unit_changed, unit);
  g_hash_table_insert(watch->units, unit->name, unit);
  ask(unit);
}

static void
on_unit_new(GVariant *parameters, gpointer data)
{
  const char *name;
  const char *path;

  g_variant_get(parameters, "(&s&o)", &name, &path);
  add_unit(data, name, path);
}

static void
on_unit_removed(GVariant *parameters, gpointer data)
{
  EppdUnitWatch *watch = data;
  const char *name;

  g_variant_get(parameters, "(&s&o)", &name, NULL);
  if (g_hash_table_remove(watch->units, name))
    watch->listener->unit(name, NULL, watch->data);
}

/* ---- the manager ---- */

static void
got_units(GVariant *reply, GUnixFDList *fds, const GError *error, gpointer data)
{
  g_autoptr(GVariantIter) iter = NULL;
  const char *name;
  const char *path;

  if (!reply) {
    eppd_warning(TOPIC, "ignoring the applications that run already: %s", error->message);
    return;
  }
  g_variant_get(reply, "(a(ssssssouso))", &iter);
  while (g_variant_iter_next(iter, "(&s&s&s&s&s&s&ou&s&o)", &name, NULL, NULL, NULL, NULL, NULL,
                             &path, NULL, NULL, NULL))
    add_unit(data, name, path);
}

static void
got_subscription(GVariant *reply, GUnixFDList *fds, const GError *error, gpointer data)
{
  g_autofree char *name = error ? g_dbus_error_get_remote_error(error) : NULL;

  /* A manager that executes itself anew keeps its subscribers. */
  if (!reply && g_strcmp0(name, SYSTEMD ".AlreadySubscribed") != 0)
    eppd_warning(TOPIC, "the user manager does not tell of new applications, ignoring: %s",
                 error->message);
}

static void
came(gpointer data)
{
  static const EppdPeerObject object = {"/org/freedesktop/systemd1", SYSTEMD ".Manager"};
  static const char *const patterns[] = {"app-*", "dbus-*", "snap.*", NULL};
  EppdUnitWatch *watch = data;

  watch->listener->manager(true, watch->data);
  eppd_peer_listen(watch->manager, &object, "UnitNew", "(so)", on_unit_new, watch);
  eppd_peer_listen(watch->manager, &object, "UnitRemoved", "(so)", on_unit_removed, watch);
  eppd_peer_ask(watch->manager, &object, "Subscribe", NULL, NULL, got_subscription, watch);
  eppd_peer_ask(watch->manager, &object, "ListUnitsByPatterns",
                g_variant_new("(@as^as)", g_variant_new_strv(NULL, 0), patterns), "(a(ssssssouso))",
                got_units, watch);
}

static void
left(gpointer data)
{
  EppdUnitWatch *watch = data;

  g_hash_table_remove_all(watch->units);
  watch->listener->manager(false, watch->data);
}

EppdUnitWatch *
eppd_unit_watch_new(GDBusConnection *bus, const EppdUnitListener *listener, gpointer data)
{
  EppdUnitWatch *watch = g_new0(EppdUnitWatch, 1);

  watch->listener = listener;
  watch->data = data;
  watch->units = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, unit_free);
  watch->manager = eppd_peer_new(bus, TOPIC, SYSTEMD, came, left, watch);
  return watch;
}

void
eppd_unit_watch_free(EppdUnitWatch *watch)
{
  g_hash_table_unref(watch->units);
  eppd_peer_free(watch->manager);
  g_free(watch);
}
