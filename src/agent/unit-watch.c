/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/unit-watch.h"

#include "base/log.h"
#include "games/scope-name.h"

#include <string.h>

#define TOPIC             "units"
#define MANAGER_NAME      "org.freedesktop.systemd1"
#define MANAGER_PATH      "/org/freedesktop/systemd1"
#define MANAGER_INTERFACE "org.freedesktop.systemd1.Manager"
#define UNIT_INTERFACE    "org.freedesktop.systemd1.Unit"
#define PROPERTIES        "org.freedesktop.DBus.Properties"

/* More can't be games. */
#define UNITS_MAX 4096

typedef struct {
  EppdUnitWatch *watch;
  char *name;
  char *path;
  guint signal_id;
  GCancellable *cancellable; /* of the question for its cgroup, while it runs */
  bool is_stale;             /* it changed after it was asked */
} Unit;

struct _EppdUnitWatch {
  GDBusConnection *bus;
  const EppdUnitListener *listener;
  gpointer data;
  guint name_id;
  /* The unique name of the manager, so that nobody else's signals are taken for its; NULL while
   * there is none. */
  char *owner;
  GCancellable *cancellable;
  guint new_id;
  guint removed_id;
  GHashTable *units; /* name → Unit */
};

static void
unit_free(gpointer data)
{
  Unit *unit = data;

  g_dbus_connection_signal_unsubscribe(unit->watch->bus, unit->signal_id);
  if (unit->cancellable)
    g_cancellable_cancel(unit->cancellable);
  g_clear_object(&unit->cancellable);
  g_free(unit->name);
  g_free(unit->path);
  g_free(unit);
}

/* By us: what @data pointed to may be gone. A remote error can carry the same code. */
static bool
is_cancelled(const GError *error)
{
  return g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED) &&
         !g_dbus_error_is_remote_error(error);
}

/* ---- a unit's cgroup ---- */

static void ask(Unit *unit);

static void
got_cgroup(GObject *source, GAsyncResult *result, gpointer data)
{
  Unit *unit = data;
  EppdUnitWatch *watch;
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply =
      g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
  g_autoptr(GVariant) value = NULL;
  const char *cgroup = NULL;

  if (is_cancelled(error))
    return;
  watch = unit->watch;
  g_clear_object(&unit->cancellable);
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
  bool is_scope = g_str_has_suffix(unit->name, ".scope");

  unit->is_stale = unit->cancellable != NULL;
  if (unit->cancellable)
    return;
  unit->cancellable = g_cancellable_new();
  g_dbus_connection_call(unit->watch->bus, unit->watch->owner, unit->path, PROPERTIES, "Get",
                         g_variant_new("(ss)",
                                       is_scope ? "org.freedesktop.systemd1.Scope"
                                                : "org.freedesktop.systemd1.Service",
                                       "ControlGroup"),
                         G_VARIANT_TYPE("(v)"), G_DBUS_CALL_FLAGS_NO_AUTO_START, -1,
                         unit->cancellable, got_cgroup, unit);
}

/* A unit has its cgroup from when it starts until it has ended, and a service may start again. */
static void
on_unit_changed(GDBusConnection *bus,
                const char *sender,
                const char *path,
                const char *interface,
                const char *signal,
                GVariant *parameters,
                gpointer data)
{
  g_autoptr(GVariant) changed = NULL;
  g_autoptr(GVariant) state = NULL;

  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(sa{sv}as)")))
    return;
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
  Unit *unit;

  if (!scope || g_hash_table_contains(watch->units, name) ||
      g_hash_table_size(watch->units) >= UNITS_MAX)
    return;
  unit = g_new0(Unit, 1);
  unit->watch = watch;
  unit->name = g_strdup(name);
  unit->path = g_strdup(path);
  /* Before it is asked: what it had not yet then, this tells. */
  unit->signal_id = g_dbus_connection_signal_subscribe(
      watch->bus, watch->owner, PROPERTIES, "PropertiesChanged", path, UNIT_INTERFACE,
      G_DBUS_SIGNAL_FLAGS_NONE, on_unit_changed, unit, NULL);
  g_hash_table_insert(watch->units, unit->name, unit);
  ask(unit);
}

static void
on_unit_new(GDBusConnection *bus,
            const char *sender,
            const char *path,
            const char *interface,
            const char *signal,
            GVariant *parameters,
            gpointer data)
{
  const char *name;
  const char *unit_path;

  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(so)")))
    return;
  g_variant_get(parameters, "(&s&o)", &name, &unit_path);
  add_unit(data, name, unit_path);
}

