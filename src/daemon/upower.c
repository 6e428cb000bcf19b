/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/upower.h"

#include "base/log.h"
#include "bus/peer.h"
#include "policy/action-settings.h"

#include <math.h>

#define TOPIC "upower"
#define NAME  "org.freedesktop.UPower"

typedef struct {
  bool has_source;
  EppdPowerSource source;
  double battery_percent;
} Known;

static const Known nothing_known = {.battery_percent = EPPD_BATTERY_UNKNOWN};

/* What of UPower we ask for. */
typedef struct {
  EppdPeerObject object;
  /* @properties: NULL where the object did not give them. */
  void (*read)(GVariant *properties, Known *known);
} Part;

typedef struct {
  EppdUPower *upower;
  const Part *part;
  bool is_asked;
  bool is_stale; /* it changed after it was asked */
} Subject;

#define N_PARTS 2

struct _EppdUPower {
  EppdPeer *peer;
  void (*changed)(gpointer data);
  gpointer data;
  Subject subjects[N_PARTS];
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

static const Part parts[N_PARTS] = {
    {{"/org/freedesktop/UPower", NAME}, read_manager},
    {{"/org/freedesktop/UPower/devices/DisplayDevice", NAME ".Device"}, read_display_device},
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
got_properties(GVariant *reply, GUnixFDList *fds, const GError *error, gpointer data)
{
  Subject *subject = data;
  g_autoptr(GVariant) properties = NULL;
  Known known;

  if (reply)
    properties = g_variant_get_child_value(reply, 0);
  else
    eppd_warning(TOPIC, "ignoring %s: %s", subject->part->object.path, error->message);

  subject->is_asked = false;
  if (subject->is_stale)
    ask(subject);
  known = subject->upower->known;
  subject->part->read(properties, &known);
  learn(subject->upower, known);
}

/* One question at a time, so that no answer can overtake a newer one. */
static void
ask(Subject *subject)
{
  const EppdPeerObject *asked = &subject->part->object;
  const EppdPeerObject properties = {asked->path, "org.freedesktop.DBus.Properties"};

  subject->is_stale = subject->is_asked;
  if (subject->is_asked)
    return;
  subject->is_asked = true;
  eppd_peer_ask(subject->upower->peer, &properties, "GetAll",
                g_variant_new("(s)", asked->interface), "(a{sv})", got_properties, subject);
}

/* What the signal carries is not looked at: asking is right for changed and invalidated properties
 * alike, and in any order with the answers. */
static void
on_changed(GVariant *parameters, gpointer data)
{
  ask(data);
}

static void
came(gpointer data)
{
  EppdUPower *upower = data;

  for (guint i = 0; i < N_PARTS; i++) {
    Subject *subject = &upower->subjects[i];

    subject->is_asked = false;
    eppd_peer_listen_for_properties(upower->peer, &subject->part->object, on_changed, subject);
    ask(subject);
  }
}

static void
left(gpointer data)
{
  learn(data, nothing_known);
}

EppdUPower *
eppd_upower_new(GDBusConnection *bus, void (*changed)(gpointer data), gpointer data)
{
  EppdUPower *upower = g_new0(EppdUPower, 1);

  upower->changed = changed;
  upower->data = data;
  upower->known = nothing_known;
  for (guint i = 0; i < N_PARTS; i++) {
    upower->subjects[i].upower = upower;
    upower->subjects[i].part = &parts[i];
  }
  upower->peer = eppd_peer_new(bus, TOPIC, NAME, came, left, upower);
  return upower;
}

void
eppd_upower_free(EppdUPower *upower)
{
  eppd_peer_free(upower->peer);
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
