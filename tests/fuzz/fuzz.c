/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"

#include "scratch.h"

#include <stdlib.h>

#define FILE_MARK "=== "

static Scratch *scratch;

/* Criticals are what an assertion of a library says, and so are GLib's own warnings: none may be
 * within reach of an input. Ours are for people, and expected. */
static bool
is_fatal(GLogLevelFlags level, const char *domain)
{
  return (level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR)) != 0 ||
         ((level & G_LOG_LEVEL_WARNING) && g_str_has_prefix(domain, "GLib"));
}

static GLogWriterOutput
drop_message(GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  const char *message = "";
  const char *domain = "";

  for (gsize i = 0; i < n_fields; i++) {
    if (g_str_equal(fields[i].key, "MESSAGE"))
      message = fields[i].value;
    else if (g_str_equal(fields[i].key, "GLIB_DOMAIN"))
      domain = fields[i].value;
  }
  if (!is_fatal(level, domain))
    return G_LOG_WRITER_HANDLED;
  fprintf(stderr, "%s: %s\n", domain, message);
  abort();
}

static void
remove_scratch(void)
{
  g_clear_pointer(&scratch, scratch_free);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
  /* Nothing of the machine that it runs on: no bus, no session. */
  g_unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
  g_unsetenv("DBUS_SESSION_BUS_ADDRESS");
  g_log_set_writer_func(drop_message, NULL, NULL);
  return 0;
}

const char *
fuzz_scratch(void)
{
  if (!scratch) {
    scratch = scratch_new();
    atexit(remove_scratch);
  }
  return scratch;
}

void
fuzz_clear(void)
{
  g_autoptr(GDir) dir = g_dir_open(fuzz_scratch(), 0, NULL);
  const char *name;

  g_assert_nonnull(dir);
  while ((name = g_dir_read_name(dir)))
    scratch_remove(scratch, name);
}

char *
fuzz_text(const uint8_t *data, size_t size)
{
  return g_strndup((const char *)data, size);
}

/* The end of the line at @offset, its newline included. */
static size_t
end_of_line(const char *text, size_t size, size_t offset)
{
  const char *newline = memchr(text + offset, '\n', size - offset);

  return newline ? (size_t)(newline - text) + 1 : size;
}

static bool
is_mark(const char *text, size_t start, size_t end)
{
  return end - start > strlen(FILE_MARK) && memcmp(text + start, FILE_MARK, strlen(FILE_MARK)) == 0;
}

void
fuzz_split(const uint8_t *data, size_t size, FuzzFileFunc func, gpointer user_data)
{
  const char *text = (const char *)data;
  g_autofree char *name = g_strdup("");
  size_t start = 0;

  if (size == 0)
    return;
  for (size_t line = 0, next; line < size; line = next) {
    next = end_of_line(text, size, line);
    if (!is_mark(text, line, next))
      continue;
    if (line > start || *name)
      func(name, text + start, line - start, user_data);
    g_free(name);
    name = g_strstrip(g_strndup(text + line + strlen(FILE_MARK), next - line - strlen(FILE_MARK)));
    start = next;
  }
  func(name, text + start, size - start, user_data);
}

typedef struct {
  const FuzzPlace *places;
  gsize n_places;
} Places;

static void
write_file(const char *name, const char *bytes, gsize length, gpointer data)
{
  const Places *places = data;

  for (gsize i = 0; i < places->n_places; i++) {
    if (g_str_equal(places->places[i].name, name))
      scratch_write_bytes(scratch, places->places[i].path, bytes, length);
  }
}

void
fuzz_write_files(const uint8_t *data, size_t size, const FuzzPlace *places, gsize n_places)
{
  Places all = {places, n_places};

  fuzz_scratch();
  fuzz_split(data, size, write_file, &all);
}
