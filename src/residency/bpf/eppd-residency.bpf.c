/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "eppd-residency.h"

/* Busy CPUs, seen from their own timer tick. Either the counters are read there (on_tick_mperf), or
 * the time not idle is added up (on_tick_idle, on_cpu_idle). The loader loads one of the two.
 *
 * Besides, and only while there are such holds, the time that applications run on a CPU
 * (on_switch_app, on_tick_app). */

#define CPU_IDLE_EXIT ((__u32)-1)

/* So deep below an application's cgroup its tasks are looked for. */
#define CGROUP_DEPTH_MAX 32

/* The kernel's, as far as they are read. */
#define KERNEL_TYPE __attribute__((preserve_access_index))

struct kernfs_node {
  __u64 id; /* the inode's number */
} KERNEL_TYPE;

struct cgroup_subsys_state {
  struct cgroup_subsys_state *parent;
} KERNEL_TYPE;

struct cgroup {
  struct cgroup_subsys_state self;
  struct kernfs_node *kn;
} KERNEL_TYPE;

struct css_set {
  struct cgroup *dfl_cgrp; /* in the v2 hierarchy */
} KERNEL_TYPE;

struct task_struct {
  struct css_set *cgroups;
} KERNEL_TYPE;

char bpf_license[] SEC("license") = "GPL";

volatile struct eppd_residency_config config;
volatile struct eppd_app_rules rules;

/* The loader gives these the size that the CPUs need. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct eppd_cpu_line);
} cpu_lines SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
  __uint(max_entries, 1);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, sizeof(__u32));
} mperf_events SEC(".maps"), tsc_events SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 4096);
} busy_events SEC(".maps");

/* The loader gives it the size that the CPUs need. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct eppd_app_line);
} app_lines SEC(".maps");

/* From an application's cgroup to its bit's number. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, EPPD_APPS_MAX);
  __type(key, __u64);
  __type(value, __u32);
} app_numbers SEC(".maps");

/* This CPU's line; NULL if it is not watched. @epoch stays what it was now, whatever user space
 * does meanwhile. */
static __always_inline struct eppd_cpu_line *
watched_line(__u32 *cpu, __u32 *epoch)
{
  struct eppd_cpu_line *line;

  *cpu = bpf_get_smp_processor_id();
  line = bpf_map_lookup_elem(&cpu_lines, cpu);
  if (!line)
    return NULL;
  *epoch = *(volatile __u32 *)&line->epoch;
  return *epoch ? line : NULL;
}

static __always_inline void
tell_busy(struct eppd_cpu_line *line, struct eppd_busy_event *event)
{
  line->last_busy_app = event->app;
  /* An exchange orders memory: user space clears the word and then reads the time, so that either
   * it sees this sample or the sample sees the word cleared. */
  __sync_lock_test_and_set(&line->last_busy_ns, event->when_ns);
  if (*(volatile __u32 *)&line->boosted)
    return;
  /* A full ring buffer is no loss: the next busy sample is sent as well. */
  bpf_ringbuf_output(&busy_events, event, sizeof *event, 0);
}

static __always_inline void
add_sample(struct eppd_cpu_line *line, __u32 cpu, __u32 epoch, __u64 now_ns, __u64 busy_permille)
{
  struct eppd_busy_event event = {
      .when_ns = now_ns,
      .epoch = epoch,
      .cpu = cpu,
      .busy_permille = busy_permille > 1000 ? 1000 : busy_permille,
  };

  line->busy_permille = event.busy_permille;
  line->sample_ns = now_ns;
  if (event.busy_permille >= config.threshold_permille)
    tell_busy(line, &event);
}

static __always_inline bool
read_counter(void *events, __u64 *counter)
{
  struct bpf_perf_event_value value;

  if (bpf_perf_event_read_value(events, BPF_F_CURRENT_CPU, &value, sizeof value))
    return false;
  *counter = value.counter;
  return true;
}

