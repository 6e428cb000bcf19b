/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/eppd1.h"

#include "base/error.h"
#include "base/log.h"
#include "daemon/hold-options.h"
#include "daemon/views.h"

#include "build-config.h"
#include "eppd-resources.h"

#include <string.h>

#define ACTION_HOLD_BOOST "org.eppd.hold-boost"
#define ACTION_CONFIGURE  "org.eppd.configure"
#define PROPERTIES        "org.freedesktop.DBus.Properties"

/* Between two BoostedCpusChanged to one watcher. */
#define WATCH_INTERVAL_MS 100
/* Calls that arrive before the daemon controls anything; nobody needs more of them. */
#define EARLY_MAX 256

struct _EppdEppd1 {
  GDBusConnection *bus;
  EppdClients *clients;
  EppdRequestQueue *queue;
  EppdController *controller; /* NULL: not yet, or no more */
  GDBusNodeInfo *node;
  guint registration;
  GPtrArray *early;     /* GDBusMethodInvocation, owned: they wait for the controller */
  GVariant *told;       /* a{sv}: the properties as last told */
  GHashTable *watchers; /* unique names */
  guint watch_timer;    /* 0: nothing to tell, or nobody to */
};

/* ---- properties ---- */

static GVariant *
get_property(EppdEppd1 *self, const char *name)
{
  const EppdControllerState *state = eppd_controller_state(self->controller);

  if (g_str_equal(name, "Version"))
    return g_variant_new_string(EPPD_VERSION);
  if (g_str_equal(name, "BoostState"))
    return g_variant_new_string(eppd_boost_status_text(state->boost_status));
  if (g_str_equal(name, "BoostReason"))
    return g_variant_new_string(state->boost_reason);
  if (g_str_equal(name, "ResidencySource"))
    return g_variant_new_string(
        eppd_residency_keeper_name(eppd_controller_residency(self->controller)));
  if (g_str_equal(name, "ResidencyReason"))
    return g_variant_new_string(
        eppd_residency_keeper_reason(eppd_controller_residency(self->controller)));
  if (g_str_equal(name, "ConfigProblems"))
    return g_variant_new_strv((const char *const *)state->config_problems, -1);
  if (g_str_equal(name, "ActiveProfile"))
    return g_variant_new_string(eppd_profile_text(state->profile));
  if (g_str_equal(name, "PowerSource"))
    return g_variant_new_string(eppd_power_source_text(state->source));
  if (g_str_equal(name, "BoostedCpus"))
    return eppd_views_boosted_cpus(self->controller);
  return NULL;
}

/* All properties; without the silent ones where @for_signal. */
static GVariant *
get_all(EppdEppd1 *self, bool for_signal)
{
  GDBusPropertyInfo **infos = self->node->interfaces[0]->properties;
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE_VARDICT);
  for (guint i = 0; infos[i]; i++) {
    if (for_signal && g_str_equal(infos[i]->name, "BoostedCpus"))
      continue;
    g_variant_builder_add(&builder, "{sv}", infos[i]->name, get_property(self, infos[i]->name));
  }
  return g_variant_ref_sink(g_variant_builder_end(&builder));
}

void
eppd_eppd1_changed(EppdEppd1 *self)
{
  g_autoptr(GVariant) now = NULL;
  GVariantBuilder changed;
  GVariantIter iter;
  const char *name;
  GVariant *value;
  guint n_changed = 0;

  if (!self->controller)
    return;
  now = get_all(self, true);
  g_variant_builder_init(&changed, G_VARIANT_TYPE_VARDICT);
  g_variant_iter_init(&iter, now);
  while (g_variant_iter_loop(&iter, "{&sv}", &name, &value)) {
    g_autoptr(GVariant) before = self->told ? g_variant_lookup_value(self->told, name, NULL) : NULL;

    if (before && g_variant_equal(before, value))
      continue;
    g_variant_builder_add(&changed, "{sv}", name, value);
    n_changed++;
  }
  if (n_changed == 0) {
    g_variant_builder_clear(&changed);
    return;
  }
  g_clear_pointer(&self->told, g_variant_unref);
  self->told = g_steal_pointer(&now);
  g_dbus_connection_emit_signal(self->bus, NULL, EPPD1_OBJECT_PATH, PROPERTIES, "PropertiesChanged",
                                g_variant_new("(sa{sv}as)", EPPD1_BUS_NAME, &changed, NULL), NULL);
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
    g_dbus_connection_emit_signal(self->bus, name, EPPD1_OBJECT_PATH, EPPD1_BUS_NAME,
                                  "BoostedCpusChanged", cpus, NULL);
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
  if (self->controller)
    eppd_hold_keeper_drop_owner(eppd_controller_holds(self->controller), name);
  if (g_hash_table_remove(self->watchers, name))
    eppd_clients_unref(self->clients, name);
}

