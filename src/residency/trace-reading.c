/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/trace-reading.h"

#include "base/log.h"

#include <errno.h>
#include <string.h>

#define COMPLAINTS_MAX 10
#define TIME_MAX_USEC  (G_MAXINT64 / 4)

static bool
take_number(const char **text, guint64 max, guint64 *value)
{
  char *end;

  *text += strspn(*text, " \t");
  if (!g_ascii_isdigit(**text))
    return false;
  errno = 0;
  *value = g_ascii_strtoull(*text, &end, 10);
  if (errno != 0 || *value > max || (*end != '\0' && *end != ' ' && *end != '\t'))
    return false;
  *text = end;
  return true;
}

static bool
parse(const char *text, EppdTraceReading *reading)
{
  guint64 usec, cpu, mperf, tsc;

  if (!take_number(&text, TIME_MAX_USEC, &usec) || !take_number(&text, EPPD_CPU_MAX - 1, &cpu) ||
      !take_number(&text, G_MAXUINT64, &mperf) || !take_number(&text, G_MAXUINT64, &tsc))
    return false;
  if (text[strspn(text, " \t")] != '\0')
    return false;
  *reading =
      (EppdTraceReading){.usec = (gint64)usec, .cpu = (guint)cpu, .mperf = mperf, .tsc = tsc};
  return true;
}

/* What is wrong with the line; NULL for a reading in @reading, and "" for a line without one. */
static const char *
understand(const EppdTraceLines *lines, char *text, EppdTraceReading *reading)
{
  if (!text)
    return "too long, or binary";
  g_strstrip(text);
  if (*text == '\0' || *text == '#')
    return "";
  if (!parse(text, reading))
    return "not «usec cpu mperf tsc»";
  if (reading->usec < lines->last_usec)
    return "goes back in time";
  return NULL;
}

void
eppd_trace_lines_rewind(EppdTraceLines *lines)
{
  lines->line = 0;
  lines->last_usec = 0;
}

void
eppd_trace_lines_complain(EppdTraceLines *lines, const char *what)
{
  if (lines->line <= lines->complained_line || lines->n_complaints == COMPLAINTS_MAX)
    return;
  lines->complained_line = lines->line;
  lines->n_complaints++;
  eppd_warning("trace", "%s:%u: %s: ignoring the line%s", lines->path, lines->line, what,
               lines->n_complaints == COMPLAINTS_MAX ? ", and further ones without a word" : "");
}

bool
eppd_trace_lines_take(EppdTraceLines *lines, char *text, EppdTraceReading *reading)
{
  EppdTraceReading understood;
  const char *problem;

  lines->line++;
  problem = understand(lines, text, &understood);
  if (problem) {
    if (*problem)
      eppd_trace_lines_complain(lines, problem);
    return false;
  }
  lines->last_usec = understood.usec;
  *reading = understood;
  return true;
}

bool
eppd_trace_reading_add(const EppdTraceReading *reading,
                       gint64 when_usec,
                       gint64 sample_usec,
                       GArray *watched,
                       EppdWatchedCpu *sampled)
{
  EppdWatchedCpu *entry;
  guint index;

  if (!eppd_watched_cpus_find(watched, reading->cpu, &index))
    return false;
  entry = &g_array_index(watched, EppdWatchedCpu, index);
  if (entry->window.has_baseline &&
      when_usec - entry->window.when_usec < sample_usec - EPPD_TRACE_TICK_USEC / 2)
    return false;
  if (!eppd_watched_cpu_add(entry, reading->mperf, reading->tsc, when_usec,
                            2 * MAX(sample_usec, EPPD_TRACE_TICK_USEC)))
    return false;
  *sampled = *entry;
  return true;
}
