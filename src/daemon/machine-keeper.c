/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/machine-keeper.h"

#include "daemon/event-source.h"
#include "daemon/machine-watch.h"
#include "policy/rescan-schedule.h"

#include <string.h>

struct _EppdMachineKeeper {
  EppdMachine *machine;
  EppdKernelSettings *kernel;
  EppdMachineKeeperListener listener;
  gpointer data;
  EppdMachineWatch *watch;
  GSource *look_source;
  EppdRescanSchedule rescan;
  bool may_be_new; /* …and policies that look the same may have been made anew */
};

/* Not from within a dispatch of the booster, which a fresh look may free. */
static void
look_soon(EppdMachineKeeper *keeper)
{
  g_source_set_ready_time(keeper->look_source, 0);
}

/* For a rescan that waits; what is to be looked at earlier stays so. */
static void
look_later(EppdMachineKeeper *keeper)
{
  if (g_source_get_ready_time(keeper->look_source) != 0)
    g_source_set_ready_time(keeper->look_source, eppd_rescan_schedule_next_usec(&keeper->rescan));
}

/* ---- news ---- */

void
eppd_machine_keeper_note_news(EppdMachineKeeper *keeper, bool may_be_new)
{
  keeper->may_be_new |= may_be_new;
  look_soon(keeper);
}

void
eppd_machine_keeper_note_hotplug(EppdMachineKeeper *keeper, const char *name)
{
  guint64 cpu;

  /* A CPU that goes and comes back between two looks would seem never to have gone. */
  if (name && g_str_has_prefix(name, "cpu") &&
      g_ascii_string_to_unsigned(name + strlen("cpu"), 10, 0, EPPD_CPU_MAX - 1, &cpu, NULL))
    eppd_machine_note_hotplug(keeper->machine, (guint)cpu);
  eppd_rescan_schedule_hotplug(&keeper->rescan, g_get_monotonic_time());
  look_later(keeper);
}

void
eppd_machine_keeper_note_sleep(EppdMachineKeeper *keeper)
{
  keeper->may_be_new = true;
}

static void
on_watch(bool mode_changed, gpointer data)
{
  eppd_machine_keeper_note_news(data, mode_changed);
}

static gboolean
on_look(gpointer data)
{
  EppdMachineKeeper *keeper = data;
  gint64 start_usec = g_get_monotonic_time();

  keeper->listener.look(keeper->data);
  eppd_rescan_schedule_rest(&keeper->rescan, start_usec, g_get_monotonic_time());
  if (keeper->rescan.is_due)
    look_later(keeper);
  return G_SOURCE_CONTINUE;
}

/* ---- looks ---- */

static bool
rescan(EppdMachineKeeper *keeper)
{
  bool all_new = eppd_machine_watch_take_news(keeper->watch) || keeper->may_be_new;
  bool found_new;

  eppd_rescan_schedule_done(&keeper->rescan);
  keeper->may_be_new = false;
  keeper->listener.disarm(keeper->data);
  found_new = eppd_machine_rescan(keeper->machine, all_new);
  /* Files that were made anew want a new watch. It is followed by a look: not for one that comes to
   * nothing, again and again. */
  if (found_new || !eppd_machine_needs_rescan(keeper->machine))
    eppd_machine_watch_reset(keeper->watch);
  return found_new;
}

/* The global switch of dynamic EPP, where it is on. */
static void
take_over_dynamic_epp(EppdMachineKeeper *keeper)
{
  if (!eppd_machine_amd_pstate(keeper->machine)->dynamic_epp_on)
    return;
  /* It makes all policies anew: what is boosted is put back before. */
  keeper->listener.disarm(keeper->data);
  keeper->may_be_new |= eppd_kernel_settings_take_over_dynamic_epp(keeper->kernel);
}

static bool
is_ready(const EppdMachineKeeper *keeper)
{
  return eppd_rescan_schedule_is_ready(&keeper->rescan, g_get_monotonic_time());
}

static bool
rescan_if_ready(EppdMachineKeeper *keeper, bool take_over)
{
  if (take_over)
    take_over_dynamic_epp(keeper);
  if (eppd_machine_needs_rescan(keeper->machine))
    eppd_rescan_schedule_need(&keeper->rescan);
  return (is_ready(keeper) || keeper->may_be_new) && rescan(keeper);
}

bool
eppd_machine_keeper_look(EppdMachineKeeper *keeper, bool take_over)
{
  /* A rescan reads the policies itself. */
  keeper->may_be_new |= is_ready(keeper) ? eppd_machine_refresh_mode(keeper->machine)
                                         : eppd_machine_refresh(keeper->machine);
  return rescan_if_ready(keeper, take_over);
}

bool
eppd_machine_keeper_begin(EppdMachineKeeper *keeper, bool take_over)
{
  return rescan_if_ready(keeper, take_over);
}

void
eppd_machine_keeper_look_at_mode(EppdMachineKeeper *keeper, bool take_over)
{
  keeper->may_be_new |= eppd_machine_refresh_mode(keeper->machine);
  eppd_rescan_schedule_hurry(&keeper->rescan);
  if (rescan_if_ready(keeper, take_over))
    look_soon(keeper);
}

void
eppd_machine_keeper_look_anew(EppdMachineKeeper *keeper, bool take_over)
{
  eppd_kernel_settings_try_again(keeper->kernel);
  if (!take_over)
    keeper->may_be_new |= eppd_kernel_settings_release_dynamic_epp(keeper->kernel);
  eppd_rescan_schedule_need(&keeper->rescan);
  eppd_rescan_schedule_hurry(&keeper->rescan);
  eppd_machine_keeper_look(keeper, take_over);
}

void
eppd_machine_keeper_update(EppdMachineKeeper *keeper, bool has_failed)
{
  eppd_machine_watch_update(keeper->watch,
                            has_failed || eppd_machine_needs_rescan(keeper->machine));
}

/* ---- life ---- */

EppdMachineKeeper *
eppd_machine_keeper_new(EppdMachine *machine,
                        EppdKernelSettings *kernel,
                        const EppdMachineKeeperListener *listener,
                        gpointer data)
{
  EppdMachineKeeper *keeper = g_new0(EppdMachineKeeper, 1);

  keeper->machine = machine;
  keeper->kernel = kernel;
  keeper->listener = *listener;
  keeper->data = data;
  keeper->watch = eppd_machine_watch_new(machine, on_watch, keeper);
  keeper->look_source = eppd_event_source_timer(EPPD_PRIORITY_MACHINE, on_look, keeper);
  return keeper;
}

void
eppd_machine_keeper_free(EppdMachineKeeper *keeper)
{
  eppd_event_source_clear(&keeper->look_source);
  eppd_machine_watch_free(keeper->watch);
  g_free(keeper);
}
