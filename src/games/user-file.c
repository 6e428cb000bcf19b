/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/user-file.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

/* The directory of one file, open, and the file's name in it. */
typedef struct {
  int fd; /* -1: not open */
  const char *name;
} Place;

static void
place_clear(Place *place)
{
  if (place->fd >= 0)
    close(place->fd);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Place, place_clear)

/* Goes down into @name; @make: made where it is not there. */
static gboolean
descend(Place *place, const char *name, bool make, GError **error)
{
  int fd;

  if (g_str_equal(name, "..")) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID,
                "a path with .. in it is none of a file below");
    return FALSE;
  }
  if (make && mkdirat(place->fd, name, 0755) < 0 && errno != EEXIST)
    return eppd_error_set_errno(error, errno, "Could not make the directory %s", name);
  fd = openat(place->fd, name, DIRECTORY_FLAGS | O_NOFOLLOW);
  if (fd < 0)
    return eppd_error_set_errno(error, errno, "Could not open the directory %s, or it is a link",
                                name);
  close(place->fd);
  place->fd = fd;
  return TRUE;
}

static gboolean
open_place(Place *place, const char *directory, const char *relative, bool make, GError **error)
{
  const char *slash;

  /* The mode is the XDG base directory specification's. */
  if (make && g_mkdir_with_parents(directory, 0700) < 0)
    return eppd_error_set_errno(error, errno, "Could not make the directory %s", directory);
  place->fd = open(directory, DIRECTORY_FLAGS);
  if (place->fd < 0)
    return eppd_error_set_errno(error, errno, "Could not open the directory %s", directory);
  for (place->name = relative; (slash = strchr(place->name, '/')); place->name = slash + 1) {
    g_autofree char *part = g_strndup(place->name, (gsize)(slash - place->name));

    if (!descend(place, part, make, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
write_all(int fd, const char *bytes, gsize length)
{
  while (length > 0) {
    ssize_t n = TEMP_FAILURE_RETRY(write(fd, bytes, length));

    if (n < 0)
      return FALSE;
    bytes += n;
    length -= (gsize)n;
  }
  return fsync(fd) == 0;
}

/* The mode of the file that is there; false if there is no regular one. */
static bool
get_mode(const Place *place, mode_t *mode)
{
  struct stat st;

  if (fstatat(place->fd, place->name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
    return false;
  *mode = st.st_mode & 0777;
  return true;
}

/* Writes the new file beside the old one. */
static gboolean
write_new(const Place *place, const char *temporary, const char *bytes, gsize length)
{
  mode_t mode = 0;
  int fd = openat(place->fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  gboolean ok;
  int saved_errno;

  if (fd < 0)
    return FALSE;
  ok = (!get_mode(place, &mode) || fchmod(fd, mode) == 0) && write_all(fd, bytes, length);
  saved_errno = errno;
  close(fd);
  errno = saved_errno;
  return ok;
}

gboolean
eppd_user_file_replace(
    const char *directory, const char *relative, const char *bytes, gsize length, GError **error)
{
  g_auto(Place) place = {.fd = -1};
  /* Not named as a desktop file, so that nobody reads it as one. */
  g_autofree char *temporary = g_strdup_printf(".eppd-%08x%08x", g_random_int(), g_random_int());
  int saved_errno;

  if (!open_place(&place, directory, relative, true, error))
    return FALSE;
  if (write_new(&place, temporary, bytes, length) &&
      renameat(place.fd, temporary, place.fd, place.name) == 0) {
    /* That the name is on the disk too; if not, either file is after a power cut, and whole. */
    fsync(place.fd);
    return TRUE;
  }
  saved_errno = errno;
  unlinkat(place.fd, temporary, 0);
  return eppd_error_set_errno(error, saved_errno, "Could not write %s/%s", directory, relative);
}

gboolean
eppd_user_file_remove(const char *directory, const char *relative, GError **error)
{
  g_auto(Place) place = {.fd = -1};

  if (!open_place(&place, directory, relative, false, error))
    return FALSE;
  if (unlinkat(place.fd, place.name, 0) < 0)
    return eppd_error_set_errno(error, errno, "Could not remove %s/%s", directory, relative);
  fsync(place.fd);
  return TRUE;
}
