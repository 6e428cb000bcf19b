/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/machine-watch.h"

#include "base/log.h"
#include "daemon/event-source.h"

/* Between two tries at a refused base: doubled from the first to the last. */
#define RETRY_FIRST_USEC (1 * G_USEC_PER_SEC)
#define RETRY_LAST_USEC  (60 * G_USEC_PER_SEC)

struct _EppdMachineWatch {
  EppdMachine *machine;
  EppdMachineWatchChanged changed;
  gpointer data;
  EppdFileWatch *files; /* NULL: none yet */
  bool is_outdated;     /* …and the policies are others now */
  GSource *files_source;
  GSource *retry_source;
  gint64 retry_usec; /* the next retry's delay */
  bool has_failed;   /* there was nothing to watch with, and that was said */
};

typedef struct {
  bool any;
  bool mode_changed;
} News;

static News
drain(EppdMachineWatch *watch)
{
  /* A file that vanished went with its policy, which the mode made anew. */
  bool mode_changed;
  g_autoptr(GArray) tags = eppd_file_watch_drain(watch->files, &mode_changed);

  for (guint i = 0; i < tags->len; i++) {
    guint tag = g_array_index(tags, guint, i);

    if (tag == EPPD_MACHINE_TAG_MODE)
      mode_changed = true;
    else if (tag != EPPD_MACHINE_TAG_KERNEL_BOOST)
      eppd_machine_note_governor_write(watch->machine, tag);
  }
  return (News){.any = tags->len > 0, .mode_changed = mode_changed};
}

static gboolean
on_files(int fd, GIOCondition condition, gpointer data)
{
  EppdMachineWatch *watch = data;
  News news = drain(watch);

  if (news.any)
    watch->changed(news.mode_changed, watch->data);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_retry(gpointer data)
{
  EppdMachineWatch *watch = data;

  watch->retry_usec = MIN(watch->retry_usec * 2, RETRY_LAST_USEC);
  watch->changed(false, watch->data);
  return G_SOURCE_CONTINUE;
}

static void
drop_files(EppdMachineWatch *watch)
{
  eppd_event_source_clear(&watch->files_source);
  g_clear_pointer(&watch->files, eppd_file_watch_free);
}

static void
watch_files(EppdMachineWatch *watch)
{
  g_autoptr(GError) error = NULL;
  EppdFileWatch *files;
  News news = {0};

  if (watch->files && !watch->is_outdated)
    return;
  files = eppd_machine_watch_files(watch->machine, &error);
  /* Until here the old one was told: a mode that was switched to while policies were looked for
   * left some of them half made. */
  if (watch->files)
    news = drain(watch);
  drop_files(watch);
  watch->is_outdated = false;
  watch->files = files;
  if (!files) {
    eppd_log(watch->has_failed ? G_LOG_LEVEL_DEBUG : G_LOG_LEVEL_WARNING, "machine",
             "governors and modes are not watched: %s; ignoring", error->message);
    watch->has_failed = true;
    return;
  }
  watch->files_source = eppd_event_source_fd(eppd_file_watch_fd(watch->files), G_IO_IN,
                                             EPPD_PRIORITY_MACHINE, G_SOURCE_FUNC(on_files), watch);
  /* What changed between the last look and this is told by no event. */
  watch->changed(news.mode_changed, watch->data);
}

static void
update_retry(EppdMachineWatch *watch, bool is_due)
{
  if (!is_due) {
    g_source_set_ready_time(watch->retry_source, -1);
    watch->retry_usec = RETRY_FIRST_USEC;
  } else if (g_source_get_ready_time(watch->retry_source) < 0) {
    g_source_set_ready_time(watch->retry_source, g_get_monotonic_time() + watch->retry_usec);
  }
}

bool
eppd_machine_watch_take_news(EppdMachineWatch *watch)
{
  return watch->files && drain(watch).mode_changed;
}

void
eppd_machine_watch_reset(EppdMachineWatch *watch)
{
  watch->is_outdated = true;
}

void
eppd_machine_watch_update(EppdMachineWatch *watch, bool retry)
{
  guint n_due;

  watch_files(watch);
  n_due = watch->files ? eppd_machine_count_to_retry(watch->machine)
                       : eppd_machine_count_pending(watch->machine);
  update_retry(watch, n_due > 0 || retry);
}

EppdMachineWatch *
eppd_machine_watch_new(EppdMachine *machine, EppdMachineWatchChanged changed, gpointer data)
{
  EppdMachineWatch *watch = g_new0(EppdMachineWatch, 1);

  watch->machine = machine;
  watch->changed = changed;
  watch->data = data;
  watch->retry_usec = RETRY_FIRST_USEC;
  watch->retry_source = eppd_event_source_timer(EPPD_PRIORITY_MACHINE, on_retry, watch);
  return watch;
}

void
eppd_machine_watch_free(EppdMachineWatch *watch)
{
  drop_files(watch);
  eppd_event_source_clear(&watch->retry_source);
  g_free(watch);
}
