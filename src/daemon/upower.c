/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/upower.h"

#include "base/log.h"
#include "policy/action-settings.h"

#include <math.h>

#define UPOWER_NAME "org.freedesktop.UPower"

typedef struct {
  bool has_source;
  EppdPowerSource source;
  double battery_percent;
} Known;

static const Known nothing_known = {.battery_percent = EPPD_BATTERY_UNKNOWN};

/* One of UPower's objects that we ask. */
typedef struct {
  const char *path;
  const char *interface;
  /* @properties: NULL where the object did not give them. */
  void (*read)(GVariant *properties, Known *known);
} Object;

typedef struct {
  EppdUPower *upower;
  const Object *object;
  guint signal_id;
  bool is_asked;
  bool is_stale; /* it changed after it was asked */
} Subject;

#define N_OBJECTS 2

struct _EppdUPower {
  GDBusConnection *bus;
  void (*changed)(gpointer data);
  gpointer data;
  guint watch_id;
  /* Of the one who has the name now; both NULL while nobody has. Everything goes by its unique
   * name: so nobody else's signal is taken for UPower's, and no call can start it. */
  char *owner;
  GCancellable *cancellable;
  Subject subjects[N_OBJECTS];
  Known known;
};

static void
read_manager(GVariant *properties, Known *known)
{
  gboolean on_battery = FALSE;

  known->has_source = properties && g_variant_lookup(properties, "OnBattery", "b", &on_battery);
  known->source = on_battery ? EPPD_POWER_SOURCE_BATTERY : EPPD_POWER_SOURCE_AC;
}

static void
read_display_device(GVariant *properties, Known *known)
{
  gboolean is_present = FALSE;
  double percent = EPPD_BATTERY_UNKNOWN;

  known->battery_percent = EPPD_BATTERY_UNKNOWN;
  if (!properties || !g_variant_lookup(properties, "IsPresent", "b", &is_present) || !is_present)
    return;
  /* Worn batteries are seen to report somewhat more than full. */
  if (g_variant_lookup(properties, "Percentage", "d", &percent) && isfinite(percent) &&
      percent >= 0)
    known->battery_percent = MIN(percent, 100);
}

static const Object objects[N_OBJECTS] = {
    {"/org/freedesktop/UPower", "org.freedesktop.UPower", read_manager},
    {"/org/freedesktop/UPower/devices/DisplayDevice", "org.freedesktop.UPower.Device",
     read_display_device},
};

static bool
known_equal(const Known *a, const Known *b)
{
  return a->has_source == b->has_source && (!a->has_source || a->source == b->source) &&
         a->battery_percent == b->battery_percent;
}

/* The last thing a caller does: the listener may free us. */
static void
learn(EppdUPower *upower, Known known)
{
  bool is_same = known_equal(&upower->known, &known);

  upower->known = known;
  if (!is_same)
    upower->changed(upower->data);
}

static void ask(Subject *subject);

static void
got_properties(GObject *source, GAsyncResult *result, gpointer data)
{
  Subject *subject = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply =
      g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
  g_autoptr(GVariant) properties = NULL;
  Known known;

  /* Cancelled by us: the subject may be gone. A remote error can carry the same code. */
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED) &&
      !g_dbus_error_is_remote_error(error))
    return;

  if (reply)
    properties = g_variant_get_child_value(reply, 0);
  else
    eppd_warning("upower", "ignoring %s: %s", subject->object->path, error->message);

  subject->is_asked = false;
  if (subject->is_stale)
    ask(subject);
  known = subject->upower->known;
  subject->object->read(properties, &known);
  learn(subject->upower, known);
}

/* One question at a time, so that no answer can overtake a newer one. */
static void
ask(Subject *subject)
{
  EppdUPower *upower = subject->upower;

  subject->is_stale = subject->is_asked;
  if (subject->is_asked)
    return;
  subject->is_asked = true;
  g_dbus_connection_call(
      upower->bus, upower->owner, subject->object->path, "org.freedesktop.DBus.Properties",
      "GetAll", g_variant_new("(s)", subject->object->interface), G_VARIANT_TYPE("(a{sv})"),
      G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, upower->cancellable, got_properties, subject);
}

/* What the signal carries is not looked at: asking is right for changed and invalidated properties
 * alike, and in any order with the answers. */
static void
properties_changed(GDBusConnection *bus,
                   const char *sender,
                   const char *path,
                   const char *interface,
                   const char *signal,
                   GVariant *parameters,
                   gpointer data)
{
  ask(data);
}

static void
came(GDBusConnection *bus, const char *name, const char *owner, gpointer data)
{
  EppdUPower *upower = data;

  eppd_info("upower", "it is there");
  upower->owner = g_strdup(owner);
  upower->cancellable = g_cancellable_new();
  for (guint i = 0; i < N_OBJECTS; i++) {
    Subject *subject = &upower->subjects[i];

    subject->signal_id = g_dbus_connection_signal_subscribe(
        upower->bus, owner, "org.freedesktop.DBus.Properties", "PropertiesChanged",
        subject->object->path, subject->object->interface, G_DBUS_SIGNAL_FLAGS_NONE,
        properties_changed, subject, NULL);
    ask(subject);
  }
}

static void
forget_owner(EppdUPower *upower)
{
  if (!upower->owner)
    return;
  g_cancellable_cancel(upower->cancellable);
  g_clear_object(&upower->cancellable);
  g_clear_pointer(&upower->owner, g_free);
  for (guint i = 0; i < N_OBJECTS; i++) {
    Subject *subject = &upower->subjects[i];

    g_dbus_connection_signal_unsubscribe(upower->bus, subject->signal_id);
    subject->is_asked = false;
    subject->is_stale = false;
  }
}

static void
left(GDBusConnection *bus, const char *name, gpointer data)
{
  EppdUPower *upower = data;

  if (upower->owner)
    eppd_info("upower", "it has left");
  forget_owner(upower);
  learn(upower, nothing_known);
}

EppdUPower *
eppd_upower_new(GDBusConnection *bus, void (*changed)(gpointer data), gpointer data)
{
  EppdUPower *upower = g_new0(EppdUPower, 1);

  upower->bus = g_object_ref(bus);
  upower->changed = changed;
  upower->data = data;
  upower->known = nothing_known;
  for (guint i = 0; i < N_OBJECTS; i++) {
    upower->subjects[i].upower = upower;
    upower->subjects[i].object = &objects[i];
  }
  upower->watch_id = g_bus_watch_name_on_connection(bus, UPOWER_NAME, G_BUS_NAME_WATCHER_FLAGS_NONE,
                                                    came, left, upower, NULL);
  return upower;
}

void
eppd_upower_free(EppdUPower *upower)
{
  g_bus_unwatch_name(upower->watch_id);
  forget_owner(upower);
  g_object_unref(upower->bus);
  g_free(upower);
}

bool
eppd_upower_source(const EppdUPower *upower, EppdPowerSource *source)
{
  if (!upower->known.has_source)
    return false;
  *source = upower->known.source;
  return true;
}

double
eppd_upower_battery_percent(const EppdUPower *upower)
{
  return upower->known.battery_percent;
}
