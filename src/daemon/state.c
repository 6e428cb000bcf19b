/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/state.h"

#include "base/error.h"
#include "base/key-file.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STATE_GROUP   "State"
#define ACTIONS_GROUP "Actions"

/* A value's longest useful length in a complaint. */
#define SHOWN_BYTES "80"

EppdState *
eppd_state_new(void)
{
  EppdState *state = g_new0(EppdState, 1);

  state->battery_aware = true;
  state->actions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  return state;
}

void
eppd_state_free(EppdState *state)
{
  g_free(state->cpu_driver);
  g_free(state->platform_driver);
  g_hash_table_unref(state->actions);
  g_free(state);
}

/* Replaces the text in @field; true if it was another. */
static bool
set_text(char **field, const char *text)
{
  if (g_strcmp0(*field, text) == 0)
    return false;
  g_free(*field);
  *field = g_strdup(text);
  return true;
}

bool
eppd_state_choose(EppdState *state, EppdProfile profile, const EppdProfileDrivers *drivers)
{
  bool changed = !state->has_profile || state->profile != profile;

  state->has_profile = true;
  state->profile = profile;
  changed |= set_text(&state->cpu_driver, drivers->cpu ? drivers->cpu : "");
  changed |= set_text(&state->platform_driver, drivers->platform ? drivers->platform : "");
  return changed;
}

/* Whether the driver that was @saved is the one @present. */
static bool
is_driver(const char *saved, const char *present)
{
  return !saved || g_str_equal(saved, present ? present : "");
}

bool
eppd_state_matches(const EppdState *state, const EppdProfileDrivers *drivers)
{
  return state->has_profile && is_driver(state->cpu_driver, drivers->cpu) &&
         is_driver(state->platform_driver, drivers->platform);
}

bool
eppd_state_set_battery_aware(EppdState *state, bool battery_aware)
{
  bool changed = state->battery_aware != battery_aware;

  state->battery_aware = battery_aware;
  return changed;
}

bool
eppd_state_action(const EppdState *state, const char *name, bool *enabled)
{
  gpointer value;

  if (!g_hash_table_lookup_extended(state->actions, name, NULL, &value))
    return false;
  *enabled = value != NULL;
  return true;
}

bool
eppd_state_set_action(EppdState *state, const char *name, bool enabled)
{
  bool before;

  if (eppd_state_action(state, name, &before) && before == enabled)
    return false;
  g_hash_table_insert(state->actions, g_strdup(name), GINT_TO_POINTER(enabled));
  return true;
}

/* ---- reading ---- */

static void
on_bad_line(const char *path, guint line, const char *text, const char *why, gpointer data)
{
  eppd_warning("state", "%s:%u: '%." SHOWN_BYTES "s' %s; ignoring it", path, line, text, why);
}

/* The key's value as it stands; NULL where there is none. */
static char *
get_text(EppdKeyFile *file, const char *group, const char *key)
{
  char *text = g_key_file_get_value(eppd_key_file_get(file), group, key, NULL);

  return text ? g_strchomp(text) : NULL;
}

static void
complain(
    EppdKeyFile *file, const char *group, const char *key, const char *text, const char *expected)
{
  eppd_warning(
      "state", "%s:%u: [%s] %." SHOWN_BYTES "s=%." SHOWN_BYTES "s: expected %s; ignoring it",
      eppd_key_file_path(file), eppd_key_file_line(file, group, key), group, key, text, expected);
}

static void
read_profile(EppdState *state, EppdKeyFile *file)
{
  g_autofree char *text = get_text(file, STATE_GROUP, "Profile");

  if (!text)
    return;
  state->has_profile = eppd_profile_parse(text, &state->profile);
  if (!state->has_profile)
    complain(file, STATE_GROUP, "Profile", text, "power-saver, balanced or performance");
}

/* False (and @value untouched) where the key is missing or wrong. */
static bool
read_switch(EppdKeyFile *file, const char *group, const char *key, bool *value)
{
  g_autofree char *text = get_text(file, group, key);

  if (!text)
    return false;
  if (!g_str_equal(text, "true") && !g_str_equal(text, "false")) {
    complain(file, group, key, text, "true or false");
    return false;
  }
  *value = g_str_equal(text, "true");
  return true;
}

static void
read_actions(EppdState *state, EppdKeyFile *file)
{
  g_auto(GStrv) names = g_key_file_get_keys(eppd_key_file_get(file), ACTIONS_GROUP, NULL, NULL);

  for (guint i = 0; names && names[i]; i++) {
    bool enabled;

    if (read_switch(file, ACTIONS_GROUP, names[i], &enabled))
      eppd_state_set_action(state, names[i], enabled);
  }
}

static void
read_own(EppdState *state, EppdKeyFile *file)
{
  read_profile(state, file);
  state->cpu_driver = get_text(file, STATE_GROUP, "CpuDriver");
  state->platform_driver = get_text(file, STATE_GROUP, "PlatformDriver");
  read_switch(file, STATE_GROUP, "BatteryAware", &state->battery_aware);
  read_actions(state, file);
}

/* Up to 0.12 there was one driver in all, under one key; later the CPU's is left out where there is
 * none. */
