/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/power-profiles.h"

#include "daemon/bus-object.h"
#include "daemon/profile-views.h"

#include "build-config.h"

#define ACTION_PREFIX                  EPPD_POWER_PROFILES_MODERN_NAME "."
#define ACTION_SWITCH_PROFILE          ACTION_PREFIX "switch-profile"
#define ACTION_HOLD_PROFILE            ACTION_PREFIX "hold-profile"
#define ACTION_CONFIGURE_ACTION        ACTION_PREFIX "configure-action"
#define ACTION_CONFIGURE_BATTERY_AWARE ACTION_PREFIX "configure-battery-aware"

/* A hold remembers by its index which one it came by. */
typedef enum { FACE_MODERN, FACE_LEGACY, N_FACES } FaceIndex;

typedef struct {
  EppdPowerProfiles *self;
  FaceIndex index;
  EppdBusObject *object;
} Face;

struct _EppdPowerProfiles {
  EppdController *controller; /* NULL: not yet, or no more */
  Face faces[N_FACES];
};

static EppdProfileKeeper *
keeper_of(const Face *face)
{
  return eppd_profile_control_keeper(eppd_controller_profiles(face->self->controller));
}

/* ---- properties ---- */

static GVariant *
get_property(const char *name, gpointer data)
{
  const Face *face = data;
  EppdProfileControl *profiles = eppd_controller_profiles(face->self->controller);

  if (g_str_equal(name, "ActiveProfile"))
    return g_variant_new_string(eppd_profile_text(eppd_profile_control_profile(profiles)));
  if (g_str_equal(name, "PerformanceInhibited"))
    return g_variant_new_string("");
  if (g_str_equal(name, "PerformanceDegraded"))
    return eppd_profile_views_degraded(profiles);
  if (g_str_equal(name, "Profiles"))
    return eppd_profile_views_profiles(profiles);
  if (g_str_equal(name, "Actions"))
    return eppd_profile_views_actions(profiles);
  if (g_str_equal(name, "ActionsInfo"))
    return eppd_profile_views_actions_info(profiles);
  if (g_str_equal(name, "ActiveProfileHolds"))
    return eppd_profile_views_holds(profiles);
  if (g_str_equal(name, "Version"))
    return g_variant_new_string(EPPD_VERSION);
  if (g_str_equal(name, "BatteryAware"))
    return g_variant_new_boolean(eppd_profile_keeper_battery_aware(keeper_of(face)));
  g_return_val_if_reached(NULL);
}

/* ---- what needs leave ---- */

/* The value of a write that waited in the queue. */
static GVariant *
written_value(GDBusMethodInvocation *invocation)
{
  GVariant *value;

  g_variant_get(g_dbus_method_invocation_get_parameters(invocation), "(ssv)", NULL, NULL, &value);
  return value;
}

static void
on_set_active_profile(const EppdCaller *caller, GDBusMethodInvocation *invocation, gpointer data)
{
  Face *face = data;
  g_autoptr(GVariant) value = written_value(invocation);
  GError *error = NULL;

  if (eppd_profile_keeper_select(keeper_of(face), g_variant_get_string(value, NULL), &error))
    g_dbus_method_invocation_return_value(invocation, NULL);
  else
    eppd_bus_object_return_error(invocation, error);
}

static void
on_set_battery_aware(const EppdCaller *caller, GDBusMethodInvocation *invocation, gpointer data)
{
  Face *face = data;
  g_autoptr(GVariant) value = written_value(invocation);

  eppd_profile_control_set_battery_aware(eppd_controller_profiles(face->self->controller),
                                         g_variant_get_boolean(value));
  g_dbus_method_invocation_return_value(invocation, NULL);
}

static void
set_property(const char *name, GVariant *value, GDBusMethodInvocation *invocation, gpointer data)
{
  Face *face = data;

  if (g_str_equal(name, "ActiveProfile"))
    eppd_bus_object_push(face->object, invocation, ACTION_SWITCH_PROFILE, on_set_active_profile);
  else
    eppd_bus_object_push(face->object, invocation, ACTION_CONFIGURE_BATTERY_AWARE,
                         on_set_battery_aware);
}

