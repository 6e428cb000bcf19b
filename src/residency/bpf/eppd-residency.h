/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <linux/types.h>

/* What the BPF programs and their loader share. */

/* So many applications' cgroups are watched at a time: a bit each in a word. */
#define EPPD_APPS_MAX 64
/* The cgroups whose applications a CPU remembers. */
#define EPPD_KNOWN_CGROUPS_LOG2 4
#define EPPD_KNOWN_CGROUPS      (1 << EPPD_KNOWN_CGROUPS_LOG2)

/* One CPU: a cache line in an mmapped plain array (a per-CPU array can't be mapped). */
struct eppd_cpu_line {
  /* Written by user space: */
  __u32 epoch;   /* of the arming; 0: not watched */
  __u32 boosted; /* 1: busy samples are noted, and not sent */

  /* Written by the programs on that CPU; times are CLOCK_MONOTONIC. */
  __u64 last_busy_ns;  /* the latest busy sample, the core's or an application's */
  __u64 last_busy_app; /* that application's cgroup; 0: the core's own */
  __u64 sample_ns;     /* the latest sample of the core */
  __u32 busy_permille;
  __u32 seen_epoch; /* the epoch that the window belongs to */

  /* The programs' own: the window's beginning. */
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
  __u64 min_window_ns;      /* the first tick from here on ends a window */
  __u64 max_window_ns;      /* a longer window tells of the past */
  __u32 threshold_permille; /* of the core; more than 1000: never busy */
};

/* The applications that are watched. While user space writes them the generation is 0, and then one
 * that was not before. */
struct eppd_app_rules {
  __u32 generation;
  __u32 threshold_permille[EPPD_APPS_MAX];
  __u64 cgroup[EPPD_APPS_MAX];
};

/* Of one CPU, how long the applications ran there; the programs' own. Sets of applications are bits
 * of a word. */
struct eppd_app_line {
  __u64 running;   /* whose task runs now: several, where their cgroups lie in each other */
  __u64 since_ns;  /* and since when that counts */
  __u64 window_ns; /* the window's beginning */
  __u64 ran;       /* in the window */
  __u32 generation;
  struct {
    __u64 cgroup; /* of a task; 0: none */
    __u64 apps;
  } known[EPPD_KNOWN_CGROUPS];
  __u64 ran_ns[EPPD_APPS_MAX]; /* in the window, of those in @ran */
} __attribute__((aligned(64)));

/* A busy sample of a CPU that is not boosted. */
struct eppd_busy_event {
  __u64 when_ns;
  __u64 app; /* whose share it is, by its cgroup; 0: the core's */
  __u32 epoch;
  __u32 cpu;
  __u32 busy_permille;
};
