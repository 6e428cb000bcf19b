/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/file-bytes.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* -1 with @error. */
static int
open_file(const char *path, GError **error)
{
  int fd = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));

  if (fd < 0)
    eppd_error_set_errno(error, errno, "Could not open %s", path);
  return fd;
}

static char *
read_start(int fd, const char *path, gsize max, gsize *length, GError **error)
{
  g_autofree char *bytes = g_malloc(max + 1);
  gsize n_read = 0;

  while (n_read < max) {
    ssize_t n = TEMP_FAILURE_RETRY(read(fd, bytes + n_read, max - n_read));

    if (n < 0) {
      eppd_error_set_errno(error, errno, "Could not read %s", path);
      return NULL;
    }
    if (n == 0)
      break;
    n_read += (gsize)n;
  }
  bytes[n_read] = '\0';
  *length = n_read;
  /* Not the large buffer made smaller, which would leave the heap full of holes. */
  return g_memdup2(bytes, n_read + 1);
}

static char *
read_all(int fd, const char *path, gsize max, gsize *length, GError **error)
{
  g_autofree char *bytes = NULL;
  gsize n_read = 0;
  struct stat st;

  if (fstat(fd, &st) < 0) {
    eppd_error_set_errno(error, errno, "Could not look at %s", path);
    return NULL;
  }
  if (!S_ISREG(st.st_mode)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "%s is not a regular file", path);
    return NULL;
  }
  bytes = read_start(fd, path, max + 1, &n_read, error);
  if (!bytes)
    return NULL;
  if (n_read > max) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_LIMIT, "%s is larger than %zu bytes", path, max);
    return NULL;
  }
  *length = n_read;
  return g_steal_pointer(&bytes);
}

char *
eppd_file_bytes_start(const char *path, gsize max, gsize *length, GError **error)
{
  int fd = open_file(path, error);
  char *bytes;

  if (fd < 0)
    return NULL;
  bytes = read_start(fd, path, max, length, error);
  close(fd);
  return bytes;
}

char *
eppd_file_bytes_all(const char *path, gsize max, gsize *length, GError **error)
{
  int fd = open_file(path, error);
  char *bytes;

  if (fd < 0)
    return NULL;
  bytes = read_all(fd, path, max, length, error);
  close(fd);
  return bytes;
}