SEC("tp_btf/local_timer_entry")
int
on_tick_mperf(void *ctx)
{
  __u64 now_ns, window_ns, mperf, tsc, d_mperf, d_tsc;
  struct eppd_cpu_line *line;
  __u32 cpu, epoch;
  bool has_window;

  line = watched_line(&cpu, &epoch);
  if (!line)
    return 0;
  now_ns = bpf_ktime_get_ns();
  window_ns = now_ns - line->window_ns;
  has_window = line->seen_epoch == epoch;
  if (has_window && window_ns < config.min_window_ns)
    return 0;
  if (!read_counter(&mperf_events, &mperf) || !read_counter(&tsc_events, &tsc))
    return 0;

  d_mperf = mperf - line->mperf;
  d_tsc = tsc - line->tsc;
  has_window =
      has_window && window_ns <= config.max_window_ns && (__s64)d_mperf >= 0 && (__s64)d_tsc >= 0;
  /* A counter that stands still says nothing: the window goes on. */
  if (has_window && (d_mperf == 0 || d_tsc == 0))
    return 0;

  line->seen_epoch = epoch;
  line->window_ns = now_ns;
  line->mperf = mperf;
  line->tsc = tsc;
  if (has_window)
    add_sample(line, cpu, epoch, now_ns, d_mperf * 1000 / d_tsc);
  return 0;
}

/* The idle time that lies in the window, of a CPU that has been idle up to now. */
static __always_inline __u64
ongoing_idle_ns(const struct eppd_cpu_line *line, __u64 now_ns)
{
  if (line->idle_since_ns == 0)
    return 0;
  return now_ns - (line->idle_since_ns > line->window_ns ? line->idle_since_ns : line->window_ns);
}

SEC("tp_btf/local_timer_entry")
int
on_tick_idle(void *ctx)
{
  __u64 now_ns, window_ns, idle_ns;
  struct eppd_cpu_line *line;
  __u32 cpu, epoch;
  bool has_window;

  line = watched_line(&cpu, &epoch);
  if (!line)
    return 0;
  now_ns = bpf_ktime_get_ns();
  window_ns = now_ns - line->window_ns;
  has_window = line->seen_epoch == epoch;
  if (has_window && window_ns < config.min_window_ns)
    return 0;

  if (!has_window)
    line->idle_since_ns = 0; /* of an earlier arming */
  idle_ns = line->idle_ns + ongoing_idle_ns(line, now_ns);
  has_window = has_window && window_ns > 0 && window_ns <= config.max_window_ns;

  line->seen_epoch = epoch;
  line->window_ns = now_ns;
  line->idle_ns = 0;
  if (has_window)
    add_sample(line, cpu, epoch, now_ns,
               idle_ns < window_ns ? (window_ns - idle_ns) * 1000 / window_ns : 0);
  return 0;
}

SEC("tp_btf/cpu_idle")
int
BPF_PROG(on_cpu_idle, unsigned int state, unsigned int cpu_id)
{
  struct eppd_cpu_line *line;
  __u32 cpu, epoch;
  __u64 now_ns;

  line = watched_line(&cpu, &epoch);
  if (!line)
    return 0;
  now_ns = bpf_ktime_get_ns();
  if (state == CPU_IDLE_EXIT) {
    line->idle_ns += ongoing_idle_ns(line, now_ns);
    line->idle_since_ns = 0;
  } else {
    line->idle_since_ns = now_ns;
  }
  return 0;
}

/* ---- The time of applications ---- */

/* The applications that a task of @group belongs to, up the tree. */
static __always_inline __u64
find_apps(struct cgroup *group)
{
  __u64 apps = 0;

  for (int depth = 0; depth < CGROUP_DEPTH_MAX && group; depth++) {
    __u64 cgroup = BPF_CORE_READ(group, kn, id);
    __u32 *number = bpf_map_lookup_elem(&app_numbers, &cgroup);
    struct cgroup_subsys_state *parent = BPF_CORE_READ(group, self.parent);

    if (number)
      apps |= 1ULL << (*number % EPPD_APPS_MAX);
    group = parent ? (void *)parent - bpf_core_field_offset(struct cgroup, self) : NULL;
  }
  return apps;
}

/* Likewise, remembered: a cgroup keeps its place in the tree for life. */
static __always_inline __u64
apps_of(struct eppd_app_line *line, struct task_struct *task)
{
  struct cgroup *group = task->cgroups->dfl_cgrp;
  __u64 cgroup = group->kn->id;
  /* Numbers that follow each other come far apart (2^64 by the golden ratio). */
  __u32 place = (cgroup * 0x9E3779B97F4A7C15ULL) >> (64 - EPPD_KNOWN_CGROUPS_LOG2);

  if (line->known[place].cgroup != cgroup) {
    line->known[place].apps = find_apps(group);
    line->known[place].cgroup = cgroup;
  }
  return line->known[place].apps;
}

