/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The per-CPU lines of /proc/stat, in USER_HZ ticks (10 ms): free to read (no interrupt to the
 * other CPUs), but coarse. */
typedef struct {
  guint cpu;
  guint64 busy_ticks;  /* all but idle and iowait; stolen time counts as busy */
  guint64 total_ticks; /* guest time is in user time already, and not added again */
} EppdCpuTimes;

/* Parses "cpu3 user nice system idle iowait irq softirq steal guest guest_nice"; fields after idle
 * may be missing. False, and @times untouched, for any other line (the total's, "cpu ", too). */
bool eppd_cpu_times_parse(const char *line, EppdCpuTimes *times);

typedef void (*EppdCpuTimesFunc)(const EppdCpuTimes *times, gpointer data);

/* Opens /proc/stat; -1 with @error. Owned by the caller. */
int eppd_cpu_times_open(GError **error);

/* Reads @fd (/proc/stat, or a file like it) from its start up to the end of the CPU lines and calls
 * @func for each of them. EPPD_ERROR_INVALID where there was none. */
gboolean eppd_cpu_times_read(int fd, EppdCpuTimesFunc func, gpointer data, GError **error);
