/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "residency/msr-event.h"
#include "skip.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* What the tests of the BPF programs ask of the machine and of themselves. */

/* False, and the test skipped with the reason, where the machine has no BPF for us. @tsc: the msr
 * PMU's tsc is needed as well. */
static inline bool
bpf_machine_can_run(bool tsc)
{
  g_autoptr(GError) error = NULL;
  EppdMsrEvent event;

  if (geteuid() != 0) {
    skip_lacking_root("to load BPF programs that read the kernel's events");
    return false;
  }
  if (access("/sys/kernel/btf/vmlinux", R_OK) != 0) {
    skip_lacking("the kernel's BTF (/sys/kernel/btf/vmlinux)");
    return false;
  }
  if (tsc && !eppd_msr_event_find("tsc", &event, &error)) {
    skip_lacking(error->message);
    return false;
  }
  return true;
}

/* The process's descriptors whose link says @of_what; NULL: all. */
static inline guint
bpf_machine_count_fds(const char *of_what)
{
  g_autoptr(GDir) directory = g_dir_open("/proc/self/fd", 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name(directory))) {
    g_autofree char *path = g_build_filename("/proc/self/fd", name, NULL);
    char target[256];
    ssize_t length = readlink(path, target, sizeof target - 1);

    if (length < 0)
      continue; /* the directory itself */
    target[length] = '\0';
    if (!of_what || strstr(target, of_what))
      n++;
  }
  return n;
}

/* Attached programs: older kernels spell it with a dash. */
static inline guint
bpf_machine_count_links(void)
{
  return bpf_machine_count_fds("bpf_link") + bpf_machine_count_fds("bpf-link");
}
