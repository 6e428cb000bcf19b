/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/flag-file.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct _EppdFlagFile {
  char *path;
  char *new_path;
  int fd; /* of what was written last; -1: nothing yet */
};

EppdFlagFile *
eppd_flag_file_new(const char *path)
{
  EppdFlagFile *file = g_new0(EppdFlagFile, 1);

  file->path = g_strdup(path);
  file->new_path = g_strconcat(path, ".new", NULL);
  file->fd = -1;
  return file;
}

static void
set_fd(EppdFlagFile *file, int fd)
{
  if (file->fd >= 0)
    close(file->fd);
  file->fd = fd;
}

void
eppd_flag_file_free(EppdFlagFile *file)
{
  set_fd(file, -1);
  g_free(file->new_path);
  g_free(file->path);
  g_free(file);
}

const char *
eppd_flag_file_path(const EppdFlagFile *file)
{
  return file->path;
}

static gboolean
write_all(int fd, const GString *text)
{
  for (gsize done = 0; done < text->len;) {
    ssize_t n = TEMP_FAILURE_RETRY(write(fd, text->str + done, text->len - done));

    if (n < 0)
      return FALSE;
    done += (gsize)n;
  }
  return TRUE;
}

gboolean
eppd_flag_file_replace(EppdFlagFile *file, const GString *text, GError **error)
{
  int fd;

  /* What a killed daemon left half written. */
  unlink(file->new_path);
  fd = TEMP_FAILURE_RETRY(
      open(file->new_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (fd < 0)
    return eppd_error_set_errno(error, errno, "Could not make %s", file->new_path);
  if (!write_all(fd, text) || rename(file->new_path, file->path) < 0) {
    eppd_error_set_errno(error, errno, "Could not write %s", file->path);
    unlink(file->new_path);
    close(fd);
    return FALSE;
  }
  set_fd(file, fd);
  return TRUE;
}

gboolean
eppd_flag_file_set(EppdFlagFile *file, goffset offset, char byte, GError **error)
{
  return TEMP_FAILURE_RETRY(pwrite(file->fd, &byte, 1, offset)) == 1 ||
         eppd_error_set_errno(error, errno, "Could not write %s", file->path);
}

bool
eppd_flag_file_is_removed(const EppdFlagFile *file)
{
  struct stat status;

  return file->fd >= 0 && fstat(file->fd, &status) == 0 && status.st_nlink == 0;
}

gboolean
eppd_flag_file_remove(EppdFlagFile *file, GError **error)
{
  set_fd(file, -1);
  return unlink(file->path) == 0 || errno == ENOENT ||
         eppd_error_set_errno(error, errno, "Could not remove %s", file->path);
}
