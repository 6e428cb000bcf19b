/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/cpu-times.h"

#include "base/cpu-list.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PROC_STAT "/proc/stat"

/* The fields of a line, in its order. */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, N_FIELDS };

/* Reads a decimal number that ends at a blank or at the end of the text. */
static bool
take_number(const char **text, guint64 *value)
{
  const char *start = *text;
  char *end;

  if (!g_ascii_isdigit(*start))
    return false;
  errno = 0;
  *value = g_ascii_strtoull(start, &end, 10);
  if (errno != 0 || (*end != '\0' && *end != ' '))
    return false;
  while (*end == ' ')
    end++;
  *text = end;
  return true;
}

bool
eppd_cpu_times_parse(const char *line, EppdCpuTimes *times)
{
  guint64 fields[N_FIELDS] = {0};
  guint64 total = 0;
  guint64 cpu;
  guint n_fields = 0;

  if (!g_str_has_prefix(line, "cpu"))
    return false;
  line += strlen("cpu");
  if (!take_number(&line, &cpu) || cpu >= EPPD_CPU_MAX)
    return false;

  while (n_fields < N_FIELDS && *line) {
    if (!take_number(&line, &fields[n_fields]))
      return false;
    total += fields[n_fields++];
  }
  if (n_fields <= IDLE)
    return false;

  times->cpu = (guint)cpu;
  times->total_ticks = total;
  times->busy_ticks = total - fields[IDLE] - fields[IOWAIT];
  return true;
}

int
eppd_cpu_times_open(GError **error)
{
  int fd = TEMP_FAILURE_RETRY(open(PROC_STAT, O_RDONLY | O_CLOEXEC));

  if (fd < 0)
    eppd_error_set_errno(error, errno, "Could not open %s", PROC_STAT);
  return fd;
}

gboolean
eppd_cpu_times_read(int fd, EppdCpuTimesFunc func, gpointer data, GError **error)
{
  char buffer[4096 + 1];
  gsize kept = 0; /* the beginning of a line whose end is yet to be read */
  off_t offset = 0;
  guint n_cpus = 0;
  bool done = false;

  while (!done) {
    ssize_t n = TEMP_FAILURE_RETRY(pread(fd, buffer + kept, sizeof buffer - 1 - kept, offset));
    char *line = buffer;
    char *end;

    if (n < 0)
      return eppd_error_set_errno(error, errno, "Could not read the CPUs' times");
    if (n == 0)
      break;
    offset += n;
    buffer[kept + (gsize)n] = '\0';

    while (!done && (end = strchr(line, '\n'))) {
      EppdCpuTimes times;

      *end = '\0';
      if (eppd_cpu_times_parse(line, &times)) {
        n_cpus++;
        func(&times, data);
      }
      /* The CPUs come first; what follows (the interrupts) may be very long. */
      done = !g_str_has_prefix(line, "cpu");
      line = end + 1;
    }

    kept = strlen(line);
    if (kept == sizeof buffer - 1)
      break;
    memmove(buffer, line, kept);
  }

  if (n_cpus == 0) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "no CPU in %s", PROC_STAT);
    return FALSE;
  }
  return TRUE;
}
