/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text-file.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PREAD_MAX 4096

/* Takes the bytes that were read and makes them text, or an error. */
static char *
take_text(const char *bytes, gsize length, const char *path, GError **error)
{
  char *text;

  if (memchr(bytes, '\0', length)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "%s holds binary data, not text", path);
    return NULL;
  }
  text = g_strstrip(g_strndup(bytes, length));
  if (!*text) {
    g_free(text);
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_EMPTY, "%s is empty", path);
    return NULL;
  }
  return text;
}

char *
eppd_text_file_pread(int fd, const char *path, GError **error)
{
  char buffer[PREAD_MAX];
  ssize_t n = TEMP_FAILURE_RETRY(pread(fd, buffer, sizeof buffer, 0));

  if (n < 0) {
    eppd_error_set_errno(error, errno, "Could not read %s", path);
    return NULL;
  }
  return take_text(buffer, (gsize)n, path, error);
}

char *
eppd_text_file_read(const char *path, GError **error)
{
  g_autofree char *buffer = NULL;
  gsize length = 0;
  int fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));

  if (fd < 0) {
    eppd_error_set_errno(error, errno, "Could not open %s", path);
    return NULL;
  }

  buffer = g_malloc(EPPD_TEXT_FILE_MAX + 1);
  while (length <= EPPD_TEXT_FILE_MAX) {
    ssize_t n = TEMP_FAILURE_RETRY(read(fd, buffer + length, EPPD_TEXT_FILE_MAX + 1 - length));

    if (n < 0) {
      int saved_errno = errno;

      close(fd);
      eppd_error_set_errno(error, saved_errno, "Could not read %s", path);
      return NULL;
    }
    if (n == 0)
      break;
    length += (gsize)n;
  }
  close(fd);

  if (length > EPPD_TEXT_FILE_MAX) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_LIMIT, "%s is larger than %d bytes", path,
                EPPD_TEXT_FILE_MAX);
    return NULL;
  }
  return take_text(buffer, length, path, error);
}

gboolean
eppd_text_file_read_number(const char *path, gint64 min, gint64 max, gint64 *value, GError **error)
{
  g_autofree char *text = eppd_text_file_read(path, error);
  g_autoptr(GError) number_error = NULL;

  if (!text)
    return FALSE;
  if (!g_ascii_string_to_signed(text, 10, min, max, value, &number_error)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "%s: %s", path, number_error->message);
    return FALSE;
  }
  return TRUE;
}

gboolean
eppd_text_file_pwrite(int fd, const char *path, const char *text, GError **error)
{
  gsize length = strlen(text);
  ssize_t n = TEMP_FAILURE_RETRY(pwrite(fd, text, length, 0));

  if (n < 0)
    return eppd_error_set_errno(error, errno, "Could not write '%s' to %s", text, path);
  if ((gsize)n != length) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_FAILED,
                "Only %zd of the %zu bytes of '%s' reached %s", n, length, text, path);
    return FALSE;
  }
  return TRUE;
}

gboolean
eppd_text_file_write(const char *path, const char *text, GError **error)
{
  int fd = TEMP_FAILURE_RETRY(open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  gboolean ok;

  if (fd < 0)
    return eppd_error_set_errno(error, errno, "Could not open %s for writing", path);
  ok = eppd_text_file_pwrite(fd, path, text, error);
  close(fd);
  return ok;
}
