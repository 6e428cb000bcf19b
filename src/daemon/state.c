/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/state.h"

#include "base/error.h"
#include "base/key-file.h"
#include "base/log.h"

static void
on_bad_line(const char *path, guint line, const char *text, const char *why, gpointer data)
{
  eppd_warning("state", "%s:%u: '%.80s' %s; ignoring it", path, line, text, why);
}

bool
eppd_state_load_profile(const char *state_dir, EppdProfile *profile)
{
  g_autofree char *path = g_build_filename(state_dir, "state.ini", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(EppdKeyFile) file = eppd_key_file_load(path, on_bad_line, NULL, &error);
  g_autofree char *text = NULL;

  if (!file) {
    if (!g_error_matches(error, EPPD_ERROR, EPPD_ERROR_GONE))
      eppd_warning("state", "%s; ignoring the saved state", error->message);
    return false;
  }
  text = g_key_file_get_value(eppd_key_file_get(file), "State", "Profile", NULL);
  if (!text)
    return false;
  g_strchomp(text);
  if (!eppd_profile_parse(text, profile)) {
    eppd_warning("state",
                 "%s:%u: [State] Profile=%.80s: expected power-saver, balanced or performance; "
                 "ignoring it",
                 path, eppd_key_file_line(file, "State", "Profile"), text);
    return false;
  }
  return true;
}
