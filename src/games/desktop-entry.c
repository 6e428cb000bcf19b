/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/desktop-entry.h"

#include "base/error.h"
#include "base/printable.h"
#include "games/desktop-text.h"

#include <string.h>

#define PROBLEMS_MAX 16

/* Of a value in a message. */
#define SHOWN_MAX 80

typedef enum {
  KEY_TYPE,
  KEY_NAME,
  KEY_EXEC,
  KEY_STARTUP_WM_CLASS,
  KEY_FLATPAK,
  KEY_SNAP_INSTANCE,
  KEY_SNAP_APP,
  KEY_CATEGORIES,
  KEY_HIDDEN,
  KEY_NO_DISPLAY,
  KEY_DBUS_ACTIVATABLE,
  KEY_PREFERS_NON_DEFAULT_GPU,
  N_KEYS,
} Key;

static const char *const key_names[N_KEYS] = {
    [KEY_TYPE] = "Type",
    [KEY_NAME] = "Name",
    [KEY_EXEC] = "Exec",
    [KEY_STARTUP_WM_CLASS] = "StartupWMClass",
    [KEY_FLATPAK] = "X-Flatpak",
    [KEY_SNAP_INSTANCE] = "X-SnapInstanceName",
    [KEY_SNAP_APP] = "X-SnapAppName",
    [KEY_CATEGORIES] = "Categories",
    [KEY_HIDDEN] = "Hidden",
    [KEY_NO_DISPLAY] = "NoDisplay",
    [KEY_DBUS_ACTIVATABLE] = "DBusActivatable",
    [KEY_PREFERS_NON_DEFAULT_GPU] = "PrefersNonDefaultGPU",
};

/* The last line of each key that matters; its number is 0 where there is none. */
typedef struct {
  EppdDesktopLine keys[N_KEYS];
  EppdDesktopLine boost_keys[EPPD_N_BOOST_KEYS];
  bool has_entry;
} Found;

/* ---- values ---- */

/* The character that the escape \@c stands for; 0 if it is none. */
static char
unescaped(char c)
{
  switch (c) {
  case 's':
    return ' ';
  case 'n':
    return '\n';
  case 't':
    return '\t';
  case 'r':
    return '\r';
  case '\\':
    return '\\';
  default:
    return '\0';
  }
}

/* The value of a key, as bytes; NULL if it is not there. An escape that is none stays as it is. */
static char *
get_bytes(const EppdDesktopLine *line)
{
  GString *out;

  if (line->number == 0)
    return NULL;
  out = g_string_sized_new(line->value_length);
  for (gsize i = 0; i < line->value_length; i++) {
    char c = line->value[i];
    char escaped = c == '\\' && i + 1 < line->value_length ? unescaped(line->value[i + 1]) : '\0';

    g_string_append_c(out, escaped ? escaped : c);
    if (escaped)
      i++;
  }
  return g_string_free(out, FALSE);
}

static char *
get_text(const EppdDesktopLine *line)
{
  g_autofree char *bytes = get_bytes(line);

  return bytes ? g_utf8_make_valid(bytes, -1) : NULL;
}

/* A category holds no escapes and no white space, but people put some around it. */
static char **
get_list(const EppdDesktopLine *line)
{
  g_autofree char *text = get_text(line);
  g_auto(GStrv) items = g_strsplit(text ? text : "", ";", -1);
  GPtrArray *list = g_ptr_array_new();

  for (guint i = 0; items[i]; i++) {
    if (*g_strstrip(items[i]))
      g_ptr_array_add(list, g_strdup(items[i]));
  }
  g_ptr_array_add(list, NULL);
  return (char **)g_ptr_array_free(list, FALSE);
}

/* Old entries have numbers; GKeyFile takes both. */
static bool
get_flag(const EppdDesktopLine *line)
{
  g_autofree char *text = get_bytes(line);

  return text && (g_str_equal(text, "true") || g_str_equal(text, "1"));
}

/* ---- lines ---- */

static void
complain(EppdDesktopEntry *entry, const EppdDesktopLine *line, const char *expected)
{
  g_autofree char *key = g_strndup(line->key, line->key_length);
  g_autofree char *value = g_strndup(line->value, line->value_length);
  g_autofree char *shown_key = eppd_printable(key, SHOWN_MAX);
  g_autofree char *shown_value = eppd_printable(value, SHOWN_MAX);

  if (entry->problems->len < PROBLEMS_MAX)
    g_ptr_array_add(entry->problems,
                    g_strdup_printf("line %u: %s=%s: expected %s; ignoring it", line->number,
                                    shown_key, shown_value, expected));
}

static bool
is_boost_like(const EppdDesktopLine *line)
{
  gsize length = strlen(EPPD_BOOST_KEY_PREFIX);

  return line->key_length >= length && memcmp(line->key, EPPD_BOOST_KEY_PREFIX, length) == 0;
}