static void
read_imported_drivers(EppdState *state, EppdKeyFile *file)
{
  g_autofree char *only = get_text(file, STATE_GROUP, "Driver");

  state->cpu_driver = get_text(file, STATE_GROUP, "CpuDriver");
  state->platform_driver = get_text(file, STATE_GROUP, "PlatformDriver");
  if (state->platform_driver && !state->cpu_driver)
    state->cpu_driver = g_strdup("");
  if (!only || state->platform_driver || state->cpu_driver)
    return;
  if (g_str_equal(only, EPPD_DRIVER_PLATFORM_PROFILE) || g_str_equal(only, EPPD_DRIVER_PLACEHOLDER))
    state->platform_driver = g_steal_pointer(&only);
  else
    state->cpu_driver = g_steal_pointer(&only);
}

static void
import_state(EppdState *state, const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(EppdKeyFile) file = eppd_key_file_load(path, on_bad_line, NULL, &error);

  if (!file) {
    if (!g_error_matches(error, EPPD_ERROR, EPPD_ERROR_GONE))
      eppd_warning("state", "%s; ignoring what power-profiles-daemon saved", error->message);
    return;
  }
  eppd_notice("state", "taking over what power-profiles-daemon saved in %s", path);
  read_profile(state, file);
  read_imported_drivers(state, file);
  read_switch(file, STATE_GROUP, "battery_aware", &state->battery_aware);
  read_actions(state, file);
  state->is_imported = true;
}

static char *
state_path(const char *state_dir)
{
  return g_build_filename(state_dir, "state.ini", NULL);
}

EppdState *
eppd_state_load(const char *state_dir, const char *import_file)
{
  g_autofree char *path = state_path(state_dir);
  g_autoptr(EppdState) state = eppd_state_new();
  g_autoptr(GError) error = NULL;
  g_autoptr(EppdKeyFile) file = eppd_key_file_load(path, on_bad_line, NULL, &error);

  if (file)
    read_own(state, file);
  else if (!g_error_matches(error, EPPD_ERROR, EPPD_ERROR_GONE))
    eppd_warning("state", "%s; ignoring the saved state", error->message);
  else if (import_file)
    import_state(state, import_file);
  return g_steal_pointer(&state);
}

/* ---- writing ---- */

static void
write_actions(const EppdState *state, GKeyFile *keys)
{
  GList *names = g_list_sort(g_hash_table_get_keys(state->actions), (GCompareFunc)strcmp);

  for (GList *link = names; link; link = link->next)
    g_key_file_set_boolean(keys, ACTIONS_GROUP, link->data,
                           g_hash_table_lookup(state->actions, link->data) != NULL);
  g_list_free(names);
}

/* Values go as they came, unescaped: none has a line break or begins with a space. */
static char *
to_text(const EppdState *state)
{
  g_autoptr(GKeyFile) keys = g_key_file_new();

  if (state->has_profile) {
    g_key_file_set_value(keys, STATE_GROUP, "Profile", eppd_profile_text(state->profile));
    if (state->cpu_driver)
      g_key_file_set_value(keys, STATE_GROUP, "CpuDriver", state->cpu_driver);
    if (state->platform_driver)
      g_key_file_set_value(keys, STATE_GROUP, "PlatformDriver", state->platform_driver);
  }
  g_key_file_set_boolean(keys, STATE_GROUP, "BatteryAware", state->battery_aware);
  write_actions(state, keys);
  return g_key_file_to_data(keys, NULL, NULL);
}

static gboolean
write_to_disk(int fd, const char *text)
{
  const char *end = text + strlen(text);

  while (text < end) {
    ssize_t n = TEMP_FAILURE_RETRY(write(fd, text, (gsize)(end - text)));

    if (n < 0)
      return FALSE;
    text += n;
  }
  return fsync(fd) == 0;
}

/* GLib's g_file_set_contents() forces the directory to the disk besides, which takes as long again.
 * Not needed: until the new name is there by itself, a power cut leaves the old file. */
static gboolean
replace_file(const char *path, const char *text, GError **error)
{
  g_autofree char *new_path = g_strconcat(path, ".new", NULL);
  int saved_errno = 0;
  int fd;

  /* What a killed daemon left half written. */
  unlink(new_path);
  fd = TEMP_FAILURE_RETRY(
      open(new_path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (fd < 0)
    return eppd_error_set_errno(error, errno, "Could not create %s", new_path);
  if (!write_to_disk(fd, text) || rename(new_path, path) < 0)
    saved_errno = errno;
  close(fd);
  if (saved_errno != 0) {
    unlink(new_path);
    return eppd_error_set_errno(error, saved_errno, "Could not write %s", path);
  }
  return TRUE;
}

gboolean
eppd_state_save(const EppdState *state, const char *state_dir, GError **error)
{
  g_autofree char *path = state_path(state_dir);
  g_autofree char *text = to_text(state);

  if (g_mkdir_with_parents(state_dir, 0755) < 0)
    return eppd_error_set_errno(error, errno, "Could not create %s", state_dir);
  return replace_file(path, text, error);
}
