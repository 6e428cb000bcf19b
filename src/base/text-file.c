/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text-file.h"

#include "base/error.h"
#include "base/file-bytes.h"

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

  if (length > 0 && memchr(bytes, '\0', length)) {
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

static gsize
line_length(const char *bytes, gsize length)
{
  const char *newline = length > 0 ? memchr(bytes, '\n', length) : NULL;

  return newline ? (gsize)(newline - bytes) : length;
}

static char *
too_long(const char *path, gsize max, GError **error)
{
  g_set_error(error, EPPD_ERROR, EPPD_ERROR_LIMIT, "%s holds more than %zu bytes", path, max);
  return NULL;
}

char *
eppd_text_file_read(const char *path, GError **error)
{
  gsize length = 0;
  g_autofree char *bytes = eppd_file_bytes_start(path, EPPD_TEXT_FILE_MAX + 1, &length, error);

  if (!bytes)
    return NULL;
  if (length > EPPD_TEXT_FILE_MAX)
    return too_long(path, EPPD_TEXT_FILE_MAX, error);
  return take_text(bytes, length, path, error);
}

char *
eppd_text_file_read_line(const char *path, GError **error)
{
  gsize length = 0;
  g_autofree char *bytes = eppd_file_bytes_start(path, EPPD_TEXT_FILE_MAX + 1, &length, error);

  if (!bytes)
    return NULL;
  length = line_length(bytes, length);
  if (length > EPPD_TEXT_FILE_MAX)
    return too_long(path, EPPD_TEXT_FILE_MAX, error);
  return take_text(bytes, length, path, error);
}

char *
eppd_text_file_read_start(const char *path, GError **error)
{
  gsize length = 0;
  g_autofree char *bytes = eppd_file_bytes_start(path, EPPD_TEXT_FILE_MAX, &length, error);

  return bytes ? take_text(bytes, length, path, error) : NULL;
}

char *
eppd_text_file_pread(int fd, const char *path, GError **error)
{
  char buffer[PREAD_MAX + 1];
  ssize_t n = TEMP_FAILURE_RETRY(pread(fd, buffer, sizeof buffer, 0));
  gsize length;

  if (n < 0) {
    eppd_error_set_errno(error, errno, "Could not read %s", path);
    return NULL;
  }
  length = line_length(buffer, (gsize)n);
  if (length > PREAD_MAX)
    return too_long(path, PREAD_MAX, error);
  return take_text(buffer, length, path, error);
}

gboolean
eppd_text_file_read_number(const char *path, gint64 min, gint64 max, gint64 *value, GError **error)
{
  g_autofree char *text = eppd_text_file_read_line(path, error);
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
  g_autofree char *line = g_strconcat(text, "\n", NULL);
  gsize length = strlen(line);
  ssize_t n = TEMP_FAILURE_RETRY(pwrite(fd, line, length, 0));

  /* Some files have no offset (/proc/PID/autogroup). */
  if (n < 0 && errno == ESPIPE)
    n = TEMP_FAILURE_RETRY(write(fd, line, length));
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

gboolean
eppd_text_file_update(const char *path, const char *text, GError **error)
{
  g_autofree char *current = eppd_text_file_read_line(path, NULL);

  return g_strcmp0(current, text) == 0 || eppd_text_file_write(path, text, error);
}
