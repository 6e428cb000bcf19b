/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "eppd-residency.h"

/* Busy CPUs, seen from their own timer tick. Either the counters are read there (on_tick_mperf), or
 * the time not idle is added up (on_tick_idle, on_cpu_idle). The loader loads one of the two. */

#define CPU_IDLE_EXIT ((__u32)-1)

char bpf_license[] SEC("license") = "GPL";

volatile struct eppd_residency_config config;

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
  if (event.busy_permille < config.threshold_permille)
    return;

  /* An exchange orders memory: user space clears the word and then reads the time, so that either
   * it sees this sample or the sample sees the word cleared. */
  __sync_lock_test_and_set(&line->last_busy_ns, now_ns);
  if (*(volatile __u32 *)&line->boosted)
    return;
  /* A full ring buffer is no loss: the next busy sample is sent as well. */
  bpf_ringbuf_output(&busy_events, &event, sizeof event, 0);
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
