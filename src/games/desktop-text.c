/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/desktop-text.h"

#include "base/file-bytes.h"

#include <string.h>

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

char *
eppd_desktop_text_read(const char *path, gsize *length, GError **error)
{
  return eppd_file_bytes_all(path, EPPD_DESKTOP_TEXT_MAX, length, error);
}
