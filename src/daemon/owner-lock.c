/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/owner-lock.h"

#include "base/error.h"
#include "base/text-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* flock(2) has no time limit, and a thread that blocks in it can't be called back: the wait looks
 * again this often. A change of owner takes that much longer. */
#define WAIT_STEP_USEC (20 * 1000)

struct _EppdOwnerLock {
  int fd;
};

typedef struct {
  char *runtime_dir;
  gint64 deadline_usec;
} Wait;

static void
wait_free(Wait *wait)
{
  g_free(wait->runtime_dir);
  g_free(wait);
}

static gboolean
fail_held(const char *path, GError **error)
{
  gint64 pid = 0;

  if (eppd_text_file_read_number(path, 1, G_MAXINT32, &pid, NULL))
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_BUSY, "%s is held by process %" G_GINT64_FORMAT, path,
                pid);
  else
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_BUSY, "%s is held by another process", path);
  return FALSE;
}

/* What most often is in the way is that it is not root's. */
static void
set_errno(GError **error, int errnum, const char *what, const char *path)
{
  g_autoptr(GError) cause = NULL;
  bool denied = eppd_error_from_errno(errnum) == EPPD_ERROR_DENIED;

  eppd_error_set_errno(&cause, errnum, "Could not %s %s", what, path);
  g_set_error(error, cause->domain, cause->code, "%s%s", cause->message,
              denied ? ": run eppd as root, or with --runtime-dir DIR" : "");
}

/* Whether @path still is the file that was locked: a directory that was cleared meanwhile has
 * another one, which others would lock. */
static bool
is_same_file(int fd, const char *path)
{
  struct stat locked;
  struct stat named;

  return fstat(fd, &locked) == 0 && stat(path, &named) == 0 && locked.st_dev == named.st_dev &&
         locked.st_ino == named.st_ino;
}

/* For the messages of those who find it held; the lock holds without it. */
static void
write_pid(int fd)
{
  g_autofree char *text = g_strdup_printf("%d\n", (int)getpid());
  gsize length = strlen(text);

  if (ftruncate(fd, 0) < 0 || pwrite(fd, text, length, 0) != (ssize_t)length)
    return;
}

/* Opens and locks; *@replaced says that it locked a file that is no longer there. -1 with @error.
 */
static int
lock_file(const char *path, bool *replaced, GError **error)
{
  int fd = TEMP_FAILURE_RETRY(
      open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0644));

  if (fd < 0) {
    set_errno(error, errno, "open", path);
    return -1;
  }
  if (TEMP_FAILURE_RETRY(flock(fd, LOCK_EX | LOCK_NB)) < 0) {
    int saved_errno = errno;

    close(fd);
    if (saved_errno == EWOULDBLOCK)
      fail_held(path, error);
    else
      set_errno(error, saved_errno, "lock", path);
    return -1;
  }
  *replaced = !is_same_file(fd, path);
  return fd;
}

EppdOwnerLock *
eppd_owner_lock_try(const char *runtime_dir, GError **error)
{
  g_autofree char *path = g_build_filename(runtime_dir, "lock", NULL);
  EppdOwnerLock *lock;
  bool replaced = true;
  int fd = -1;

  if (g_mkdir_with_parents(runtime_dir, 0755) < 0) {
    set_errno(error, errno, "make the directory", runtime_dir);
    return NULL;
  }
  while (replaced) {
    if (fd >= 0)
      close(fd);
    fd = lock_file(path, &replaced, error);
    if (fd < 0)
      return NULL;
  }
  write_pid(fd);
  lock = g_new0(EppdOwnerLock, 1);
  lock->fd = fd;
  return lock;
}

void
eppd_owner_lock_free(EppdOwnerLock *lock)
{
  close(lock->fd);
  g_free(lock);
}

static void
wait_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Wait *wait = data;

  for (;;) {
    g_autoptr(GError) error = NULL;
    EppdOwnerLock *lock = eppd_owner_lock_try(wait->runtime_dir, &error);

    if (lock) {
      g_task_return_pointer(task, lock, (GDestroyNotify)eppd_owner_lock_free);
      return;
    }
    if (!g_error_matches(error, EPPD_ERROR, EPPD_ERROR_BUSY) ||
        g_get_monotonic_time() >= wait->deadline_usec) {
      g_task_return_error(task, g_steal_pointer(&error));
      return;
    }
    g_usleep(WAIT_STEP_USEC);
  }
}

void
eppd_owner_lock_wait_async(const char *runtime_dir,
                           gint64 timeout_usec,
                           GAsyncReadyCallback callback,
                           gpointer data)
{
  g_autoptr(GTask) task = g_task_new(NULL, NULL, callback, data);
  Wait *wait = g_new0(Wait, 1);

  wait->runtime_dir = g_strdup(runtime_dir);
  wait->deadline_usec = g_get_monotonic_time() + timeout_usec;
  g_task_set_task_data(task, wait, (GDestroyNotify)wait_free);
  g_task_run_in_thread(task, wait_in_thread);
}

EppdOwnerLock *
eppd_owner_lock_wait_finish(GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer(G_TASK(result), error);
}
