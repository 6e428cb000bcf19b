/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/live-trace-source.h"

#include "base/error.h"
#include "residency/trace-reading.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whoever writes reads the clock first, so what is ahead of ours by more than this would silence
 * all that comes after it. */
#define AHEAD_MAX_USEC G_USEC_PER_SEC

typedef struct {
  EppdResidencySource base;
  char *path;
  int fd;          /* -1: not armed */
  GArray *watched; /* of EppdWatchedCpu */
  gint64 sample_usec;
  gint64 armed_usec;

  EppdTraceLines lines;
  char buffer[4096]; /* [start, end) is not taken yet */
  gsize start;
  gsize end;
  bool is_rest; /* what comes up to the next end of a line is the rest of one */
} LiveTraceSource;

static int
open_fifo(const char *path, GError **error)
{
  /* For writing too: else it would be at its end, and readable for ever, once nobody writes. */
  int fd = TEMP_FAILURE_RETRY(open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info;

  if (fd < 0) {
    eppd_error_set_errno(error, errno, "Could not open %s", path);
    return -1;
  }
  if (fstat(fd, &info) != 0 || !S_ISFIFO(info.st_mode)) {
    close(fd);
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "%s is no FIFO any more", path);
    return -1;
  }
  return fd;
}

static gboolean
live_self_test(EppdResidencySource *source, char **detail, GError **error)
{
  LiveTraceSource *self = (LiveTraceSource *)source;
  int fd = open_fifo(self->path, error);

  if (fd < 0)
    return FALSE;
  close(fd);
  *detail = g_strdup_printf("what is written into %s", self->path);
  return TRUE;
}

static void
live_disarm(EppdResidencySource *source)
{
  LiveTraceSource *self = (LiveTraceSource *)source;

  if (self->fd >= 0)
    close(self->fd);
  self->fd = -1;
  g_array_set_size(self->watched, 0);
}

static gboolean
live_arm(EppdResidencySource *source,
         const EppdResidencyConfig *config,
         gint64 now_usec,
         GError **error)
{
  LiveTraceSource *self = (LiveTraceSource *)source;
  int fd = open_fifo(self->path, error);

  if (fd < 0)
    return FALSE;
  live_disarm(source);
  self->fd = fd;
  g_array_unref(self->watched);
  self->watched = eppd_watched_cpus_new(&config->cpus);
  self->sample_usec = config->sample_usec;
  self->armed_usec = now_usec;
  self->lines.last_usec = 0;
  self->start = self->end = 0;
  /* Whoever read before may have left half a line. */
  self->is_rest = true;
  return TRUE;
}

static gboolean
live_configure(EppdResidencySource *source, const EppdResidencyConfig *config, GError **error)
{
  ((LiveTraceSource *)source)->sample_usec = config->sample_usec;
  return TRUE;
}

static int
live_get_fd(EppdResidencySource *source)
{
  return ((LiveTraceSource *)source)->fd;
}

/* Reads on behind what is not taken yet; false if there is nothing to read. */
static bool
fill(LiveTraceSource *self)
{
  gssize n;

  if (self->end - self->start > EPPD_TRACE_LINE_MAX) {
    /* No end of a line in sight. */
    if (!self->is_rest)
      eppd_trace_lines_take(&self->lines, NULL, NULL);
    self->is_rest = true;
    self->start = self->end;
  }
  memmove(self->buffer, self->buffer + self->start, self->end - self->start);
  self->end -= self->start;
  self->start = 0;
  n = TEMP_FAILURE_RETRY(read(self->fd, self->buffer + self->end, sizeof self->buffer - self->end));
  if (n <= 0)
    return false;
  self->end += (gsize)n;
  return true;
}

/* The next whole line without its end, in the buffer; NULL if none has come. */
static char *
next_line(LiveTraceSource *self, gsize *length)
{
  char *line = self->buffer + self->start;
  char *end = memchr(line, '\n', self->end - self->start);

  while (!end && fill(self)) {
    line = self->buffer + self->start;
    end = memchr(line, '\n', self->end - self->start);
  }
  if (!end)
    return NULL;
  *end = '\0';
  *length = (gsize)(end - line);
  self->start += *length + 1;
  return line;
}

/* Whether the line has a reading that counts. */
static bool
take_line(
    LiveTraceSource *self, char *line, gsize length, gint64 now_usec, EppdTraceReading *reading)
{
  bool is_bad = length > EPPD_TRACE_LINE_MAX || strlen(line) != length;
  gint64 before_usec = self->lines.last_usec;

  if (self->is_rest) {
    self->is_rest = false;
    return false;
  }
  if (!eppd_trace_lines_take(&self->lines, is_bad ? NULL : line, reading))
    return false;
  if (reading->usec > now_usec + AHEAD_MAX_USEC) {
    self->lines.last_usec = before_usec;
    eppd_trace_lines_complain(&self->lines, "ahead of the clock");
    return false;
  }
  return reading->usec >= self->armed_usec;
}

static gint64
live_dispatch(EppdResidencySource *source,
              gint64 now_usec,
              guint max_samples,
              EppdResidencySampleFunc func,
              gpointer data)
{
  LiveTraceSource *self = (LiveTraceSource *)source;
  gsize length;
  char *line;

  /* The callback may disarm. */
  for (; self->fd >= 0 && (line = next_line(self, &length)); max_samples--) {
    EppdTraceReading reading;
    EppdWatchedCpu sampled;

    if (take_line(self, line, length, now_usec, &reading) &&
        eppd_trace_reading_add(&reading, reading.usec, self->sample_usec, self->watched, &sampled))
      eppd_watched_cpu_hand_out(&sampled, func, data);
    if (max_samples <= 1)
      return now_usec;
  }
  return -1;
}

static bool
live_get_sample(EppdResidencySource *source, guint cpu, guint *busy_permille, gint64 *when_usec)
{
  return eppd_watched_cpus_get_sample(((LiveTraceSource *)source)->watched, cpu, busy_permille,
                                      when_usec);
}

static gint64
live_get_period_usec(EppdResidencySource *source)
{
  return ((LiveTraceSource *)source)->sample_usec;
}

static void
live_free(EppdResidencySource *source)
{
  LiveTraceSource *self = (LiveTraceSource *)source;

  live_disarm(source);
  g_array_unref(self->watched);
  g_free(self->path);
  g_free(self);
}

static const EppdResidencySourceClass live_class = {
    .name = "trace",
    .self_test = live_self_test,
    .arm = live_arm,
    .configure = live_configure,
    .disarm = live_disarm,
    .get_fd = live_get_fd,
    .dispatch = live_dispatch,
    .get_sample = live_get_sample,
    .get_period_usec = live_get_period_usec,
    .free = live_free,
};

bool
eppd_live_trace_source_is_for(const char *path)
{
  struct stat info;

  return stat(path, &info) == 0 && S_ISFIFO(info.st_mode);
}

EppdResidencySource *
eppd_live_trace_source_new(const char *path)
{
  LiveTraceSource *self = g_new0(LiveTraceSource, 1);

  self->base.klass = &live_class;
  self->path = g_strdup(path);
  self->lines.path = self->path;
  self->fd = -1;
  self->watched = g_array_new(FALSE, FALSE, sizeof(EppdWatchedCpu));
  return &self->base;
}
