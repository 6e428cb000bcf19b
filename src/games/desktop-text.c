/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/desktop-text.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define ENTRY_GROUP     "Desktop Entry"

void
eppd_desktop_text_init(EppdDesktopText *text, const char *bytes, gsize length)
{
  *text = (EppdDesktopText){.bytes = bytes, .length = length};
}

/* Cuts white space off both ends of @length bytes at *@start. */
static gsize
trim(const char **start, gsize length)
{
  while (length > 0 && g_ascii_isspace(**start)) {
    (*start)++;
    length--;
  }
  while (length > 0 && g_ascii_isspace((*start)[length - 1]))
    length--;
  return length;
}

static bool
is_text(const char *bytes, gsize length, const char *text)
{
  return length == strlen(text) && memcmp(bytes, text, length) == 0;
}

/* A header has nothing behind its first ']'; another line that starts with '[' opens no group, and
 * ends the one before. */
static void
read_group(const char *content, gsize length, EppdDesktopText *text, EppdDesktopLine *line)
{
  const char *end = memchr(content, ']', length);

  text->in_entry = false;
  if (!end || end != content + length - 1 || length < 3 || memchr(content, '\0', length))
    return;
  line->kind = EPPD_DESKTOP_LINE_GROUP;
  text->in_entry = is_text(content + 1, length - 2, ENTRY_GROUP);
}

static void
read_key(const char *content, gsize length, EppdDesktopLine *line)
{
  const char *equals = memchr(content, '=', length);
  const char *key = content;
  const char *value;
  gsize key_length;

  if (!equals)
    return;
  key_length = trim(&key, (gsize)(equals - content));
  if (key_length == 0)
    return;
  value = equals + 1;
  line->kind = EPPD_DESKTOP_LINE_KEY;
  line->key = key;
  line->key_length = key_length;
  line->value_length = trim(&value, length - (gsize)(equals + 1 - content));
  line->value = value;
}

static void
read_content(const char *content, gsize length, EppdDesktopText *text, EppdDesktopLine *line)
{
  length = trim(&content, length);
  if (length > 0 && *content == '[')
    read_group(content, length, text, line);
  else if (length > 0 && *content != '#' && !memchr(content, '\0', length))
    read_key(content, length, line);
  line->in_entry = text->in_entry;
}

bool
eppd_desktop_text_next(EppdDesktopText *text, EppdDesktopLine *line)
{
  const char *content;
  const char *newline;
  gsize rest;

  if (text->offset >= text->length)
    return false;
  *line = (EppdDesktopLine){.number = ++text->number, .start = text->offset};

  content = text->bytes + text->offset;
  rest = text->length - text->offset;
  newline = memchr(content, '\n', rest);
  if (newline)
    rest = (gsize)(newline - content) + 1;
  text->offset += rest;
  line->end = text->offset;

  if (line->start == 0 && rest >= strlen(BYTE_ORDER_MARK) &&
      memcmp(content, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0) {
    content += strlen(BYTE_ORDER_MARK);
    rest -= strlen(BYTE_ORDER_MARK);
  }
  read_content(content, rest, text, line);
  return true;
}

bool
eppd_desktop_line_is_key(const EppdDesktopLine *line, const char *key)
{
  return line->kind == EPPD_DESKTOP_LINE_KEY && is_text(line->key, line->key_length, key);
}

/* Reads up to @max bytes; -1 with errno. */
static gssize
read_up_to(int fd, char *buffer, gsize max)
{
  gsize n_read = 0;

  while (n_read < max) {
    ssize_t n = TEMP_FAILURE_RETRY(read(fd, buffer + n_read, max - n_read));

    if (n < 0)
      return -1;
    if (n == 0)
      break;
    n_read += (gsize)n;
  }
  return (gssize)n_read;
}

/* The limit holds also for a file that grows meanwhile. */
static char *
read_file(int fd, const char *path, gsize *length, GError **error)
{
  g_autofree char *buffer = NULL;
  struct stat st;
  gssize n_read;

  if (fstat(fd, &st) < 0) {
    eppd_error_set_errno(error, errno, "Could not look at %s", path);
    return NULL;
  }
  if (!S_ISREG(st.st_mode)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "%s is not a regular file", path);
    return NULL;
  }
  buffer = g_malloc(EPPD_DESKTOP_TEXT_MAX + 2);
  n_read = read_up_to(fd, buffer, EPPD_DESKTOP_TEXT_MAX + 1);
  if (n_read < 0) {
    eppd_error_set_errno(error, errno, "Could not read %s", path);
    return NULL;
  }
  if (n_read > EPPD_DESKTOP_TEXT_MAX) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_LIMIT, "%s is larger than %d bytes", path,
                EPPD_DESKTOP_TEXT_MAX);
    return NULL;
  }
  buffer[n_read] = '\0';
  *length = (gsize)n_read;
  return g_realloc(g_steal_pointer(&buffer), (gsize)n_read + 1);
}

char *
eppd_desktop_text_read(const char *path, gsize *length, GError **error)
{
  int fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  char *bytes;

  if (fd < 0) {
    eppd_error_set_errno(error, errno, "Could not open %s", path);
    return NULL;
  }
  bytes = read_file(fd, path, length, error);
  close(fd);
  return bytes;
}
