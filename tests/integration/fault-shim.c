/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Preloaded into eppd by the tests: plays on plain files what a kernel does to a write (refuses it,
 * takes long), kills eppd at a chosen one, and lets time pass. faults.py controls it through the
 * directory $EPPD_FAULTS:
 *
 *   rules  a line each: ID PATH VALUE ERRNO COUNT DELAY_USEC. The first rule that is not used up
 *          and whose PATH is part of the file's path decides on a pwrite() of VALUE ("*": any), a
 *          rename() to it (VALUE "rename") or its unlink() ("unlink"). ERRNO -1: SIGKILL right
 *          before that, -2: right after it. Read each time.
 *   clock  how many microseconds CLOCK_MONOTONIC is ahead, a native 64-bit integer. Mapped.
 *   log    what was written: PATH VALUE ERRNO (0: let through).
 *
 * System calls are made directly: a sanitizer's run time has these functions, too. Not for threads
 * that write at the same time. */

/* Both names of pwrite() are defined below, so none may stand for the other. */
#undef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 32

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define N_IDS       256
#define VALUE_MAX   64
#define KILL_BEFORE (-1)
#define KILL_AFTER  (-2)

typedef struct {
  unsigned id;
  char path[PATH_MAX];
  char value[VALUE_MAX];
  int error;  /* 0: let through; or KILL_… */
  long count; /* -1: no end */
  long delay_usec;
} Rule;

static long applied[N_IDS]; /* by rule */
static const volatile int64_t *clock_ahead_usec;

static FILE *
open_control(const char *name, const char *mode)
{
  const char *directory = getenv("EPPD_FAULTS");
  char path[PATH_MAX];

  if (!directory || snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
    return NULL;
  return fopen(path, mode);
}

static void
path_of(int fd, char path[PATH_MAX])
{
  char link[64];
  ssize_t length;

  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  length = readlink(link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = '\0';
}

/* The written text without its newline. */
static void
value_of(const char *bytes, size_t n, char value[VALUE_MAX])
{
  size_t length = 0;

  while (length < n && length < VALUE_MAX - 1 && bytes[length] != '\n')
    length++;
  memcpy(value, bytes, length);
  value[length] = '\0';
}

static bool
applies(const Rule *rule, const char *path, const char *value)
{
  return rule->id < N_IDS && strstr(path, rule->path) &&
         (strcmp(rule->value, "*") == 0 || strcmp(rule->value, value) == 0) &&
         (rule->count < 0 || applied[rule->id] < rule->count);
}

static bool
find_rule(const char *path, const char *value, Rule *rule)
{
  FILE *file = open_control("rules", "re");
  bool found = false;

  if (!file)
    return false;
  while (!found && fscanf(file, "%u %4095s %63s %d %ld %ld", &rule->id, rule->path, rule->value,
                          &rule->error, &rule->count, &rule->delay_usec) == 6)
    found = applies(rule, path, value);
  fclose(file);
  if (found)
    applied[rule->id]++;
  return found;
}

static void
log_write(const char *path, const char *value, int error)
{
  FILE *file = open_control("log", "ae");

  if (!file)
    return;
  fprintf(file, "%s %s %d\n", path, value, error);
  fclose(file);
}

/* A driver drops an identical write: only another value takes its time. */
static void
take_time(int fd, const char *value, long delay_usec)
{
  struct timespec delay = {delay_usec / 1000000, delay_usec % 1000000 * 1000};
  char bytes[VALUE_MAX] = "";
  char current[VALUE_MAX];
  long n = syscall(SYS_pread64, fd, bytes, sizeof bytes, 0L);

  value_of(bytes, n < 0 ? 0 : (size_t)n, current);
  if (strcmp(current, value) != 0)
    nanosleep(&delay, NULL);
}

static void
die(void)
{
  syscall(SYS_kill, getpid(), SIGKILL);
}

/* What a rule says of it; none: nothing. */
static Rule
meet(const char *path, const char *value)
{
  Rule rule;

  if (!find_rule(path, value, &rule))
    rule = (Rule){0};
  if (rule.error == KILL_BEFORE)
    die();
  return rule;
}

/* The result of what was done. */
static long
part(const Rule *rule, long result)
{
  if (rule->error == KILL_AFTER)
    die();
  return result;
}

ssize_t
pwrite64(int fd, const void *bytes, size_t n, off64_t offset)
{
  char path[PATH_MAX];
  char value[VALUE_MAX];
  Rule rule;

  path_of(fd, path);
  value_of(bytes, n, value);
  rule = meet(path, value);
  if (rule.delay_usec > 0)
    take_time(fd, value, rule.delay_usec);
  log_write(path, value, rule.error > 0 ? rule.error : 0);
  if (rule.error > 0) {
    errno = rule.error;
    return -1;
  }
  return part(&rule, syscall(SYS_pwrite64, fd, bytes, n, offset));
}

ssize_t
pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
  return pwrite64(fd, bytes, n, offset);
}

int
rename(const char *old_path, const char *new_path)
{
  Rule rule = meet(new_path, "rename");

  if (rule.error > 0) {
    errno = rule.error;
    return -1;
  }
  return (int)part(&rule, syscall(SYS_renameat2, AT_FDCWD, old_path, AT_FDCWD, new_path, 0));
}

int
unlink(const char *path)
{
  Rule rule = meet(path, "unlink");

  if (rule.error > 0) {
    errno = rule.error;
    return -1;
  }
  return (int)part(&rule, syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}

int
clock_gettime(clockid_t clock, struct timespec *now)
{
  int result = (int)syscall(SYS_clock_gettime, clock, now);

  if (result == 0 && clock == CLOCK_MONOTONIC && clock_ahead_usec) {
    int64_t usec = *clock_ahead_usec + now->tv_nsec / 1000;

    now->tv_sec += usec / 1000000;
    now->tv_nsec = usec % 1000000 * 1000;
  }
  return result;
}

__attribute__((constructor)) static void
map_clock(void)
{
  FILE *file = open_control("clock", "re");
  void *map = file ? mmap(NULL, sizeof *clock_ahead_usec, PROT_READ, MAP_SHARED, fileno(file), 0)
                   : MAP_FAILED;

  if (map != MAP_FAILED)
    clock_ahead_usec = map;
  if (file)
    fclose(file);
}
