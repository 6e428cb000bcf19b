/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/power-watch.h"

#include "base/log.h"
#include "daemon/event-source.h"
#include "hardware/power-supply.h"
#include "policy/power-debounce.h"

struct _EppdPowerWatch {
  EppdSysRoot *root;
  void (*changed)(gpointer data);
  gpointer data;
  EppdPowerDebounce debounce;
  gint64 wait_usec;
  GSource *timer_source; /* a change that waits */
};

void
eppd_power_watch_look(EppdPowerWatch *watch, gint64 wait_usec)
{
  EppdPowerSource source = eppd_power_supply_read(watch->root);
  gint64 next_usec = -1;
  bool follows;

  watch->wait_usec = wait_usec;
  follows = eppd_power_debounce_reading(&watch->debounce, source, wait_usec, g_get_monotonic_time(),
                                        &next_usec);
  g_source_set_ready_time(watch->timer_source, next_usec);
  if (!follows)
    return;
  eppd_info("power", "now on %s", eppd_power_source_text(watch->debounce.source));
  watch->changed(watch->data);
}

static gboolean
on_timer(gpointer data)
{
  EppdPowerWatch *watch = data;

  eppd_power_watch_look(watch, watch->wait_usec);
  return G_SOURCE_CONTINUE;
}

void
eppd_power_watch_restart(EppdPowerWatch *watch)
{
  watch->debounce = (EppdPowerDebounce){.source = eppd_power_supply_read(watch->root)};
  g_source_set_ready_time(watch->timer_source, -1);
}

EppdPowerSource
eppd_power_watch_source(const EppdPowerWatch *watch)
{
  return watch->debounce.source;
}

EppdPowerWatch *
eppd_power_watch_new(EppdSysRoot *root, void (*changed)(gpointer data), gpointer data)
{
  EppdPowerWatch *watch = g_new0(EppdPowerWatch, 1);

  watch->root = eppd_sys_root_ref(root);
  watch->changed = changed;
  watch->data = data;
  watch->timer_source = eppd_event_source_timer(EPPD_PRIORITY_MACHINE, on_timer, watch);
  eppd_power_watch_restart(watch);
  return watch;
}

void
eppd_power_watch_free(EppdPowerWatch *watch)
{
  eppd_event_source_clear(&watch->timer_source);
  eppd_sys_root_unref(watch->root);
  g_free(watch);
}
