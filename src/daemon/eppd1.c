/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/eppd1.h"

#include "daemon/bus-object.h"
#include "daemon/hold-options.h"
#include "daemon/views.h"

#include "build-config.h"

#define ACTION_HOLD_BOOST "org.eppd.hold-boost"
#define ACTION_CONFIGURE  "org.eppd.configure"

/* Between two BoostedCpusChanged to one watcher. */
#define WATCH_INTERVAL_MS 100

struct _EppdEppd1 {
  EppdBusObject *object;
  EppdClients *clients;
  EppdController *controller; /* NULL: not yet, or no more */
  GHashTable *watchers;       /* unique names */
  guint watch_timer;          /* 0: nothing to tell, or nobody to */
};

/* ---- properties ---- */

static GVariant *
get_property(const char *name, gpointer data)
{
  EppdEppd1 *self = data;
  EppdController *controller = self->controller;
  EppdBoostControl *boost = eppd_controller_boost(controller);

  if (g_str_equal(name, "Version"))
    return g_variant_new_string(EPPD_VERSION);
  if (g_str_equal(name, "BoostState"))
    return g_variant_new_string(eppd_boost_status_text(eppd_boost_control_status(boost)));
  if (g_str_equal(name, "BoostReason"))
    return g_variant_new_string(eppd_boost_control_reason(boost));
  if (g_str_equal(name, "ResidencySource"))
    return g_variant_new_string(eppd_residency_keeper_name(eppd_boost_control_residency(boost)));
  if (g_str_equal(name, "ResidencyReason"))
    return g_variant_new_string(eppd_residency_keeper_reason(eppd_boost_control_residency(boost)));
  if (g_str_equal(name, "ConfigProblems"))
    return g_variant_new_strv(eppd_controller_config_problems(controller), -1);
  if (g_str_equal(name, "ActiveProfile"))
    return g_variant_new_string(
        eppd_profile_text(eppd_profile_control_profile(eppd_controller_profiles(controller))));
  if (g_str_equal(name, "PowerSource"))
    return g_variant_new_string(
        eppd_power_source_text(eppd_profile_control_source(eppd_controller_profiles(controller))));
  if (g_str_equal(name, "BoostedCpus"))
    return eppd_views_boosted_cpus(controller);
  g_return_val_if_reached(NULL);
}

/* ---- the boosted CPUs, for those who watch ---- */

static void
tell_watchers(EppdEppd1 *self)
{
  g_autoptr(GVariant) cpus = NULL;
  GHashTableIter iter;
  gpointer name;

  if (!self->controller)
    return;
  cpus = g_variant_ref_sink(g_variant_new("(@au)", eppd_views_boosted_cpus(self->controller)));
  g_hash_table_iter_init(&iter, self->watchers);
  while (g_hash_table_iter_next(&iter, &name, NULL))
    eppd_bus_object_emit(self->object, name, "BoostedCpusChanged", cpus);
}

static gboolean
on_watch_timer(gpointer data)
{
  EppdEppd1 *self = data;

  self->watch_timer = 0;
  tell_watchers(self);
  return G_SOURCE_REMOVE;
}

void
eppd_eppd1_edges(EppdEppd1 *self)
{
  if (g_hash_table_size(self->watchers) > 0 && self->watch_timer == 0)
    self->watch_timer = g_timeout_add(WATCH_INTERVAL_MS, on_watch_timer, self);
}

static void
watch(EppdEppd1 *self, GDBusMethodInvocation *invocation)
{
  const char *sender = g_dbus_method_invocation_get_sender(invocation);

  if (!g_hash_table_contains(self->watchers, sender)) {
    g_hash_table_add(self->watchers, g_strdup(sender));
    eppd_clients_ref(self->clients, sender);
  }
  g_dbus_method_invocation_return_value(invocation, g_variant_new("(u)", WATCH_INTERVAL_MS));
}

void
eppd_eppd1_client_vanished(EppdEppd1 *self, const char *name)
{
  if (g_hash_table_remove(self->watchers, name))
    eppd_clients_unref(self->clients, name);
}

/* ---- methods that need leave ---- */

static gboolean
hold_boost(EppdEppd1 *self,
           const EppdCaller *caller,
           GDBusMethodInvocation *invocation,
           guint32 *cookie,
           GError **error)
{
  GVariant *parameters = g_dbus_method_invocation_get_parameters(invocation);
  GDBusMessage *message = g_dbus_method_invocation_get_message(invocation);
  g_auto(EppdHoldOptions) options = EPPD_HOLD_OPTIONS_INIT;
  g_autoptr(GVariant) dict = NULL;
  const char *app_id;
  const char *reason;

  g_variant_get(parameters, "(&s&s@a{sv})", &app_id, &reason, &dict);
  return eppd_hold_options_parse(&options, dict, g_dbus_message_get_unix_fd_list(message),
                                 caller->uid, eppd_controller_config(self->controller)->trigger,
                                 error) &&
         eppd_hold_keeper_take(eppd_controller_holds(self->controller), caller->name, caller->uid,
                               app_id, reason, &options, cookie, error);
}

