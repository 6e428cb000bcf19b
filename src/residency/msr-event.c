/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/msr-event.h"

#include "base/error.h"
#include "base/text-file.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MSR_PMU "/sys/bus/event_source/devices/msr"

/* The files hold "event=0x02". */
static gboolean
read_config(const char *name, guint64 *config, GError **error)
{
  g_autofree char *path = g_build_filename(MSR_PMU, "events", name, NULL);
  g_autofree char *text = NULL;
  const char *number;

  if (strchr(name, '/')) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "'%s' is no event's name", name);
    return FALSE;
  }
  text = eppd_text_file_read(path, error);
  if (!text)
    return FALSE;
  number = g_str_has_prefix(text, "event=0x") ? text + strlen("event=0x") : "";
  if (!g_ascii_string_to_unsigned(number, 16, 0, G_MAXUINT64, config, NULL)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "%s holds '%s', not event=0xN", path, text);
    return FALSE;
  }
  return TRUE;
}

gboolean
eppd_msr_event_find(const char *name, EppdMsrEvent *event, GError **error)
{
  g_autoptr(GError) local_error = NULL;
  gint64 type;
  guint64 config;

  if (!eppd_text_file_read_number(MSR_PMU "/type", 0, G_MAXUINT32, &type, &local_error) ||
      !read_config(name, &config, &local_error)) {
    if (g_error_matches(local_error, EPPD_ERROR, EPPD_ERROR_GONE))
      g_set_error(error, EPPD_ERROR, EPPD_ERROR_GONE, "the msr PMU has no event %s", name);
    else
      g_propagate_error(error, g_steal_pointer(&local_error));
    return FALSE;
  }
  event->type = (guint32)type;
  event->config = config;
  return TRUE;
}

int
eppd_msr_event_open(const EppdMsrEvent *event, guint cpu, int group_fd, GError **error)
{
  struct perf_event_attr attr = {
      .size = sizeof attr,
      .type = event->type,
      .config = event->config,
      .read_format = PERF_FORMAT_GROUP,
  };
  int fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, group_fd, PERF_FLAG_FD_CLOEXEC);

  if (fd < 0)
    eppd_error_set_errno(error, errno,
                         "Could not open the msr PMU's event %" G_GUINT64_FORMAT " on CPU %u",
                         event->config, cpu);
  return fd;
}