static void
note_boost_key(EppdDesktopEntry *entry, const EppdDesktopLine *line, Found *found)
{
  for (int key = 0; key < EPPD_N_BOOST_KEYS; key++) {
    if (eppd_desktop_line_is_key(line, eppd_boost_key_name((EppdBoostKey)key))) {
      found->boost_keys[key] = *line;
      return;
    }
  }
  complain(entry, line, "a key of Boost, Trigger, Threshold, Profile");
}

static void
note_key(const EppdDesktopLine *line, Found *found)
{
  for (int key = 0; key < N_KEYS; key++) {
    if (eppd_desktop_line_is_key(line, key_names[key]))
      found->keys[key] = *line;
  }
}

static void
find_keys(EppdDesktopEntry *entry, const char *bytes, gsize length, Found *found)
{
  EppdDesktopText text;
  EppdDesktopLine line;

  eppd_desktop_text_init(&text, bytes, length);
  while (eppd_desktop_text_next(&text, &line)) {
    if (!line.in_entry)
      continue;
    found->has_entry = true;
    if (line.kind != EPPD_DESKTOP_LINE_KEY)
      continue;
    if (is_boost_like(&line))
      note_boost_key(entry, &line, found);
    else
      note_key(&line, found);
  }
}

static void
take_boost_keys(EppdDesktopEntry *entry, const Found *found)
{
  for (int key = 0; key < EPPD_N_BOOST_KEYS; key++) {
    const EppdDesktopLine *line = &found->boost_keys[key];
    g_autofree char *value = get_bytes(line);

    if (value && !eppd_boost_keys_parse(&entry->keys, (EppdBoostKey)key, value))
      complain(entry, line, eppd_boost_key_expected((EppdBoostKey)key));
  }
}

static void
take_keys(EppdDesktopEntry *entry, const EppdDesktopLine *keys)
{
  entry->type = get_text(&keys[KEY_TYPE]);
  entry->name = get_text(&keys[KEY_NAME]);
  entry->exec = get_bytes(&keys[KEY_EXEC]);
  entry->startup_wm_class = get_text(&keys[KEY_STARTUP_WM_CLASS]);
  entry->flatpak = get_text(&keys[KEY_FLATPAK]);
  entry->snap_instance = get_text(&keys[KEY_SNAP_INSTANCE]);
  entry->snap_app = get_text(&keys[KEY_SNAP_APP]);
  entry->categories = get_list(&keys[KEY_CATEGORIES]);
  entry->hidden = get_flag(&keys[KEY_HIDDEN]);
  entry->no_display = get_flag(&keys[KEY_NO_DISPLAY]);
  entry->dbus_activatable = get_flag(&keys[KEY_DBUS_ACTIVATABLE]);
  entry->prefers_non_default_gpu = get_flag(&keys[KEY_PREFERS_NON_DEFAULT_GPU]);
}

EppdDesktopEntry *
eppd_desktop_entry_parse(const char *bytes, gsize length, GError **error)
{
  g_autoptr(EppdDesktopEntry) entry = NULL;
  Found found = {0};

  if (length > EPPD_DESKTOP_TEXT_MAX) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_LIMIT, "a desktop entry of more than %d bytes",
                EPPD_DESKTOP_TEXT_MAX);
    return NULL;
  }
  entry = g_new0(EppdDesktopEntry, 1);
  entry->problems = g_ptr_array_new_with_free_func(g_free);
  find_keys(entry, bytes, length, &found);
  if (!found.has_entry) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "there is no group [Desktop Entry]");
    return NULL;
  }
  take_keys(entry, found.keys);
  take_boost_keys(entry, &found);
  return g_steal_pointer(&entry);
}

EppdDesktopEntry *
eppd_desktop_entry_load(const char *path, GError **error)
{
  gsize length = 0;
  g_autofree char *bytes = eppd_desktop_text_read(path, &length, error);
  EppdDesktopEntry *entry;

  if (!bytes)
    return NULL;
  entry = eppd_desktop_entry_parse(bytes, length, error);
  if (!entry)
    g_prefix_error(error, "%s: ", path);
  return entry;
}

void
eppd_desktop_entry_free(EppdDesktopEntry *entry)
{
  g_free(entry->type);
  g_free(entry->name);
  g_free(entry->exec);
  g_free(entry->startup_wm_class);
  g_free(entry->flatpak);
  g_free(entry->snap_instance);
  g_free(entry->snap_app);
  g_strfreev(entry->categories);
  g_ptr_array_unref(entry->problems);
  g_free(entry);
}

bool
eppd_desktop_entry_is_application(const EppdDesktopEntry *entry)
{
  return !entry->hidden && g_strcmp0(entry->type, "Application") == 0;
}

bool
eppd_desktop_entry_has_category(const EppdDesktopEntry *entry, const char *category)
{
  return g_strv_contains((const char *const *)entry->categories, category);
}