static void
on_unit_removed(GDBusConnection *bus,
                const char *sender,
                const char *path,
                const char *interface,
                const char *signal,
                GVariant *parameters,
                gpointer data)
{
  EppdUnitWatch *watch = data;
  const char *name;

  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(so)")))
    return;
  g_variant_get(parameters, "(&s&o)", &name, NULL);
  if (g_hash_table_remove(watch->units, name))
    watch->listener->unit(name, NULL, watch->data);
}

static void
got_units(GObject *source, GAsyncResult *result, gpointer data)
{
  EppdUnitWatch *watch = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply =
      g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
  g_autoptr(GVariantIter) iter = NULL;
  const char *name;
  const char *path;

  if (is_cancelled(error))
    return;
  if (!reply) {
    eppd_warning(TOPIC, "ignoring the applications that run already: %s", error->message);
    return;
  }
  g_variant_get(reply, "(a(ssssssouso))", &iter);
  while (g_variant_iter_next(iter, "(&s&s&s&s&s&s&ou&s&o)", &name, NULL, NULL, NULL, NULL, NULL,
                             &path, NULL, NULL, NULL))
    add_unit(watch, name, path);
}

static void
got_subscription(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply =
      g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);

  if (!reply && !is_cancelled(error))
    eppd_warning(TOPIC, "the user manager does not tell of new applications, ignoring: %s",
                 error->message);
}

/* ---- the manager ---- */

static guint
subscribe(EppdUnitWatch *watch, const char *signal, GDBusSignalCallback func)
{
  return g_dbus_connection_signal_subscribe(watch->bus, watch->owner, MANAGER_INTERFACE, signal,
                                            MANAGER_PATH, NULL, G_DBUS_SIGNAL_FLAGS_NONE, func,
                                            watch, NULL);
}

static void
came(GDBusConnection *bus, const char *name, const char *owner, gpointer data)
{
  static const char *const patterns[] = {"app-*", "dbus-*", "snap.*", NULL};
  EppdUnitWatch *watch = data;

  eppd_info(TOPIC, "a systemd user manager is there");
  watch->owner = g_strdup(owner);
  watch->cancellable = g_cancellable_new();
  watch->listener->manager(true, watch->data);
  watch->new_id = subscribe(watch, "UnitNew", on_unit_new);
  watch->removed_id = subscribe(watch, "UnitRemoved", on_unit_removed);
  g_dbus_connection_call(bus, owner, MANAGER_PATH, MANAGER_INTERFACE, "Subscribe", NULL, NULL,
                         G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, watch->cancellable, got_subscription,
                         NULL);
  g_dbus_connection_call(bus, owner, MANAGER_PATH, MANAGER_INTERFACE, "ListUnitsByPatterns",
                         g_variant_new("(@as^as)", g_variant_new_strv(NULL, 0), patterns),
                         G_VARIANT_TYPE("(a(ssssssouso))"), G_DBUS_CALL_FLAGS_NO_AUTO_START, -1,
                         watch->cancellable, got_units, watch);
}

static void
forget_owner(EppdUnitWatch *watch)
{
  if (!watch->owner)
    return;
  g_cancellable_cancel(watch->cancellable);
  g_clear_object(&watch->cancellable);
  g_dbus_connection_signal_unsubscribe(watch->bus, watch->new_id);
  g_dbus_connection_signal_unsubscribe(watch->bus, watch->removed_id);
  g_hash_table_remove_all(watch->units);
  g_clear_pointer(&watch->owner, g_free);
}

static void
left(GDBusConnection *bus, const char *name, gpointer data)
{
  EppdUnitWatch *watch = data;

  forget_owner(watch);
  watch->listener->manager(false, watch->data);
}

EppdUnitWatch *
eppd_unit_watch_new(GDBusConnection *bus, const EppdUnitListener *listener, gpointer data)
{
  EppdUnitWatch *watch = g_new0(EppdUnitWatch, 1);

  watch->bus = g_object_ref(bus);
  watch->listener = listener;
  watch->data = data;
  watch->units = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, unit_free);
  watch->name_id = g_bus_watch_name_on_connection(bus, MANAGER_NAME, G_BUS_NAME_WATCHER_FLAGS_NONE,
                                                  came, left, watch, NULL);
  return watch;
}

void
eppd_unit_watch_free(EppdUnitWatch *watch)
{
  g_bus_unwatch_name(watch->name_id);
  forget_owner(watch);
  g_hash_table_unref(watch->units);
  g_object_unref(watch->bus);
  g_free(watch);
}
