/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/turbo-watch.h"

#include "daemon/event-source.h"
#include "hardware/file-watch.h"
#include "hardware/intel-pstate.h"

struct _EppdTurboWatch {
  EppdSysRoot *root;
  void (*changed)(gpointer data);
  gpointer data;
  bool is_off;
  EppdFileWatch *files; /* NULL: no such file */
  GSource *files_source;
};

static gboolean
on_files(int fd, GIOCondition condition, gpointer data)
{
  EppdTurboWatch *watch = data;
  bool was_off = watch->is_off;
  bool vanished;

  g_array_unref(eppd_file_watch_drain(watch->files, &vanished));
  watch->is_off = eppd_intel_pstate_turbo_is_off(watch->root);
  if (watch->is_off != was_off)
    watch->changed(watch->data);
  return G_SOURCE_CONTINUE;
}

static void
watch_file(EppdTurboWatch *watch)
{
  g_autofree char *path = eppd_intel_pstate_no_turbo_path(watch->root);

  watch->files = eppd_file_watch_new(NULL);
  if (!watch->files || !eppd_file_watch_add(watch->files, path, 0, NULL)) {
    g_clear_pointer(&watch->files, eppd_file_watch_free);
    return;
  }
  watch->files_source = eppd_event_source_fd(eppd_file_watch_fd(watch->files), G_IO_IN,
                                             EPPD_PRIORITY_MACHINE, G_SOURCE_FUNC(on_files), watch);
}

static void
forget_file(EppdTurboWatch *watch)
{
  eppd_event_source_clear(&watch->files_source);
  g_clear_pointer(&watch->files, eppd_file_watch_free);
}

void
eppd_turbo_watch_look_again(EppdTurboWatch *watch)
{
  forget_file(watch);
  watch_file(watch);
  watch->is_off = eppd_intel_pstate_turbo_is_off(watch->root);
}

bool
eppd_turbo_watch_is_off(const EppdTurboWatch *watch)
{
  return watch->is_off;
}

EppdTurboWatch *
eppd_turbo_watch_new(EppdSysRoot *root, void (*changed)(gpointer data), gpointer data)
{
  EppdTurboWatch *watch = g_new0(EppdTurboWatch, 1);

  watch->root = eppd_sys_root_ref(root);
  watch->changed = changed;
  watch->data = data;
  eppd_turbo_watch_look_again(watch);
  return watch;
}

void
eppd_turbo_watch_free(EppdTurboWatch *watch)
{
  forget_file(watch);
  eppd_sys_root_unref(watch->root);
  g_free(watch);
}
