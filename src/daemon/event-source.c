/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/event-source.h"

#include <glib-unix.h>

static GSource *
attach(GSource *source, int priority, GSourceFunc func, gpointer data)
{
  g_source_set_priority(source, priority);
  g_source_set_callback(source, func, data, NULL);
  g_source_attach(source, g_main_context_get_thread_default());
  return source;
}

GSource *
eppd_event_source_fd(int fd, GIOCondition condition, int priority, GSourceFunc func, gpointer data)
{
  return attach(g_unix_fd_source_new(fd, condition), priority, func, data);
}

static gboolean
dispatch_timer(GSource *source, GSourceFunc func, gpointer data)
{
  g_source_set_ready_time(source, -1);
  return func(data);
}

GSource *
eppd_event_source_timer(int priority, GSourceFunc func, gpointer data)
{
  static GSourceFuncs funcs = {.dispatch = dispatch_timer};

  return attach(g_source_new(&funcs, sizeof(GSource)), priority, func, data);
}

void
eppd_event_source_clear(GSource **source)
{
  if (!*source)
    return;
  g_source_destroy(*source);
  g_clear_pointer(source, g_source_unref);
}
