/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/program-watch.h"

#include "base/log.h"

#include <stdbool.h>
#include <sys/inotify.h>

#define TOPIC "programs"

/* More would be none of a person's choice, but of a category's. */
#define FILES_MAX 1024

/* Opened again within so many times its rest, it goes on. */
#define GOES_ON 4

typedef struct {
  EppdProgramWatch *watch;
  char *path;
  guint id; /* 0: it rests, or is not there */
  gint64 rest_usec;
  gint64 due_usec; /* when it is watched again; while it rests */
  bool rests;
} File;

struct _EppdProgramWatch {
  EppdPathWatch *watch;
  void (*opened)(gpointer data);
  void (*replaced)(gpointer data);
  gpointer data;
  GHashTable *files; /* path → File */
};

static void
file_free(gpointer data)
{
  File *file = data;

  eppd_path_watch_remove(file->watch->watch, file->id);
  g_free(file->path);
  g_free(file);
}

static void
rest(File *file)
{
  gint64 now_usec = g_get_monotonic_time();
  bool goes_on = now_usec - file->due_usec < GOES_ON * file->rest_usec;

  file->rest_usec =
      goes_on ? MIN(2 * file->rest_usec, EPPD_PROGRAM_REST_MAX_USEC) : EPPD_PROGRAM_REST_USEC;
  file->due_usec = now_usec + file->rest_usec;
  file->rests = true;
  eppd_path_watch_remove(file->watch->watch, file->id);
  file->id = 0;
}

static void
on_event(guint32 mask, const char *name, gpointer data)
{
  File *file = data;
  EppdProgramWatch *watch = file->watch;

  if (mask & IN_IGNORED)
    file->id = 0;
  if (mask & IN_OPEN)
    rest(file);
  if (mask & (IN_OPEN | IN_Q_OVERFLOW))
    watch->opened(watch->data);
  /* A file that is replaced loses a link, and is gone when nobody runs it any more. */
  if (mask & (IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF))
    watch->replaced(watch->data);
}

static void
watch_file(File *file)
{
  g_autoptr(GError) error = NULL;

  file->rests = false;
  file->id = eppd_path_watch_add(file->watch->watch, file->path,
                                 IN_OPEN | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF, on_event,
                                 file, &error);
  if (error)
    eppd_debug(TOPIC, "%s, ignoring it", error->message);
}

EppdProgramWatch *
eppd_program_watch_new(EppdPathWatch *path_watch,
                       void (*opened)(gpointer data),
                       void (*replaced)(gpointer data),
                       gpointer data)
{
  EppdProgramWatch *watch = g_new0(EppdProgramWatch, 1);

  watch->watch = path_watch;
  watch->opened = opened;
  watch->replaced = replaced;
  watch->data = data;
  watch->files = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, file_free);
  return watch;
}

void
eppd_program_watch_free(EppdProgramWatch *watch)
{
  g_hash_table_unref(watch->files);
  g_free(watch);
}

void
eppd_program_watch_set(EppdProgramWatch *watch, const GPtrArray *files)
{
  g_hash_table_remove_all(watch->files);
  for (guint i = 0; i < files->len && g_hash_table_size(watch->files) < FILES_MAX; i++) {
    const char *path = files->pdata[i];
    File *file;

    if (g_hash_table_contains(watch->files, path))
      continue;
    file = g_new0(File, 1);
    file->watch = watch;
    file->path = g_strdup(path);
    file->rest_usec = EPPD_PROGRAM_REST_USEC;
    /* It was never watched, so that it does not go on. */
    file->due_usec = G_MININT64 / 2;
    g_hash_table_insert(watch->files, file->path, file);
    watch_file(file);
  }
}

gint64
eppd_program_watch_resume(EppdProgramWatch *watch, gint64 now_usec)
{
  GHashTableIter iter;
  gpointer value;
  gint64 next_usec = -1;

  g_hash_table_iter_init(&iter, watch->files);
  while (g_hash_table_iter_next(&iter, NULL, &value)) {
    File *file = value;

    if (file->rests && file->due_usec <= now_usec)
      watch_file(file);
    if (file->rests && (next_usec < 0 || file->due_usec < next_usec))
      next_usec = file->due_usec;
  }
  return next_usec;
}
