/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mock-polkit.h"

struct _MockPolkit {
  GDBusConnection *connection;
  guint object_id;
  MockPolkitMode mode;
  GPtrArray *questions; /* char* */
  GPtrArray *held;      /* GDBusMethodInvocation*, NULL once answered; as many */
};

static const char introspection[] = "<node><interface name='org.freedesktop.PolicyKit1.Authority'>"
                                    "<method name='CheckAuthorization'>"
                                    "<arg name='subject' type='(sa{sv})' direction='in'/>"
                                    "<arg name='action_id' type='s' direction='in'/>"
                                    "<arg name='details' type='a{ss}' direction='in'/>"
                                    "<arg name='flags' type='u' direction='in'/>"
                                    "<arg name='cancellation_id' type='s' direction='in'/>"
                                    "<arg name='result' type='(bba{ss})' direction='out'/>"
                                    "</method></interface></node>";

static void
answer(GDBusMethodInvocation *invocation, MockPolkitMode mode)
{
  if (mode == MOCK_POLKIT_GARBAGE)
    private_bus_answer(invocation, g_variant_new("(bs)", TRUE, "yes"));
  else if (mode == MOCK_POLKIT_ERROR)
    g_dbus_method_invocation_return_dbus_error(
        invocation, "org.freedesktop.PolicyKit1.Error.Failed", "Action is not registered");
  else
    g_dbus_method_invocation_return_value(invocation,
                                          g_variant_new("((bba{ss}))", mode == MOCK_POLKIT_ALLOW,
                                                        mode == MOCK_POLKIT_CHALLENGE, NULL));
}

static void
called(GDBusConnection *connection,
       const char *sender,
       const char *path,
       const char *interface,
       const char *method,
       GVariant *parameters,
       GDBusMethodInvocation *invocation,
       gpointer data)
{
  MockPolkit *polkit = data;
  const char *kind;
  const char *action_id;
  const char *name = "";
  g_autoptr(GVariant) subject = NULL;
  guint32 flags;

  g_variant_get(parameters, "((&s@a{sv})&s@a{ss}u&s)", &kind, &subject, &action_id, NULL, &flags,
                NULL);
  g_variant_lookup(subject, "name", "&s", &name);
  g_ptr_array_add(polkit->questions, g_strdup_printf("%s %s %s %u", kind, name, action_id, flags));

  if (polkit->mode == MOCK_POLKIT_HOLD) {
    g_ptr_array_add(polkit->held, invocation);
  } else {
    g_ptr_array_add(polkit->held, NULL);
    answer(invocation, polkit->mode);
  }
}

MockPolkit *
mock_polkit_new(PrivateBus *bus)
{
  static const GDBusInterfaceVTable vtable = {.method_call = called};
  g_autoptr(GError) error = NULL;
  g_autoptr(GDBusNodeInfo) info = g_dbus_node_info_new_for_xml(introspection, &error);
  MockPolkit *polkit = g_new0(MockPolkit, 1);

  g_assert_no_error(error);
  polkit->questions = g_ptr_array_new_with_free_func(g_free);
  polkit->held = g_ptr_array_new();
  polkit->connection = private_bus_connect(bus);
  polkit->object_id =
      g_dbus_connection_register_object(polkit->connection, "/org/freedesktop/PolicyKit1/Authority",
                                        info->interfaces[0], &vtable, polkit, NULL, &error);
  g_assert_no_error(error);
  private_bus_own_name(polkit->connection, "org.freedesktop.PolicyKit1");
  return polkit;
}

void
mock_polkit_free(MockPolkit *polkit)
{
  g_dbus_connection_unregister_object(polkit->connection, polkit->object_id);
  private_bus_disconnect(polkit->connection);
  for (guint i = 0; i < polkit->held->len; i++)
    g_clear_object(&polkit->held->pdata[i]);
  g_ptr_array_unref(polkit->held);
  g_ptr_array_unref(polkit->questions);
  g_free(polkit);
}

void
mock_polkit_set_mode(MockPolkit *polkit, MockPolkitMode mode)
{
  polkit->mode = mode;
}

void
mock_polkit_wait_for(MockPolkit *polkit, guint n)
{
  while (polkit->questions->len < n)
    g_main_context_iteration(NULL, TRUE);
}

guint
mock_polkit_n_questions(MockPolkit *polkit)
{
  return polkit->questions->len;
}

const char *
mock_polkit_question(MockPolkit *polkit, guint i)
{
  g_assert_cmpuint(i, <, polkit->questions->len);
  return polkit->questions->pdata[i];
}

void
mock_polkit_answer(MockPolkit *polkit, guint i, MockPolkitMode mode)
{
  g_assert_cmpuint(i, <, polkit->held->len);
  g_assert_nonnull(polkit->held->pdata[i]);
  answer(g_steal_pointer(&polkit->held->pdata[i]), mode);
}

void
mock_polkit_settle(MockPolkit *polkit)
{
  private_bus_settle(polkit->connection);
}