static void
on_hold_boost(const EppdCaller *caller, GDBusMethodInvocation *invocation, gpointer data)
{
  EppdEppd1 *self = data;
  GError *error = NULL;
  guint32 cookie;

  if (hold_boost(self, caller, invocation, &cookie, &error))
    g_dbus_method_invocation_return_value(invocation, g_variant_new("(u)", cookie));
  else
    eppd_bus_object_return_error(invocation, error);
}

static void
on_release_boost(const EppdCaller *caller, GDBusMethodInvocation *invocation, gpointer data)
{
  EppdEppd1 *self = data;
  GError *error = NULL;
  guint32 cookie;

  g_variant_get(g_dbus_method_invocation_get_parameters(invocation), "(u)", &cookie);
  if (eppd_hold_keeper_release(eppd_controller_holds(self->controller), cookie, caller->name,
                               &error))
    g_dbus_method_invocation_return_value(invocation, NULL);
  else
    eppd_bus_object_return_error(invocation, error);
}

static void
on_reload(const EppdCaller *caller, GDBusMethodInvocation *invocation, gpointer data)
{
  EppdEppd1 *self = data;

  eppd_controller_reload(self->controller);
  g_dbus_method_invocation_return_value(invocation, NULL);
}

/* ---- calls ---- */

static void
handle_explain(EppdEppd1 *self, GDBusMethodInvocation *invocation)
{
  GError *error = NULL;
  GVariant *view;
  guint32 cpu;

  g_variant_get(g_dbus_method_invocation_get_parameters(invocation), "(u)", &cpu);
  view = eppd_views_explain(self->controller, cpu, &error);
  if (view)
    g_dbus_method_invocation_return_value(invocation, g_variant_new("(@a{sv})", view));
  else
    g_dbus_method_invocation_take_error(invocation, error);
}

static void
call(const char *method, GDBusMethodInvocation *invocation, gpointer data)
{
  EppdEppd1 *self = data;

  if (g_str_equal(method, "HoldBoost"))
    eppd_bus_object_push(self->object, invocation, ACTION_HOLD_BOOST, on_hold_boost);
  else if (g_str_equal(method, "ReleaseBoost"))
    eppd_bus_object_push(self->object, invocation, NULL, on_release_boost);
  else if (g_str_equal(method, "Reload"))
    eppd_bus_object_push(self->object, invocation, ACTION_CONFIGURE, on_reload);
  else if (g_str_equal(method, "Watch"))
    watch(self, invocation);
  else if (g_str_equal(method, "Explain"))
    handle_explain(self, invocation);
  else if (g_str_equal(method, "GetPolicies"))
    g_dbus_method_invocation_return_value(
        invocation, g_variant_new("(@aa{sv})", eppd_views_policies(self->controller)));
  else if (g_str_equal(method, "GetStatistics"))
    g_dbus_method_invocation_return_value(
        invocation, g_variant_new("(@a{sv})", eppd_views_statistics(self->controller)));
  else if (g_str_equal(method, "ListBoostHolds"))
    g_dbus_method_invocation_return_value(
        invocation,
        g_variant_new(
            "(@aa{sv})",
            eppd_views_holds(self->controller, g_dbus_method_invocation_get_sender(invocation))));
  else
    g_dbus_method_invocation_return_error(invocation, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_METHOD,
                                          "No such method: %s", method);
}

/* ---- life ---- */

void
eppd_eppd1_changed(EppdEppd1 *self)
{
  eppd_bus_object_changed(self->object);
}

void
eppd_eppd1_set_controller(EppdEppd1 *self, EppdController *controller)
{
  self->controller = controller;
  if (controller)
    eppd_bus_object_open(self->object);
  else
    eppd_bus_object_close(self->object);
}

EppdEppd1 *
eppd_eppd1_new(GDBusConnection *bus, EppdClients *clients, EppdRequestQueue *queue, GError **error)
{
  static const EppdBusObjectClass class = {.get_property = get_property, .call = call};
  EppdEppd1 *self = g_new0(EppdEppd1, 1);

  self->clients = clients;
  self->watchers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  self->object = eppd_bus_object_new(bus, EPPD1_OBJECT_PATH, EPPD1_BUS_NAME, clients, queue, &class,
                                     self, error);
  if (!self->object) {
    eppd_eppd1_free(self);
    return NULL;
  }
  return self;
}

void
eppd_eppd1_free(EppdEppd1 *self)
{
  GHashTableIter iter;
  gpointer name;

  g_clear_pointer(&self->object, eppd_bus_object_free);
  if (self->watch_timer != 0)
    g_source_remove(self->watch_timer);
  g_hash_table_iter_init(&iter, self->watchers);
  while (g_hash_table_iter_next(&iter, &name, NULL))
    eppd_clients_unref(self->clients, name);
  g_hash_table_unref(self->watchers);
  g_free(self);
}
