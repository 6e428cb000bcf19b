/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/file-watch.h"

#include "base/error.h"

#include <errno.h>
#include <sys/inotify.h>
#include <unistd.h>

/* Bounds the work of one drain(): what is left keeps the descriptor readable. */
#define DRAIN_MAX_READS 64

struct _EppdFileWatch {
  int fd;
  GHashTable *tags_by_wd; /* watch descriptor → GArray of guint */
};

static void
add_unique(GArray *tags, guint tag)
{
  for (guint i = 0; i < tags->len; i++) {
    if (g_array_index(tags, guint, i) == tag)
      return;
  }
  g_array_append_val(tags, tag);
}

static void
collect(GHashTable *collected, const GArray *tags)
{
  for (guint i = 0; tags && i < tags->len; i++)
    g_hash_table_add(collected, GUINT_TO_POINTER(g_array_index(tags, guint, i)));
}

static void
collect_all(EppdFileWatch *watch, GHashTable *collected)
{
  GHashTableIter iter;
  gpointer tags;

  g_hash_table_iter_init(&iter, watch->tags_by_wd);
  while (g_hash_table_iter_next(&iter, NULL, &tags))
    collect(collected, tags);
}

static void
take_event(EppdFileWatch *watch,
           const struct inotify_event *event,
           GHashTable *collected,
           bool *vanished)
{
  if (event->mask & IN_Q_OVERFLOW) {
    collect_all(watch, collected);
    *vanished = true;
    return;
  }
  collect(collected, g_hash_table_lookup(watch->tags_by_wd, GINT_TO_POINTER(event->wd)));
  if (event->mask & IN_IGNORED) {
    g_hash_table_remove(watch->tags_by_wd, GINT_TO_POINTER(event->wd));
    *vanished = true;
  }
}

static int
compare_tags(const void *a, const void *b)
{
  guint x = *(const guint *)a;
  guint y = *(const guint *)b;

  return (x > y) - (x < y);
}

EppdFileWatch *
eppd_file_watch_new(GError **error)
{
  EppdFileWatch *watch;
  int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

  if (fd < 0) {
    eppd_error_set_errno(error, errno, "Could not make an inotify instance");
    return NULL;
  }
  watch = g_new0(EppdFileWatch, 1);
  watch->fd = fd;
  watch->tags_by_wd = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  return watch;
}

void
eppd_file_watch_free(EppdFileWatch *watch)
{
  close(watch->fd);
  g_hash_table_unref(watch->tags_by_wd);
  g_free(watch);
}

int
eppd_file_watch_fd(const EppdFileWatch *watch)
{
  return watch->fd;
}

static gboolean
add_watch(EppdFileWatch *watch, const char *path, guint32 mask, guint tag, GError **error)
{
  GArray *tags;
  /* Added to what another tag watches it for. */
  int wd = inotify_add_watch(watch->fd, path, mask | IN_MASK_ADD);

  if (wd < 0)
    return eppd_error_set_errno(error, errno, "Could not watch %s", path);
  tags = g_hash_table_lookup(watch->tags_by_wd, GINT_TO_POINTER(wd));
  if (!tags) {
    tags = g_array_new(FALSE, FALSE, sizeof(guint));
    g_hash_table_insert(watch->tags_by_wd, GINT_TO_POINTER(wd), tags);
  }
  add_unique(tags, tag);
  return TRUE;
}

gboolean
eppd_file_watch_add(EppdFileWatch *watch, const char *path, guint tag, GError **error)
{
  return add_watch(watch, path, IN_MODIFY, tag, error);
}

gboolean
eppd_file_watch_add_directory(EppdFileWatch *watch, const char *path, guint tag, GError **error)
{
  return add_watch(watch, path,
                   IN_ONLYDIR | IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM,
                   tag, error);
}

GArray *
eppd_file_watch_drain(EppdFileWatch *watch, bool *vanished)
{
  g_autoptr(GHashTable) collected = g_hash_table_new(NULL, NULL);
  GArray *tags = g_array_new(FALSE, FALSE, sizeof(guint));
  _Alignas(struct inotify_event) char buffer[4096];
  GHashTableIter iter;
  gpointer key;

  *vanished = false;
  for (guint i = 0; i < DRAIN_MAX_READS; i++) {
    ssize_t n = TEMP_FAILURE_RETRY(read(watch->fd, buffer, sizeof buffer));
    const char *end = buffer + MAX(n, 0);

    if (n <= 0)
      break;
    for (const char *p = buffer; p < end;) {
      const struct inotify_event *event = (const struct inotify_event *)(const void *)p;

      take_event(watch, event, collected, vanished);
      p += sizeof *event + event->len;
    }
  }

  g_hash_table_iter_init(&iter, collected);
  while (g_hash_table_iter_next(&iter, &key, NULL)) {
    guint tag = GPOINTER_TO_UINT(key);

    g_array_append_val(tags, tag);
  }
  g_array_sort(tags, compare_tags);
  return tags;
}
