/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "residency/residency-source.h"

/* Which source, and why. */
typedef struct {
  EppdResidencySource *source; /* NULL: none works */
  /* Without the source's own name: "MPERF on the tick…", "…; not bpf: no BTF…; not perf: …" */
  char *reason;
} EppdSourceChoice;

/* Whether @wanted is a source's name: "auto", "bpf", "perf", "procstat", "trace:FILE" (real time;
 * live where FILE is a FIFO), "trace:virtual:FILE". */
gboolean eppd_source_select_is_valid(const char *wanted, GError **error);

/* Tries what @wanted allows, in the order bpf, perf, procstat for "auto", and takes the first whose
 * self-test passes. A source that is named is the only one tried. Never fails: source may be NULL,
 * reason is always set. May take seconds: call it from a thread. Owned by the caller. */
EppdSourceChoice *eppd_source_select(const char *wanted);

/* The first of @n candidates whose self-test passes, and why not those before it. Takes them all;
 * the others are freed. */
EppdSourceChoice *eppd_source_select_first(EppdResidencySource **candidates, guint n);

void eppd_source_choice_free(EppdSourceChoice *choice);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdSourceChoice, eppd_source_choice_free)
