/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-log.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

struct SimLog {
  int fd;
  bool failed;
};

SimLog *
sim_log_open(const char *path, GError **error)
{
  SimLog *log;
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

  if (fd < 0) {
    g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno), "%s: %s", path, g_strerror(errno));
    return NULL;
  }
  log = g_new0(SimLog, 1);
  log->fd = fd;
  return log;
}

void
sim_log_free(SimLog *log)
{
  close(log->fd);
  g_free(log);
}

static void
append_error(GString *line, int error)
{
  const char *name = strerrorname_np(error);

  if (error == 0 || !name)
    g_string_append_printf(line, "%d", error);
  else
    g_string_append(line, name);
}

char *
sim_log_line(const SimLogEntry *entry)
{
  g_autofree char *text = g_strescape(entry->text, NULL);
  GString *line = g_string_new(NULL);

  g_string_append_printf(line, "%" G_GINT64_FORMAT " %d %s %s ", entry->now_usec, (int)entry->pid,
                         entry->op, entry->path);
  append_error(line, entry->error);
  g_string_append_printf(line, " \"%s\"\n", text);
  return g_string_free(line, FALSE);
}

void
sim_log_add(SimLog *log, const SimLogEntry *entry)
{
  g_autofree char *line = sim_log_line(entry);
  size_t length = strlen(line);

  /* One call: lines never mix. A reader may see half of one that crosses a page of the file. */
  if (write(log->fd, line, length) != (ssize_t)length && !log->failed) {
    log->failed = true;
    g_printerr("the log is not whole: %s\n", g_strerror(errno));
  }
}
