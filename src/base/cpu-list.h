/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* A sorted set of CPU numbers, as in the kernel's lists: "0-3,8". */
typedef struct {
  guint *cpus; /* ascending, without duplicates */
  guint n_cpus;
} EppdCpuList;

/* CPU numbers from here on are refused: the kernel's own largest NR_CPUS is 8192. */
#define EPPD_CPU_MAX 8192

/* Parses "0-3,8" or "0 1 2 8" (cpufreq's own files separate by spaces). Empty text is the empty
 * set. False, and @list untouched, for anything else or a number past EPPD_CPU_MAX - 1. What @list
 * held before is overwritten, not freed. */
bool eppd_cpu_list_parse(const char *text, EppdCpuList *list);

/* "0-3,8"; "" for the empty set. Owned by the caller. */
char *eppd_cpu_list_format(const EppdCpuList *list);

bool eppd_cpu_list_contains(const EppdCpuList *list, guint cpu);

/* Adds one CPU, wherever it belongs; no change if it is there, or past EPPD_CPU_MAX - 1. */
void eppd_cpu_list_add(EppdCpuList *list, guint cpu);

/* Makes @copy, whatever it was, a copy of @list. */
void eppd_cpu_list_copy(const EppdCpuList *list, EppdCpuList *copy);

/* Frees what @list holds and makes it the empty set. */
void eppd_cpu_list_clear(EppdCpuList *list);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(EppdCpuList, eppd_cpu_list_clear)
