/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/profile-client.h"

#include "ctl/output.h"

#include "base/printable.h"

#include <stdio.h>

#define PROFILES_NAME "org.freedesktop.UPower.PowerProfiles"
#define PROFILES_PATH "/org/freedesktop/UPower/PowerProfiles"

/* Longer than any message with a name in it. */
#define MESSAGE_MAX 4096

static const EppdRemote profiles = {PROFILES_NAME, PROFILES_PATH, PROFILES_NAME};
static const EppdRemote properties = {PROFILES_NAME, PROFILES_PATH,
                                      "org.freedesktop.DBus.Properties"};

static GVariant *
call(EppdClient *client,
     const EppdRemote *remote,
     const char *method,
     GVariant *parameters,
     const char *reply_type,
     GError **error)
{
  return eppd_client_call_remote(client, remote, method, parameters, reply_type,
                                 G_DBUS_CALL_FLAGS_NONE, EPPD_CALL_TIMEOUT_MS, error);
}

GVariant *
eppd_profile_client_get(EppdClient *client, const char *property, const char *type, GError **error)
{
  g_autoptr(GVariant) reply = NULL;
  g_autoptr(GVariant) value = NULL;

  reply = call(client, &properties, "Get", g_variant_new("(ss)", PROFILES_NAME, property), "(v)",
               error);
  if (!reply)
    return NULL;
  g_variant_get(reply, "(v)", &value);
  if (!g_variant_is_of_type(value, G_VARIANT_TYPE(type))) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s is of type %s, not %s", property,
                g_variant_get_type_string(value), type);
    return NULL;
  }
  return g_steal_pointer(&value);
}

GVariant *
eppd_profile_client_properties(EppdClient *client, GError **error)
{
  g_autoptr(GVariant) reply = NULL;

  reply =
      call(client, &properties, "GetAll", g_variant_new("(s)", PROFILES_NAME), "(a{sv})", error);
  return reply ? g_variant_get_child_value(reply, 0) : NULL;
}

gboolean
eppd_profile_client_set(EppdClient *client, const char *property, GVariant *value, GError **error)
{
  g_autoptr(GVariant) reply = NULL;

  reply = call(client, &properties, "Set", g_variant_new("(ssv)", PROFILES_NAME, property, value),
               "()", error);
  return reply != NULL;
}

GVariant *
eppd_profile_client_call(EppdClient *client,
                         const char *method,
                         GVariant *parameters,
                         const char *reply_type,
                         GError **error)
{
  return call(client, &profiles, method, parameters, reply_type, error);
}

int
eppd_profile_client_fail(const GError *error)
{
  g_autofree char *message = eppd_printable(error->message, MESSAGE_MAX);

  fprintf(stderr, "Failed to communicate with power-profiles-daemon: %s: %s (%d)\n",
          g_quark_to_string(error->domain), message, error->code);
  return EPPD_EXIT_FAILURE;
}

int
eppd_profile_client_refuse(const char *message)
{
  g_autofree char *printable = eppd_printable(message, MESSAGE_MAX);

  fprintf(stderr, "Error: %s\n", printable);
  return EPPD_EXIT_FAILURE;
}