/* ---- methods that need leave ---- */

/* Answers with what the daemon's own errors mean on the bus. */
static void
return_error(GDBusMethodInvocation *invocation, GError *error)
{
  int code = G_DBUS_ERROR_FAILED;

  if (error->domain != EPPD_ERROR) {
    g_dbus_method_invocation_take_error(invocation, error);
    return;
  }
  if (error->code == EPPD_ERROR_INVALID)
    code = G_DBUS_ERROR_INVALID_ARGS;
  else if (error->code == EPPD_ERROR_DENIED)
    code = G_DBUS_ERROR_ACCESS_DENIED;
  else if (error->code == EPPD_ERROR_LIMIT)
    code = G_DBUS_ERROR_LIMITS_EXCEEDED;
  g_dbus_method_invocation_return_error_literal(invocation, G_DBUS_ERROR, code, error->message);
  g_error_free(error);
}

/* What waits in the queue: its caller is watched from before the check, so that one who dies
 * meanwhile leaves no hold. */
typedef struct {
  EppdEppd1 *self;
  char *sender;
} Request;

static Request *
request_new(EppdEppd1 *self, GDBusMethodInvocation *invocation)
{
  Request *request = g_new0(Request, 1);

  request->self = self;
  request->sender = g_strdup(g_dbus_method_invocation_get_sender(invocation));
  eppd_clients_ref(self->clients, request->sender);
  return request;
}

static void
request_free(gpointer data)
{
  Request *request = data;

  eppd_clients_unref(request->self->clients, request->sender);
  g_free(request->sender);
  g_free(request);
}

static bool
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
  Request *request = data;
  GError *error = NULL;
  guint32 cookie;

  if (hold_boost(request->self, caller, invocation, &cookie, &error))
    g_dbus_method_invocation_return_value(invocation, g_variant_new("(u)", cookie));
  else
    return_error(invocation, error);
}

static void
on_release_boost(const EppdCaller *caller, GDBusMethodInvocation *invocation, gpointer data)
{
  Request *request = data;
  GError *error = NULL;
  guint32 cookie;

  g_variant_get(g_dbus_method_invocation_get_parameters(invocation), "(u)", &cookie);
  if (eppd_hold_keeper_release(eppd_controller_holds(request->self->controller), cookie,
                               caller->name, &error))
    g_dbus_method_invocation_return_value(invocation, NULL);
  else
    return_error(invocation, error);
}

static void
on_reload(const EppdCaller *caller, GDBusMethodInvocation *invocation, gpointer data)
{
  Request *request = data;

  eppd_controller_reload(request->self->controller);
  g_dbus_method_invocation_return_value(invocation, NULL);
}

/* ---- calls ---- */

static void
handle_properties(EppdEppd1 *self, GDBusMethodInvocation *invocation)
{
  const GDBusPropertyInfo *info = g_dbus_method_invocation_get_property_info(invocation);

  /* GDBus has checked name and access; there is no writable property. */
  if (g_str_equal(g_dbus_method_invocation_get_method_name(invocation), "GetAll")) {
    g_autoptr(GVariant) all = get_all(self, false);

    g_dbus_method_invocation_return_value(invocation, g_variant_new("(@a{sv})", all));
  } else {
    g_dbus_method_invocation_return_value(invocation,
                                          g_variant_new("(v)", get_property(self, info->name)));
  }
}

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
push(EppdEppd1 *self,
     GDBusMethodInvocation *invocation,
     const char *action_id,
     EppdRequestFunc func)
{
  eppd_request_queue_push(self->queue, invocation, action_id, func, request_new(self, invocation),
                          request_free);
}

