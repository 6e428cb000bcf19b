/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/key-file.h"

#include "base/file-bytes.h"

#include <string.h>

/* Some editors put it before the first line. */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

struct _EppdKeyFile {
  char *path;
  GKeyFile *keys;
  GHashTable *lines; /* "group\nkey" or "group" → line number */
};

static char *
line_id(const char *group, const char *key)
{
  return key ? g_strconcat(group, "\n", key, NULL) : g_strdup(group);
}

/* Names that no version of GKeyFile refuses. "Encoding" is special to it. */
static gboolean
is_plain_name(const char *name)
{
  gsize length = strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_");

  return length > 0 && name[length] == '\0' && strcmp(name, "Encoding") != 0;
}

/* GKeyFile has its own rules for group and key names, so let it judge the others. */
static gboolean
is_accepted(const char *text)
{
  g_autoptr(GKeyFile) keys = g_key_file_new();

  return g_key_file_load_from_data(keys, text, strlen(text), G_KEY_FILE_NONE, NULL);
}

/* The group that the header @line opens; NULL if it is none. */
static char *
group_of_line(const char *line)
{
  const char *end = strchr(line, ']');
  g_autofree char *group = end ? g_strndup(line + 1, (gsize)(end - line - 1)) : NULL;

  if (!group || !g_utf8_validate(line, -1, NULL))
    return NULL;
  if ((is_plain_name(group) && end[1] == '\0') || is_accepted(line))
    return g_steal_pointer(&group);
  return NULL;
}

/* The key that @line sets; NULL if it sets none. */
static char *
key_of_line(const char *line)
{
  const char *equals = strchr(line, '=');
  g_autofree char *key = NULL;
  g_autofree char *probe = NULL;

  if (!equals || equals == line || !g_utf8_validate(line, -1, NULL))
    return NULL;
  key = g_strchomp(g_strndup(line, (gsize)(equals - line)));
  if (is_plain_name(key))
    return g_steal_pointer(&key);
  probe = g_strdup_printf("[x]\n%s\n", line);
  return is_accepted(probe) ? g_steal_pointer(&key) : NULL;
}

/* Why the line is lost; NULL if it is not. */
static const char *
fault_of_line(const char *line, const char *group, const char *key)
{
  if (*line == '[' ? !group : !key)
    return "is no group, key=value or comment";
  /* A key below a bad group header is lost with it: guessing its group would be worse. */
  return group ? NULL : "is below no valid group";
}

/* Cuts the next line off [*@cursor, @end), which is followed by a NUL; NULL behind the last. */
static char *
next_line(char **cursor, char *end)
{
  char *line = *cursor;
  char *newline;

  if (line >= end)
    return NULL;
  newline = memchr(line, '\n', (gsize)(end - line));
  if (newline)
    *newline = '\0';
  *cursor = newline ? newline + 1 : end;
  return line;
}

/* Keeps the lines that make sense, notes where they stood, and reports the others. Cuts @text. */
static void
sift(EppdKeyFile *file, char *text, gsize length, EppdKeyFileBadLine bad_line, gpointer data)
{
  char *end = text + length;
  char *line;
  guint number = 0;
  g_autoptr(GString) good = g_string_new(NULL);
  g_autofree char *group = NULL;

  while ((line = next_line(&text, end))) {
    g_autofree char *key = NULL;
    const char *fault;

    number++;
    line = g_strstrip(line);
    if (!*line || *line == '#')
      continue;

    if (*line == '[') {
      g_free(group);
      group = group_of_line(line);
    } else {
      key = key_of_line(line);
    }
    fault = fault_of_line(line, group, key);
    if (fault) {
      if (bad_line)
        bad_line(file->path, number, line, fault, data);
      continue;
    }
    g_string_append(good, line);
    g_string_append_c(good, '\n');
    g_hash_table_replace(file->lines, line_id(group, key), GUINT_TO_POINTER(number));
  }

  /* Each line was accepted on its own, so that the whole is too. */
  g_key_file_load_from_data(file->keys, good->str, good->len, G_KEY_FILE_NONE, NULL);
}

EppdKeyFile *
eppd_key_file_load(const char *path, EppdKeyFileBadLine bad_line, gpointer data, GError **error)
{
  gsize length = 0;
  gsize bom;
  g_autofree char *text = eppd_file_bytes_all(path, EPPD_KEY_FILE_MAX, &length, error);
  EppdKeyFile *file;

  if (!text)
    return NULL;
  /* A NUL would hide all that follows it: let it make its own line a bad one instead, as a byte
   * that UTF-8 never has. */
  for (gsize i = 0; i < length; i++) {
    if (text[i] == '\0')
      text[i] = '\xff';
  }

  file = g_new0(EppdKeyFile, 1);
  file->path = g_strdup(path);
  file->keys = g_key_file_new();
  file->lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  bom = g_str_has_prefix(text, BYTE_ORDER_MARK) ? strlen(BYTE_ORDER_MARK) : 0;
  sift(file, text + bom, length - bom, bad_line, data);
  return file;
}

void
eppd_key_file_free(EppdKeyFile *file)
{
  g_free(file->path);
  g_key_file_unref(file->keys);
  g_hash_table_unref(file->lines);
  g_free(file);
}

const char *
eppd_key_file_path(EppdKeyFile *file)
{
  return file->path;
}

GKeyFile *
eppd_key_file_get(EppdKeyFile *file)
{
  return file->keys;
}

guint
eppd_key_file_line(EppdKeyFile *file, const char *group, const char *key)
{
  g_autofree char *id = line_id(group, key);

  return GPOINTER_TO_UINT(g_hash_table_lookup(file->lines, id));
}

/* The first # that stands behind white space, or first. */
static void
cut_trailing_comment(char *text)
{
  for (char *p = text; (p = strchr(p, '#')); p++) {
    if (p == text || g_ascii_isspace(p[-1])) {
      *p = '\0';
      break;
    }
  }
  g_strchomp(text);
}

char *
eppd_key_file_value(EppdKeyFile *file, const char *group, const char *key)
{
  char *text = g_key_file_get_value(file->keys, group, key, NULL);

  if (text)
    cut_trailing_comment(text);
  return text;
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

GPtrArray *
eppd_key_file_paths(const char *directory)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir))) {
    if (name[0] != '.' && g_str_has_suffix(name, ".conf"))
      g_ptr_array_add(paths, g_build_filename(directory, name, NULL));
  }
  g_ptr_array_sort(paths, compare_names);
  return paths;
}

bool
eppd_boolean_parse(const char *text, bool *value)
{
  static const char *const yes[] = {"true", "yes", "on", "1", NULL};
  static const char *const no[] = {"false", "no", "off", "0", NULL};
  g_autofree char *lower = g_ascii_strdown(text, -1);

  if (!g_strv_contains(yes, lower) && !g_strv_contains(no, lower))
    return false;
  *value = g_strv_contains(yes, lower);
  return true;
}
