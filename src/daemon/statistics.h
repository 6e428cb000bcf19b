/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* Counters since the start; plain, bumped where things happen, read by GetStatistics. */
typedef struct {
  guint64 samples; /* that reached user space */
  guint64 busy_edges;
  guint64 idle_edges;
  guint64 boost_writes;
  guint64 base_writes;
  guint64 write_errors;
  guint64 foreign_writes;
  guint64 arms;
  /* What an EPP write costs on this machine: the fastest seen, since a slower one may have been
   * preempted; and how many it was taken from. */
  gint64 epp_write_usec;
  guint64 epp_writes_timed;
} EppdStatistics;
