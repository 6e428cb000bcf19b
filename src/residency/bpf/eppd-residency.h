/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <linux/types.h>

/* What the BPF program and its loader share. */

/* One CPU: a cache line in an mmapped plain array (a per-CPU array can't be mapped). */
struct eppd_cpu_line {
  /* Written by user space: */
  __u32 epoch;   /* of the arming; 0: not watched */
  __u32 boosted; /* 1: busy samples are noted, and not sent */

  /* Written by the program on that CPU; times are CLOCK_MONOTONIC. */
  __u64 last_busy_ns; /* the latest busy sample */
  __u64 sample_ns;    /* the latest sample */
  __u32 busy_permille;
  __u32 seen_epoch; /* the epoch that the window belongs to */

  /* The program's own: the window's beginning. */
  __u64 window_ns;
  union {
    struct {
      __u64 mperf;
      __u64 tsc;
    };
    struct {
      __u64 idle_ns;       /* idle time in the window that has ended */
      __u64 idle_since_ns; /* 0: not idle now */
    };
  };
} __attribute__((aligned(64)));

/* Written by user space at any time. */
struct eppd_residency_config {
  __u64 min_window_ns; /* the first tick from here on ends a window */
  __u64 max_window_ns; /* a longer window tells of the past */
  __u32 threshold_permille;
};

/* A busy sample of a CPU that is not boosted. */
struct eppd_busy_event {
  __u64 when_ns;
  __u32 epoch;
  __u32 cpu;
  __u32 busy_permille;
};