static void
handle(EppdEppd1 *self, GDBusMethodInvocation *invocation)
{
  const char *method = g_dbus_method_invocation_get_method_name(invocation);

  if (g_str_equal(g_dbus_method_invocation_get_interface_name(invocation), PROPERTIES))
    handle_properties(self, invocation);
  else if (g_str_equal(method, "HoldBoost"))
    push(self, invocation, ACTION_HOLD_BOOST, on_hold_boost);
  else if (g_str_equal(method, "ReleaseBoost"))
    push(self, invocation, NULL, on_release_boost);
  else if (g_str_equal(method, "Reload"))
    push(self, invocation, ACTION_CONFIGURE, on_reload);
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

static void
on_method_call(GDBusConnection *bus,
               const char *sender,
               const char *object_path,
               const char *interface_name,
               const char *method_name,
               GVariant *parameters,
               GDBusMethodInvocation *invocation,
               gpointer data)
{
  EppdEppd1 *self = data;

  if (self->controller)
    handle(self, invocation);
  else if (self->early->len < EARLY_MAX)
    g_ptr_array_add(self->early, invocation);
  else
    g_dbus_method_invocation_return_error(invocation, G_DBUS_ERROR, G_DBUS_ERROR_LIMITS_EXCEEDED,
                                          "eppd is starting: try again");
}

void
eppd_eppd1_set_controller(EppdEppd1 *self, EppdController *controller)
{
  self->controller = controller;
  if (!controller)
    return;

  eppd_eppd1_changed(self);
  for (guint i = 0; i < self->early->len; i++)
    handle(self, self->early->pdata[i]);
  g_ptr_array_set_size(self->early, 0);
}

EppdEppd1 *
eppd_eppd1_new(GDBusConnection *bus, EppdClients *clients, EppdRequestQueue *queue, GError **error)
{
  /* Get, GetAll and Set come to method_call, where all calls wait for the controller alike. */
  static const GDBusInterfaceVTable vtable = {.method_call = on_method_call};
  g_autoptr(GBytes) xml = g_resource_lookup_data(
      eppd_get_resource(), "/org/eppd/org.eppd.Eppd1.xml", G_RESOURCE_LOOKUP_FLAGS_NONE, error);
  EppdEppd1 *self;

  if (!xml)
    return NULL;
  self = g_new0(EppdEppd1, 1);
  self->bus = g_object_ref(bus);
  self->clients = clients;
  self->queue = queue;
  self->early = g_ptr_array_new();
  self->watchers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  self->node = g_dbus_node_info_new_for_xml(g_bytes_get_data(xml, NULL), error);
  if (self->node)
    self->registration = g_dbus_connection_register_object(
        bus, EPPD1_OBJECT_PATH, self->node->interfaces[0], &vtable, self, NULL, error);
  if (self->registration == 0) {
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

  if (self->registration != 0)
    g_dbus_connection_unregister_object(self->bus, self->registration);
  for (guint i = 0; i < self->early->len; i++)
    g_dbus_method_invocation_return_error(self->early->pdata[i], G_DBUS_ERROR, G_DBUS_ERROR_FAILED,
                                          "eppd is stopping");
  g_ptr_array_unref(self->early);
  if (self->watch_timer != 0)
    g_source_remove(self->watch_timer);
  g_hash_table_iter_init(&iter, self->watchers);
  while (g_hash_table_iter_next(&iter, &name, NULL))
    eppd_clients_unref(self->clients, name);
  g_hash_table_unref(self->watchers);
  g_clear_pointer(&self->told, g_variant_unref);
  g_clear_pointer(&self->node, g_dbus_node_info_unref);
  g_object_unref(self->bus);
  g_free(self);
}
