/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/write-cost.h"

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
  EppdWriteCost write_cost; /* of EPP, whichever policy's */
} EppdStatistics;
