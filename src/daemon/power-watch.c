/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/power-watch.h"

#include "base/log.h"
#include "daemon/event-source.h"
#include "daemon/upower.h"
#include "hardware/power-supply.h"
#include "policy/action-settings.h"
#include "policy/power-debounce.h"

struct _EppdPowerWatch {
  EppdSysRoot *root;
  EppdPowerWatchListener listener;
  gpointer data;
  EppdUPower *upower; /* NULL: not asked */
  bool upower_tells;  /* the source is UPower's */
  double battery_percent;
  EppdPowerDebounce debounce;
  gint64 wait_usec;
  GSource *timer_source; /* a change that waits */
};

static EppdPowerSource
read_source(EppdPowerWatch *watch)
{
  EppdPowerSource source;

  return watch->upower && eppd_upower_source(watch->upower, &source)
             ? source
             : eppd_power_supply_read(watch->root);
}

static void
tell_source(EppdPowerWatch *watch)
{
  eppd_info("power", "now on %s", eppd_power_source_text(watch->debounce.source));
  watch->listener.source_changed(watch->data);
}

void
eppd_power_watch_look(EppdPowerWatch *watch)
{
  gint64 next_usec = -1;
  bool follows = eppd_power_debounce_reading(&watch->debounce, read_source(watch), watch->wait_usec,
                                             g_get_monotonic_time(), &next_usec);

  g_source_set_ready_time(watch->timer_source, next_usec);
  if (follows)
    tell_source(watch);
}

static gboolean
on_timer(gpointer data)
{
  eppd_power_watch_look(data);
  return G_SOURCE_CONTINUE;
}

/* Another teller, not another source: there was no flap. */
static void
restart_and_tell(EppdPowerWatch *watch)
{
  EppdPowerSource before = watch->debounce.source;

  eppd_power_watch_restart(watch, watch->wait_usec);
  if (watch->debounce.source != before)
    tell_source(watch);
}

static void
on_upower_changed(gpointer data)
{
  EppdPowerWatch *watch = data;
  EppdPowerSource source;
  double percent = eppd_upower_battery_percent(watch->upower);

  if (percent != watch->battery_percent) {
    watch->battery_percent = percent;
    watch->listener.battery_changed(watch->data);
  }
  if (eppd_upower_source(watch->upower, &source) != watch->upower_tells)
    restart_and_tell(watch);
  else
    eppd_power_watch_look(watch);
}

void
eppd_power_watch_restart(EppdPowerWatch *watch, gint64 wait_usec)
{
  EppdPowerSource source;

  watch->wait_usec = wait_usec;
  watch->upower_tells = watch->upower && eppd_upower_source(watch->upower, &source);
  watch->debounce = (EppdPowerDebounce){.source = read_source(watch)};
  g_source_set_ready_time(watch->timer_source, -1);
}

EppdPowerSource
eppd_power_watch_source(const EppdPowerWatch *watch)
{
  return watch->debounce.source;
}

double
eppd_power_watch_battery_percent(const EppdPowerWatch *watch)
{
  return watch->battery_percent;
}

EppdPowerWatch *
eppd_power_watch_new(EppdSysRoot *root,
                     GDBusConnection *bus,
                     gint64 wait_usec,
                     const EppdPowerWatchListener *listener,
                     gpointer data)
{
  EppdPowerWatch *watch = g_new0(EppdPowerWatch, 1);

  watch->root = eppd_sys_root_ref(root);
  watch->listener = *listener;
  watch->data = data;
  watch->battery_percent = EPPD_BATTERY_UNKNOWN;
  watch->timer_source = eppd_event_source_timer(EPPD_PRIORITY_MACHINE, on_timer, watch);
  if (bus)
    watch->upower = eppd_upower_new(bus, on_upower_changed, watch);
  eppd_power_watch_restart(watch, wait_usec);
  return watch;
}

void
eppd_power_watch_free(EppdPowerWatch *watch)
{
  g_clear_pointer(&watch->upower, eppd_upower_free);
  eppd_event_source_clear(&watch->timer_source);
  eppd_sys_root_unref(watch->root);
  g_free(watch);
}
