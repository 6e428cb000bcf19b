/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/residency-keeper.h"

#include "base/log.h"
#include "daemon/source-probe.h"

#include <malloc.h>

struct _EppdResidencyKeeper {
  void (*changed)(gpointer data);
  gpointer data;
  EppdSourceProbe *probe; /* NULL: not searching */
  EppdResidencySource *source;
  char *reason;
};

static void
set_source(EppdResidencyKeeper *keeper, EppdResidencySource *source, const char *reason)
{
  g_clear_pointer(&keeper->probe, eppd_source_probe_cancel);
  g_clear_pointer(&keeper->source, eppd_residency_source_free);
  keeper->source = source;
  g_free(keeper->reason);
  keeper->reason = g_strdup(reason);
}

static void
on_probed(EppdSourceChoice *choice, gpointer data)
{
  EppdResidencyKeeper *keeper = data;

  set_source(keeper, g_steal_pointer(&choice->source), choice->reason);
  eppd_source_choice_free(choice);
  /* Nothing needs as much memory as the start and this: what is free again goes back. */
  malloc_trim(0);
  eppd_info("residency", "%s: %s", eppd_residency_keeper_name(keeper), keeper->reason);
  keeper->changed(keeper->data);
}

void
eppd_residency_keeper_search(EppdResidencyKeeper *keeper, const char *wanted)
{
  set_source(keeper, NULL, "the sources are being tried");
  keeper->probe = eppd_source_probe_start(wanted, on_probed, keeper);
}

void
eppd_residency_keeper_drop(EppdResidencyKeeper *keeper, const char *why)
{
  set_source(keeper, NULL, why);
}

EppdResidencySource *
eppd_residency_keeper_source(const EppdResidencyKeeper *keeper)
{
  return keeper->source;
}

const char *
eppd_residency_keeper_name(const EppdResidencyKeeper *keeper)
{
  if (keeper->probe)
    return "probing";
  return keeper->source ? eppd_residency_source_name(keeper->source) : "none";
}

const char *
eppd_residency_keeper_reason(const EppdResidencyKeeper *keeper)
{
  return keeper->reason;
}

EppdResidencyKeeper *
eppd_residency_keeper_new(void (*changed)(gpointer data), gpointer data)
{
  EppdResidencyKeeper *keeper = g_new0(EppdResidencyKeeper, 1);

  keeper->changed = changed;
  keeper->data = data;
  keeper->reason = g_strdup("not looked for yet");
  return keeper;
}

void
eppd_residency_keeper_free(EppdResidencyKeeper *keeper)
{
  g_clear_pointer(&keeper->probe, eppd_source_probe_cancel);
  g_clear_pointer(&keeper->source, eppd_residency_source_free);
  g_free(keeper->reason);
  g_free(keeper);
}
