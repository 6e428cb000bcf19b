/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/trace-source.h"

#include "base/error.h"
#include "base/log.h"
#include "residency/trace-reading.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  EppdResidencySource base;
  char *path;
  FILE *file;      /* NULL: not armed */
  GArray *watched; /* of EppdWatchedCpu */
  gint64 sample_usec;
  gint64 offset_usec; /* from the trace's times to the source's clock */
  gint64 clock_usec;  /* virtual time only */

  EppdTraceLines lines;
  bool has_next;
  EppdTraceReading next;
} TraceSource;

typedef enum {
  LINE_END,
  LINE_TEXT,
  LINE_BAD, /* too long or binary; skipped to its end */
} LineKind;

/* Reads a line into @text without its end. */
static LineKind
read_line(FILE *file, char text[EPPD_TRACE_LINE_MAX + 1])
{
  gsize length = 0;
  bool bad = false;
  int c = getc_unlocked(file);

  if (c == EOF)
    return LINE_END;
  for (; c != EOF && c != '\n'; c = getc_unlocked(file)) {
    if (c == '\0' || length == EPPD_TRACE_LINE_MAX)
      bad = true;
    else
      text[length++] = (char)c;
  }
  text[length] = '\0';
  return bad ? LINE_BAD : LINE_TEXT;
}

/* Finds the next reading of a CPU that is watched. */
static void
read_next(TraceSource *self)
{
  char text[EPPD_TRACE_LINE_MAX + 1];
  LineKind kind;

  self->has_next = false;
  while (!self->has_next && (kind = read_line(self->file, text)) != LINE_END) {
    EppdTraceReading reading;
    guint index;

    if (!eppd_trace_lines_take(&self->lines, kind == LINE_BAD ? NULL : text, &reading) ||
        !eppd_watched_cpus_find(self->watched, reading.cpu, &index))
      continue;
    self->next = reading;
    self->has_next = true;
  }
  if (!self->has_next && ferror(self->file)) {
    eppd_warning("trace", "Could not read %s after line %u: ignoring the rest", self->path,
                 self->lines.line);
    clearerr(self->file);
  }
}

static FILE *
open_trace(const char *path, GError **error)
{
  /* A FIFO must not block the daemon. */
  int fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info;

  if (fd < 0) {
    eppd_error_set_errno(error, errno, "Could not open %s", path);
    return NULL;
  }
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(fd);
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "%s is no regular file", path);
    return NULL;
  }
  return fdopen(fd, "r");
}

static gint64
next_time_usec(const TraceSource *self)
{
  return self->has_next ? self->next.usec + self->offset_usec : -1;
}

static gboolean
trace_self_test(EppdResidencySource *source, char **detail, GError **error)
{
  TraceSource *self = (TraceSource *)source;
  FILE *file = open_trace(self->path, error);

  if (!file)
    return FALSE;
  fclose(file);
  *detail = g_strdup_printf("replay of %s%s", self->path,
                            eppd_residency_source_is_virtual(source) ? " in virtual time" : "");
  return TRUE;
}

static void
trace_disarm(EppdResidencySource *source)
{
  TraceSource *self = (TraceSource *)source;

  g_clear_pointer(&self->file, fclose);
  g_array_set_size(self->watched, 0);
  self->has_next = false;
}

static gboolean
trace_arm(EppdResidencySource *source,
          const EppdResidencyConfig *config,
          gint64 now_usec,
          GError **error)
{
  TraceSource *self = (TraceSource *)source;
  FILE *file = open_trace(self->path, error);

  if (!file)
    return FALSE;
  trace_disarm(source);
  self->file = file;
  g_array_unref(self->watched);
  self->watched = eppd_watched_cpus_new(&config->cpus);
  self->sample_usec = config->sample_usec;
  eppd_trace_lines_rewind(&self->lines);
  read_next(self);
  if (eppd_residency_source_is_virtual(source))
    self->clock_usec = self->has_next ? self->next.usec : 0;
  else
    self->offset_usec = self->has_next ? now_usec - self->next.usec : 0;
  return TRUE;
}

static gboolean
trace_configure(EppdResidencySource *source, const EppdResidencyConfig *config, GError **error)
{
  ((TraceSource *)source)->sample_usec = config->sample_usec;
  return TRUE;
}

static gint64
trace_dispatch(EppdResidencySource *source,
               gint64 now_usec,
               guint max_samples,
               EppdResidencySampleFunc func,
               gpointer data)
{
  TraceSource *self = (TraceSource *)source;

  for (; self->has_next && next_time_usec(self) <= now_usec; max_samples--) {
    const EppdTraceReading reading = self->next;
    gint64 when_usec = next_time_usec(self);
    EppdWatchedCpu sampled;

    if (max_samples == 0)
      return now_usec;
    read_next(self);
    if (eppd_trace_reading_add(&reading, when_usec, self->sample_usec, self->watched, &sampled))
      eppd_watched_cpu_hand_out(&sampled, func, data);
  }
  return next_time_usec(self);
}

static bool
trace_get_sample(EppdResidencySource *source, guint cpu, guint *busy_permille, gint64 *when_usec)
{
  return eppd_watched_cpus_get_sample(((TraceSource *)source)->watched, cpu, busy_permille,
                                      when_usec);
}

static gint64
trace_get_time_usec(EppdResidencySource *source)
{
  return ((TraceSource *)source)->clock_usec;
}

static gint64
trace_advance(EppdResidencySource *source, gint64 deadline_usec)
{
  TraceSource *self = (TraceSource *)source;
  gint64 next_usec = next_time_usec(self);

  if (next_usec < 0 || (deadline_usec >= 0 && deadline_usec < next_usec))
    next_usec = deadline_usec;
  self->clock_usec = MAX(self->clock_usec, next_usec);
  return self->clock_usec;
}

static gint64
trace_get_period_usec(EppdResidencySource *source)
{
  return ((TraceSource *)source)->sample_usec;
}

static void
trace_free(EppdResidencySource *source)
{
  TraceSource *self = (TraceSource *)source;

  trace_disarm(source);
  g_array_unref(self->watched);
  g_free(self->path);
  g_free(self);
}

#define TRACE_VFUNCS                                                                               \
  .name = "trace", .self_test = trace_self_test, .arm = trace_arm, .configure = trace_configure,   \
  .disarm = trace_disarm, .dispatch = trace_dispatch, .get_sample = trace_get_sample,              \
  .get_period_usec = trace_get_period_usec, .free = trace_free

static const EppdResidencySourceClass trace_class = {TRACE_VFUNCS};

static const EppdResidencySourceClass virtual_trace_class = {
    TRACE_VFUNCS,
    .get_time_usec = trace_get_time_usec,
    .advance = trace_advance,
};

EppdResidencySource *
eppd_trace_source_new(const char *path, bool virtual_time)
{
  TraceSource *self = g_new0(TraceSource, 1);

  self->base.klass = virtual_time ? &virtual_trace_class : &trace_class;
  self->path = g_strdup(path);
  self->lines.path = self->path;
  self->watched = g_array_new(FALSE, FALSE, sizeof(EppdWatchedCpu));
  return &self->base;
}
