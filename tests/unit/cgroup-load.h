/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/cgroup2.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Real cgroups below the v2 root, and real processes in them that work on a CPU. */

typedef char TestCgroup; /* the directory's path */

/* @name below @parent (NULL: the v2 root); NULL where the machine has no such thing. */
static inline TestCgroup *
test_cgroup_new(const TestCgroup *parent, const char *name)
{
  g_autofree char *root = parent ? g_strdup(parent) : eppd_cgroup2_root(NULL);
  g_autofree char *path =
      root ? g_strdup_printf("%s/eppd-test-%d-%s", root, (int)getpid(), name) : NULL;

  return path && g_mkdir(path, 0755) == 0 ? g_steal_pointer(&path) : NULL;
}

/* After its processes and the cgroups below it. */
static inline void
test_cgroup_free(TestCgroup *cgroup)
{
  g_assert_cmpint(rmdir(cgroup), ==, 0);
  g_free(cgroup);
}

static inline guint64
test_cgroup_id(const TestCgroup *cgroup)
{
  struct stat directory;

  g_assert_cmpint(stat(cgroup, &directory), ==, 0);
  return directory.st_ino;
}

static inline void
test_cgroup_take(const TestCgroup *cgroup, pid_t pid)
{
  g_autofree char *procs = g_build_filename(cgroup, "cgroup.procs", NULL);
  FILE *file = g_fopen(procs, "we");

  g_assert_nonnull(file);
  g_assert_cmpint(fprintf(file, "%d", (int)pid), >, 0);
  g_assert_cmpint(fclose(file), ==, 0);
}

typedef struct {
  pid_t pid;
} CgroupLoad;

static inline gint64
cgroup_load_now_ns(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (gint64)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A process on @cpu: frames of @work_usec of work at most and @sleep_usec of sleep, from its start
 * in @cgroup (NULL: where the test is) until it is freed. */
static inline CgroupLoad *
cgroup_load_new(const TestCgroup *cgroup, guint cpu, gint64 work_usec, gint64 sleep_usec)
{
  CgroupLoad *load = g_new0(CgroupLoad, 1);
  int start[2];
  char byte = 0;

  g_assert_cmpint(pipe(start), ==, 0);
  load->pid = fork();
  g_assert_cmpint(load->pid, >=, 0);
  if (load->pid == 0) {
    const struct timespec pause = {.tv_nsec = sleep_usec * 1000};
    cpu_set_t set;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0 || read(start[0], &byte, 1) != 1)
      _exit(1);
    for (;;) {
      gint64 end_ns = cgroup_load_now_ns() + work_usec * 1000;

      while (cgroup_load_now_ns() < end_ns)
        ;
      if (sleep_usec > 0)
        nanosleep(&pause, NULL);
    }
  }
  if (cgroup)
    test_cgroup_take(cgroup, load->pid);
  g_assert_cmpint(write(start[1], &byte, 1), ==, 1);
  close(start[0]);
  close(start[1]);
  return load;
}

static inline void
cgroup_load_free(CgroupLoad *load)
{
  int status = 0;

  g_assert_cmpint(kill(load->pid, SIGKILL), ==, 0);
  while (waitpid(load->pid, &status, 0) < 0)
    g_assert_cmpint(errno, ==, EINTR);
  /* Else it ended by itself, and was no load. */
  g_assert_true(WIFSIGNALED(status));
  g_free(load);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CgroupLoad, cgroup_load_free)
