/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/cpu-list.h"
#include "policy/app-rule.h"
#include "residency/bpf/eppd-residency.h"

/* The loaded BPF program, its maps and what feeds it. */
typedef struct _EppdBpfObject EppdBpfObject;

/* Loads the counters' program (@mperf) or the idle time's, and those for applications where the
 * kernel takes them; nothing is attached. Errors say what libbpf complained of first. libbpf's
 * messages never reach the terminal from here on. */
EppdBpfObject *eppd_bpf_object_load(bool mperf, GError **error);
void eppd_bpf_object_free(EppdBpfObject *object);

/* The mapped lines, one for each possible CPU number, shared with the program. */
struct eppd_cpu_line *eppd_bpf_object_lines(EppdBpfObject *object, guint *n_cpus);

/* Mapped as well: what is written is what the program's next tick reads. */
volatile struct eppd_residency_config *eppd_bpf_object_config(EppdBpfObject *object);

/* Opens @mperf_event and tsc of the msr PMU on each of @cpus for the program to read. CPUs that
 * can't be opened (offline) are left out; an error if that is all of them, or if there is no such
 * event (EPPD_ERROR_GONE). */
gboolean eppd_bpf_object_open_counters(EppdBpfObject *object,
                                       const EppdCpuList *cpus,
                                       const char *mperf_event,
                                       GError **error);
void eppd_bpf_object_close_counters(EppdBpfObject *object);

gboolean eppd_bpf_object_attach(EppdBpfObject *object, GError **error);
/* A program that runs at this moment may still finish. */
void eppd_bpf_object_detach(EppdBpfObject *object);

/* Why applications can't be told apart here; NULL if they can. Owned by @object. */
const char *eppd_bpf_object_apps_problem(const EppdBpfObject *object);

/* See eppd_app_watch_set(); ignored where applications can't be told apart. */
gboolean eppd_bpf_object_set_apps(EppdBpfObject *object,
                                  const EppdAppRule *rules,
                                  guint n_rules,
                                  GError **error);

/* Readable when there are events; owned by @object. */
int eppd_bpf_object_get_fd(EppdBpfObject *object);

/* Takes up to @max events, oldest first, in no system call; their number. */
guint eppd_bpf_object_take_events(EppdBpfObject *object, struct eppd_busy_event *events, guint max);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdBpfObject, eppd_bpf_object_free)