static void
on_hold_profile(const EppdCaller *caller, GDBusMethodInvocation *invocation, gpointer data)
{
  Face *face = data;
  const char *profile;
  const char *reason;
  const char *app_id;
  GError *error = NULL;
  guint32 cookie;

  g_variant_get(g_dbus_method_invocation_get_parameters(invocation), "(&s&s&s)", &profile, &reason,
                &app_id);
  if (eppd_profile_keeper_hold(keeper_of(face), caller->name, caller->uid, profile, reason, app_id,
                               face->index, &cookie, &error))
    g_dbus_method_invocation_return_value(invocation, g_variant_new("(u)", cookie));
  else
    eppd_bus_object_return_error(invocation, error);
}

static void
on_release_profile(const EppdCaller *caller, GDBusMethodInvocation *invocation, gpointer data)
{
  Face *face = data;
  GError *error = NULL;
  guint32 cookie;

  g_variant_get(g_dbus_method_invocation_get_parameters(invocation), "(u)", &cookie);
  if (eppd_profile_keeper_release(keeper_of(face), cookie, caller->name, &error))
    g_dbus_method_invocation_return_value(invocation, NULL);
  else
    eppd_bus_object_return_error(invocation, error);
}

static void
on_set_action_enabled(const EppdCaller *caller, GDBusMethodInvocation *invocation, gpointer data)
{
  Face *face = data;
  GError *error = NULL;
  const char *name;
  gboolean enabled;

  g_variant_get(g_dbus_method_invocation_get_parameters(invocation), "(&sb)", &name, &enabled);
  if (eppd_profile_control_set_action_enabled(eppd_controller_profiles(face->self->controller),
                                              name, enabled, &error))
    g_dbus_method_invocation_return_value(invocation, NULL);
  else
    eppd_bus_object_return_error(invocation, error);
}

static void
call(const char *method, GDBusMethodInvocation *invocation, gpointer data)
{
  Face *face = data;

  if (g_str_equal(method, "HoldProfile"))
    eppd_bus_object_push(face->object, invocation, ACTION_HOLD_PROFILE, on_hold_profile);
  else if (g_str_equal(method, "ReleaseProfile"))
    eppd_bus_object_push(face->object, invocation, NULL, on_release_profile);
  else
    eppd_bus_object_push(face->object, invocation, ACTION_CONFIGURE_ACTION, on_set_action_enabled);
}

/* ---- news ---- */

void
eppd_power_profiles_changed(EppdPowerProfiles *self)
{
  for (guint i = 0; i < N_FACES; i++)
    eppd_bus_object_changed(self->faces[i].object);
}

void
eppd_power_profiles_released(EppdPowerProfiles *self, const EppdProfileHold *hold)
{
  eppd_bus_object_emit(self->faces[hold->via].object, hold->owner, "ProfileReleased",
                       g_variant_new("(u)", hold->cookie));
}

/* ---- life ---- */

void
eppd_power_profiles_set_controller(EppdPowerProfiles *self, EppdController *controller)
{
  self->controller = controller;
  for (guint i = 0; i < N_FACES; i++) {
    if (controller)
      eppd_bus_object_open(self->faces[i].object);
    else
      eppd_bus_object_close(self->faces[i].object);
  }
}

EppdPowerProfiles *
eppd_power_profiles_new(GDBusConnection *bus,
                        EppdClients *clients,
                        EppdRequestQueue *queue,
                        GError **error)
{
  static const EppdBusObjectClass class = {
      .get_property = get_property, .call = call, .set_property = set_property};
  static const struct {
    const char *path;
    const char *name;
  } places[N_FACES] = {
      [FACE_MODERN] = {"/org/freedesktop/UPower/PowerProfiles", EPPD_POWER_PROFILES_MODERN_NAME},
      [FACE_LEGACY] = {"/net/hadess/PowerProfiles", EPPD_POWER_PROFILES_LEGACY_NAME},
  };
  EppdPowerProfiles *self = g_new0(EppdPowerProfiles, 1);

  for (FaceIndex i = 0; i < N_FACES; i++) {
    Face *face = &self->faces[i];

    face->self = self;
    face->index = i;
    face->object = eppd_bus_object_new(bus, places[i].path, places[i].name, clients, queue, &class,
                                       face, error);
    if (!face->object) {
      eppd_power_profiles_free(self);
      return NULL;
    }
  }
  return self;
}

void
eppd_power_profiles_free(EppdPowerProfiles *self)
{
  for (guint i = 0; i < N_FACES; i++)
    g_clear_pointer(&self->faces[i].object, eppd_bus_object_free);
  g_free(self);
}
