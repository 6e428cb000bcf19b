/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/state.h"

#include <glib/gstdio.h>

static void
test_saved_profile(void)
{
  static const struct {
    const char *text; /* NULL: no file */
    bool found;
    EppdProfile profile;
  } rows[] = {
      {NULL, false},
      {"", false},
      {"[State]\nProfile=performance\n", true, EPPD_PROFILE_PERFORMANCE},
      {"[State]\nProfile= power-saver \n", true, EPPD_PROFILE_POWER_SAVER},
      {"[State]\nProfile=turbo\n", false},
      {"[State]\nProfile=\n", false},
      {"garbage\n[State]\n\x01\x02\nProfile=balanced\n", true, EPPD_PROFILE_BALANCED},
      {"[Other]\nProfile=performance\n", false},
  };
  g_autofree char *dir = g_dir_make_tmp("eppd-state-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(dir, "state.ini", NULL);

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    EppdProfile profile = (EppdProfile)77;

    if (rows[i].text)
      g_assert_true(g_file_set_contents(path, rows[i].text, -1, NULL));
    g_test_message("%s", rows[i].text ? rows[i].text : "(no file)");
    g_assert_cmpint(eppd_state_load_profile(dir, &profile), ==, rows[i].found);
    g_assert_cmpint(profile, ==, rows[i].found ? rows[i].profile : (EppdProfile)77);
  }
  g_unlink(path);
  g_rmdir(dir);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  /* What is wrong in the file is warned of, and must not end the test. */
  g_log_set_always_fatal(G_LOG_FATAL_MASK);
  g_test_add_func("/state/saved-profile", test_saved_profile);
  return g_test_run();
}
