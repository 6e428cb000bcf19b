/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/bus-object.h"

#include "base/error.h"

#include "eppd-resources.h"

#define PROPERTIES "org.freedesktop.DBus.Properties"

/* Calls that arrive before the daemon controls anything; nobody needs more of them. */
#define EARLY_MAX 256

struct _EppdBusObject {
  GDBusConnection *bus;
  char *object_path;
  EppdClients *clients;
  EppdRequestQueue *queue;
  const EppdBusObjectClass *class;
  gpointer data;
  GDBusNodeInfo *node;
  GDBusInterfaceInfo *interface;
  guint registration;
  bool is_open;
  GPtrArray *early; /* GDBusMethodInvocation, owned: they wait for open() */
  GPtrArray *told;  /* by the index of the property: its GVariant as last told; NULL: never */
};

/* ---- properties ---- */

static bool
is_told(const GDBusPropertyInfo *info)
{
  return g_strcmp0(g_dbus_annotation_info_lookup(
                       info->annotations, "org.freedesktop.DBus.Property.EmitsChangedSignal"),
                   "false") != 0;
}

static GVariant *
get_value(EppdBusObject *object, const char *name)
{
  return g_variant_take_ref(object->class->get_property(name, object->data));
}

/* As it was told last, which is what it is: each change calls eppd_bus_object_changed(). */
static GVariant *
told_value(EppdBusObject *object, guint index)
{
  GVariant *told = object->told->pdata[index];

  return told ? g_variant_ref(told) : get_value(object, object->interface->properties[index]->name);
}

static GVariant *
told_value_by_name(EppdBusObject *object, const char *name)
{
  guint index = 0;

  while (!g_str_equal(object->interface->properties[index]->name, name))
    index++;
  return told_value(object, index);
}

static GVariant *
get_all(EppdBusObject *object)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE_VARDICT);
  for (guint i = 0; object->interface->properties[i]; i++) {
    g_autoptr(GVariant) value = told_value(object, i);

    g_variant_builder_add(&builder, "{sv}", object->interface->properties[i]->name, value);
  }
  return g_variant_builder_end(&builder);
}

/* To @destination; NULL: to all. */
static void
emit_changed(EppdBusObject *object, const char *destination, GVariantBuilder *changed)
{
  g_dbus_connection_emit_signal(
      object->bus, destination, object->object_path, PROPERTIES, "PropertiesChanged",
      g_variant_new("(sa{sv}as)", object->interface->name, changed, NULL), NULL);
}

/* The property at @index, where it is another than what was told; it counts as told from here on.
 */
static GVariant *
take_news(EppdBusObject *object, guint index)
{
  const GDBusPropertyInfo *info = object->interface->properties[index];
  GVariant **told = (GVariant **)&object->told->pdata[index];
  g_autoptr(GVariant) value = is_told(info) ? get_value(object, info->name) : NULL;

  if (!value || (*told && g_variant_equal(*told, value)))
    return NULL;
  g_clear_pointer(told, g_variant_unref);
  *told = g_steal_pointer(&value);
  return *told;
}

void
eppd_bus_object_changed(EppdBusObject *object)
{
  GVariantBuilder changed;
  guint n_changed = 0;

  if (!object->is_open)
    return;
  g_variant_builder_init(&changed, G_VARIANT_TYPE_VARDICT);
  for (guint i = 0; object->interface->properties[i]; i++) {
    GVariant *value = take_news(object, i);

    if (!value)
      continue;
    g_variant_builder_add(&changed, "{sv}", object->interface->properties[i]->name, value);
    n_changed++;
  }
  if (n_changed > 0)
    emit_changed(object, NULL, &changed);
  else
    g_variant_builder_clear(&changed);
}

static void
set_property(EppdBusObject *object, GDBusMethodInvocation *invocation)
{
  const GDBusPropertyInfo *info = g_dbus_method_invocation_get_property_info(invocation);
  g_autoptr(GVariant) value = NULL;

  g_variant_get(g_dbus_method_invocation_get_parameters(invocation), "(ssv)", NULL, NULL, &value);
  if (!g_variant_is_of_type(value, G_VARIANT_TYPE(info->signature)))
    g_dbus_method_invocation_return_error(invocation, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS,
                                          "The property %s takes a value of type '%s', not '%s'",
                                          info->name, info->signature,
                                          g_variant_get_type_string(value));
  else
    object->class->set_property(info->name, value, invocation, object->data);
}

static void
handle_properties(EppdBusObject *object, GDBusMethodInvocation *invocation)
{
  const char *method = g_dbus_method_invocation_get_method_name(invocation);
  const GDBusPropertyInfo *info = g_dbus_method_invocation_get_property_info(invocation);

  /* GDBus has checked name and access. */
  if (g_str_equal(method, "GetAll")) {
    g_dbus_method_invocation_return_value(invocation, g_variant_new("(@a{sv})", get_all(object)));
  } else if (g_str_equal(method, "Set")) {
    set_property(object, invocation);
  } else {
    g_autoptr(GVariant) value = told_value_by_name(object, info->name);

    g_dbus_method_invocation_return_value(invocation, g_variant_new("(v)", value));
  }
}

/* ---- calls ---- */

static void
handle(EppdBusObject *object, GDBusMethodInvocation *invocation)
{
  if (g_str_equal(g_dbus_method_invocation_get_interface_name(invocation), PROPERTIES))
    handle_properties(object, invocation);
  else
    object->class->call(g_dbus_method_invocation_get_method_name(invocation), invocation,
                        object->data);
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
  EppdBusObject *object = data;

  if (object->is_open)
    handle(object, invocation);
  else if (object->early->len < EARLY_MAX)
    g_ptr_array_add(object->early, invocation);
  else
    g_dbus_method_invocation_return_error(invocation, G_DBUS_ERROR, G_DBUS_ERROR_LIMITS_EXCEEDED,
                                          "eppd is starting: try again");
}

