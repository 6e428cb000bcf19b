/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* An event of the kernel's msr PMU: "mperf", "aperf", "tsc". A virtual machine often has tsc alone.
 */
typedef struct {
  guint32 type;
  guint64 config;
} EppdMsrEvent;

/* Looks @name up in /sys/bus/event_source/devices/msr. EPPD_ERROR_GONE where the kernel has no such
 * PMU or event, which is also what a CPU without the counter looks like. */
gboolean eppd_msr_event_find(const char *name, EppdMsrEvent *event, GError **error);

/* Opens the counter of one CPU, for all that runs there, in the group of @group_fd (-1: it leads a
 * new one). A read of the leader gives a struct of PERF_FORMAT_GROUP. Returns a descriptor owned by
 * the caller, or -1 with @error: EPPD_ERROR_GONE for a CPU that is offline or has no such counter,
 * DENIED without CAP_PERFMON. */
int eppd_msr_event_open(const EppdMsrEvent *event, guint cpu, int group_fd, GError **error);
