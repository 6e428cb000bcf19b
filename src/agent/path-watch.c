/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/path-watch.h"

#include "base/error.h"
#include "base/log.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/inotify.h>
#include <unistd.h>

/* Bounds the work of one dispatch(): what is left keeps the descriptor readable. */
#define DISPATCH_MAX_READS 64

typedef struct {
  guint id;
  int wd;
  EppdPathEvent event;
  gpointer data;
} Subscriber;

struct _EppdPathWatch {
  int fd;
  guint last_id;
  bool is_full;            /* and that was said */
  GHashTable *subscribers; /* id → Subscriber */
};

static bool
has_subscriber(const EppdPathWatch *watch, int wd)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init(&iter, watch->subscribers);
  while (g_hash_table_iter_next(&iter, NULL, &value)) {
    if (((Subscriber *)value)->wd == wd)
      return true;
  }
  return false;
}

/* The ids of those that an event is for: what they do may change the table. */
static GArray *
ids_of(const EppdPathWatch *watch, const struct inotify_event *event)
{
  GArray *ids = g_array_new(FALSE, FALSE, sizeof(guint));
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init(&iter, watch->subscribers);
  while (g_hash_table_iter_next(&iter, NULL, &value)) {
    const Subscriber *subscriber = value;

    if (subscriber->wd == event->wd || (event->mask & IN_Q_OVERFLOW))
      g_array_append_val(ids, subscriber->id);
  }
  return ids;
}

static void
tell(EppdPathWatch *watch, const struct inotify_event *event)
{
  g_autoptr(GArray) ids = ids_of(watch, event);
  const char *name = event->len > 0 ? event->name : NULL;

  for (guint i = 0; i < ids->len; i++) {
    gpointer id = GUINT_TO_POINTER(g_array_index(ids, guint, i));
    const Subscriber *subscriber = g_hash_table_lookup(watch->subscribers, id);
    EppdPathEvent func;
    gpointer data;

    if (!subscriber)
      continue;
    func = subscriber->event;
    data = subscriber->data;
    if (event->mask & IN_IGNORED)
      g_hash_table_remove(watch->subscribers, id);
    func(event->mask, name, data);
  }
}

/* The user's other programs may have used them up: then what starts and changes shows late or not
 * at all, which nobody could explain. */
static void
say_full(EppdPathWatch *watch)
{
  if (!watch->is_full)
    eppd_warning("paths", "no more files can be watched (fs.inotify.max_user_watches): games that "
                          "start and desktop entries that change may go unnoticed");
  watch->is_full = true;
}

EppdPathWatch *
eppd_path_watch_new(GError **error)
{
  EppdPathWatch *watch;
  int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

  if (fd < 0) {
    eppd_error_set_errno(error, errno, "Could not make an inotify instance");
    return NULL;
  }
  watch = g_new0(EppdPathWatch, 1);
  watch->fd = fd;
  watch->subscribers = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  return watch;
}

void
eppd_path_watch_free(EppdPathWatch *watch)
{
  close(watch->fd);
  g_hash_table_unref(watch->subscribers);
  g_free(watch);
}

int
eppd_path_watch_fd(const EppdPathWatch *watch)
{
  return watch->fd;
}

guint
eppd_path_watch_add(EppdPathWatch *watch,
                    const char *path,
                    guint32 mask,
                    EppdPathEvent event,
                    gpointer data,
                    GError **error)
{
  Subscriber *subscriber;
  /* Added to what another one watches the same file for. */
  int wd = inotify_add_watch(watch->fd, path, mask | IN_MASK_ADD);

  if (wd < 0) {
    int saved_errno = errno;

    if (saved_errno == ENOSPC)
      say_full(watch);
    eppd_error_set_errno(error, saved_errno, "Could not watch %s", path);
    return 0;
  }
  subscriber = g_new0(Subscriber, 1);
  subscriber->id = ++watch->last_id;
  subscriber->wd = wd;
  subscriber->event = event;
  subscriber->data = data;
  g_hash_table_insert(watch->subscribers, GUINT_TO_POINTER(subscriber->id), subscriber);
  return subscriber->id;
}

void
eppd_path_watch_remove(EppdPathWatch *watch, guint id)
{
  const Subscriber *subscriber = g_hash_table_lookup(watch->subscribers, GUINT_TO_POINTER(id));
  int wd;

  if (!subscriber)
    return;
  wd = subscriber->wd;
  g_hash_table_remove(watch->subscribers, GUINT_TO_POINTER(id));
  if (!has_subscriber(watch, wd))
    inotify_rm_watch(watch->fd, wd);
}

void
eppd_path_watch_dispatch(EppdPathWatch *watch)
{
  _Alignas(struct inotify_event) char buffer[4096];

  for (guint i = 0; i < DISPATCH_MAX_READS; i++) {
    ssize_t n = TEMP_FAILURE_RETRY(read(watch->fd, buffer, sizeof buffer));

    if (n <= 0)
      return;
    for (const char *p = buffer; p < buffer + n;) {
      const struct inotify_event *event = (const struct inotify_event *)(const void *)p;

      tell(watch, event);
      p += sizeof *event + event->len;
    }
  }
}