/* What waits in the queue. */
typedef struct {
  EppdBusObject *object;
  EppdRequestFunc func;
  char *sender;
  /* Of a property write; else NULL. */
  char *property;
  GVariant *wanted;
} Request;

static void
on_request(const EppdCaller *caller, GDBusMethodInvocation *invocation, gpointer data)
{
  Request *request = data;

  request->func(caller, invocation, request->object->data);
}

/* Clients keep what they write, and GNOME Shell would show a choice that was refused: the writer is
 * told what is so, as the others are not, for whom nothing changed. */
static void
tell_writer(const Request *request)
{
  EppdBusObject *object = request->object;
  g_autoptr(GVariant) value = NULL;
  GVariantBuilder changed;

  if (!object->is_open)
    return;
  value = told_value_by_name(object, request->property);
  if (g_variant_equal(value, request->wanted))
    return;
  g_variant_builder_init(&changed, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add(&changed, "{sv}", request->property, value);
  emit_changed(object, request->sender, &changed);
}

static void
free_request(gpointer data)
{
  Request *request = data;

  if (request->property)
    tell_writer(request);
  else
    eppd_clients_unref(request->object->clients, request->sender);
  g_free(request->property);
  g_clear_pointer(&request->wanted, g_variant_unref);
  g_free(request->sender);
  g_free(request);
}

void
eppd_bus_object_push(EppdBusObject *object,
                     GDBusMethodInvocation *invocation,
                     const char *action_id,
                     EppdRequestFunc func)
{
  Request *request = g_new0(Request, 1);

  request->object = object;
  request->func = func;
  request->sender = g_strdup(g_dbus_method_invocation_get_sender(invocation));
  if (g_dbus_method_invocation_get_property_info(invocation))
    g_variant_get(g_dbus_method_invocation_get_parameters(invocation), "(ssv)", NULL,
                  &request->property, &request->wanted);
  else
    eppd_clients_ref(object->clients, request->sender);
  eppd_request_queue_push(object->queue, invocation, action_id, on_request, request, free_request);
}

void
eppd_bus_object_return_error(GDBusMethodInvocation *invocation, GError *error)
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

void
eppd_bus_object_emit(EppdBusObject *object,
                     const char *destination,
                     const char *signal,
                     GVariant *parameters)
{
  g_dbus_connection_emit_signal(object->bus, destination, object->object_path,
                                object->interface->name, signal, parameters, NULL);
}

/* ---- life ---- */

void
eppd_bus_object_open(EppdBusObject *object)
{
  object->is_open = true;
  eppd_bus_object_changed(object);
  for (guint i = 0; i < object->early->len; i++)
    handle(object, object->early->pdata[i]);
  g_ptr_array_set_size(object->early, 0);
}

void
eppd_bus_object_close(EppdBusObject *object)
{
  object->is_open = false;
}

static guint
count_properties(const GDBusInterfaceInfo *interface)
{
  guint n = 0;

  while (interface->properties[n])
    n++;
  return n;
}

static void
unref_if_any(gpointer value)
{
  if (value)
    g_variant_unref(value);
}

static gboolean
register_object(EppdBusObject *object, const char *interface, GError **error)
{
  /* Get, GetAll and Set come to method_call, where all calls wait alike, and where a write can be
   * authorised: GDBus has no gate for property writes. */
  static const GDBusInterfaceVTable vtable = {.method_call = on_method_call};
  g_autofree char *resource = g_strdup_printf("/org/eppd/%s.xml", interface);
  g_autoptr(GBytes) xml =
      g_resource_lookup_data(eppd_get_resource(), resource, G_RESOURCE_LOOKUP_FLAGS_NONE, error);

  if (!xml)
    return FALSE;
  object->node = g_dbus_node_info_new_for_xml(g_bytes_get_data(xml, NULL), error);
  if (!object->node)
    return FALSE;
  object->interface = object->node->interfaces[0];
  g_ptr_array_set_size(object->told, (int)count_properties(object->interface));
  object->registration = g_dbus_connection_register_object(
      object->bus, object->object_path, object->interface, &vtable, object, NULL, error);
  return object->registration != 0;
}

EppdBusObject *
eppd_bus_object_new(GDBusConnection *bus,
                    const char *object_path,
                    const char *interface,
                    EppdClients *clients,
                    EppdRequestQueue *queue,
                    const EppdBusObjectClass *class,
                    gpointer data,
                    GError **error)
{
  EppdBusObject *object = g_new0(EppdBusObject, 1);

  object->bus = g_object_ref(bus);
  object->object_path = g_strdup(object_path);
  object->clients = clients;
  object->queue = queue;
  object->class = class;
  object->data = data;
  object->early = g_ptr_array_new();
  object->told = g_ptr_array_new_with_free_func(unref_if_any);
  if (!register_object(object, interface, error)) {
    eppd_bus_object_free(object);
    return NULL;
  }
  return object;
}

void
eppd_bus_object_free(EppdBusObject *object)
{
  if (object->registration != 0)
    g_dbus_connection_unregister_object(object->bus, object->registration);
  for (guint i = 0; i < object->early->len; i++)
    g_dbus_method_invocation_return_error(object->early->pdata[i], G_DBUS_ERROR,
                                          G_DBUS_ERROR_FAILED, "eppd is stopping");
  g_ptr_array_unref(object->early);
  g_ptr_array_unref(object->told);
  g_clear_pointer(&object->node, g_dbus_node_info_unref);
  g_object_unref(object->bus);
  g_free(object->object_path);
  g_free(object);
}
