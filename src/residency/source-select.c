/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/source-select.h"

#include "base/error.h"
#include "residency/bpf/bpf-source.h"
#include "residency/live-trace-source.h"
#include "residency/perf-source.h"
#include "residency/procstat-source.h"
#include "residency/trace-source.h"

#include <string.h>

#define TRACE         "trace:"
#define VIRTUAL_TRACE "trace:virtual:"

static EppdResidencySource *
new_bpf_source(void)
{
  return eppd_bpf_source_new(EPPD_BPF_AUTO, NULL);
}

/* In the order in which auto tries them. */
static const struct {
  const char *name;
  EppdResidencySource *(*new_source)(void);
} probes[] = {
    {"bpf", new_bpf_source},
    {"perf", eppd_perf_source_new},
    {"procstat", eppd_procstat_source_new},
};

/* The sources that @wanted allows; their number. */
static guint
make_candidates(const char *wanted, EppdResidencySource *candidates[G_N_ELEMENTS(probes)])
{
  guint n = 0;

  if (g_str_has_prefix(wanted, VIRTUAL_TRACE)) {
    candidates[n++] = eppd_trace_source_new(wanted + strlen(VIRTUAL_TRACE), true);
  } else if (g_str_has_prefix(wanted, TRACE)) {
    const char *path = wanted + strlen(TRACE);

    candidates[n++] = eppd_live_trace_source_is_for(path) ? eppd_live_trace_source_new(path)
                                                          : eppd_trace_source_new(path, false);
  } else {
    for (gsize i = 0; i < G_N_ELEMENTS(probes); i++) {
      if (strcmp(wanted, "auto") == 0 || strcmp(wanted, probes[i].name) == 0)
        candidates[n++] = probes[i].new_source();
    }
  }
  return n;
}

static bool
is_name(const char *wanted)
{
  if (g_str_has_prefix(wanted, VIRTUAL_TRACE))
    return wanted[strlen(VIRTUAL_TRACE)] != '\0';
  if (g_str_has_prefix(wanted, TRACE))
    return wanted[strlen(TRACE)] != '\0';
  for (gsize i = 0; i < G_N_ELEMENTS(probes); i++) {
    if (strcmp(wanted, probes[i].name) == 0)
      return true;
  }
  return strcmp(wanted, "auto") == 0;
}

gboolean
eppd_source_select_is_valid(const char *wanted, GError **error)
{
  if (wanted && is_name(wanted))
    return TRUE;
  g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID,
              "'%s' is no residency source: auto, bpf, perf, procstat, trace:FILE or "
              "trace:virtual:FILE",
              wanted ? wanted : "");
  return FALSE;
}

EppdSourceChoice *
eppd_source_select_first(EppdResidencySource **candidates, guint n)
{
  EppdSourceChoice *choice = g_new0(EppdSourceChoice, 1);
  g_autoptr(GString) others = g_string_new(NULL);
  g_autofree char *detail = NULL;

  for (guint i = 0; i < n; i++) {
    g_autoptr(EppdResidencySource) source = g_steal_pointer(&candidates[i]);
    g_autoptr(GError) error = NULL;

    if (choice->source)
      continue;
    if (eppd_residency_source_self_test(source, &detail, &error))
      choice->source = g_steal_pointer(&source);
    else
      g_string_append_printf(others, "; not %s: %s", eppd_residency_source_name(source),
                             error->message);
  }

  if (choice->source)
    choice->reason = g_strconcat(detail, others->str, NULL);
  else
    choice->reason = g_strconcat("no source works", others->str, NULL);
  return choice;
}

EppdSourceChoice *
eppd_source_select(const char *wanted)
{
  EppdResidencySource *candidates[G_N_ELEMENTS(probes)] = {NULL};
  g_autoptr(GError) error = NULL;

  if (!eppd_source_select_is_valid(wanted, &error)) {
    EppdSourceChoice *choice = g_new0(EppdSourceChoice, 1);

    choice->reason = g_strdup(error->message);
    return choice;
  }
  return eppd_source_select_first(candidates, make_candidates(wanted, candidates));
}

void
eppd_source_choice_free(EppdSourceChoice *choice)
{
  if (!choice)
    return;
  eppd_residency_source_free(choice->source);
  g_free(choice->reason);
  g_free(choice);
}