static __always_inline void
start_anew(struct eppd_app_line *line, __u32 generation)
{
  line->generation = generation;
  line->running = 0;
  line->ran = 0;
  line->window_ns = bpf_ktime_get_ns();
  for (int i = 0; i < EPPD_KNOWN_CGROUPS; i++)
    line->known[i].cgroup = 0;
}

/* This CPU's line; NULL while no application is watched. */
static __always_inline struct eppd_app_line *
app_line(void)
{
  __u32 cpu = bpf_get_smp_processor_id();
  struct eppd_app_line *line = bpf_map_lookup_elem(&app_lines, &cpu);
  __u32 generation = rules.generation;

  if (!line || generation == 0)
    return NULL;
  if (line->generation != generation)
    start_anew(line, generation);
  return line;
}

/* The number of the lowest bit of @apps, which has one: the bits below it, counted by sums of ever
 * more bits. Without a branch, of which the verifier would follow every way. */
static __always_inline __u32
lowest(__u64 apps)
{
  __u64 sums = (apps & -apps) - 1;

  sums -= sums >> 1 & 0x5555555555555555ULL;
  sums = (sums & 0x3333333333333333ULL) + (sums >> 2 & 0x3333333333333333ULL);
  sums = (sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
  return (sums * 0x0101010101010101ULL >> 56) % EPPD_APPS_MAX;
}

/* Adds the time up to now to those that ran. */
static __always_inline void
add_time(struct eppd_app_line *line, __u64 now_ns)
{
  __u64 apps = line->running;

  for (int i = 0; i < EPPD_APPS_MAX && apps; i++, apps &= apps - 1) {
    __u32 number = lowest(apps);

    if (!(line->ran & 1ULL << number))
      line->ran_ns[number] = 0;
    line->ran_ns[number] += now_ns - line->since_ns;
  }
  line->ran |= line->running;
  line->since_ns = now_ns;
}

/* Ends the window if it is long enough. One that was longer, over a sleep, has no other rule: none
 * of them ran meanwhile. */
static __always_inline void
end_window(struct eppd_app_line *line, __u64 now_ns)
{
  __u64 window_ns = now_ns - line->window_ns;
  __u64 apps = line->ran;
  struct eppd_cpu_line *cpu_line;
  __u32 cpu, epoch;

  if (window_ns < config.min_window_ns)
    return;
  line->window_ns = now_ns;
  line->ran = 0;
  cpu_line = watched_line(&cpu, &epoch);
  if (!cpu_line)
    return;

  for (int i = 0; i < EPPD_APPS_MAX && apps; i++, apps &= apps - 1) {
    __u32 number = lowest(apps);
    __u64 permille = line->ran_ns[number] * 1000 / window_ns;

    if (permille >= rules.threshold_permille[number]) {
      struct eppd_busy_event event = {
          .when_ns = now_ns,
          .app = rules.cgroup[number],
          .epoch = epoch,
          .cpu = cpu,
          .busy_permille = permille,
      };

      tell_busy(cpu_line, &event);
      return;
    }
  }
}

SEC("tp_btf/sched_switch")
int
BPF_PROG(on_switch_app, bool preempted, struct task_struct *prev, struct task_struct *next)
{
  struct eppd_app_line *line = app_line();
  __u64 running;
  __u64 now_ns;

  if (!line)
    return 0;
  running = apps_of(line, next);
  /* Most switches are between tasks of which none is watched, or of one application. */
  if (running == line->running)
    return 0;
  now_ns = bpf_ktime_get_ns();
  add_time(line, now_ns);
  line->running = running;
  end_window(line, now_ns);
  return 0;
}

/* Where nothing switches: a task that runs on, or that was moved into another cgroup meanwhile. */
SEC("tp_btf/local_timer_entry")
int
on_tick_app(void *ctx)
{
  struct eppd_app_line *line = app_line();
  __u64 now_ns;

  if (!line)
    return 0;
  now_ns = bpf_ktime_get_ns();
  add_time(line, now_ns);
  line->running = apps_of(line, bpf_get_current_task_btf());
  end_window(line, now_ns);
  return 0;
}
