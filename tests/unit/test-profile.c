/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/profile.h"

#include <glib.h>

static void
test_texts_are_power_profiles_daemons(void)
{
  g_assert_cmpstr(eppd_profile_text(EPPD_PROFILE_POWER_SAVER), ==, "power-saver");
  g_assert_cmpstr(eppd_profile_text(EPPD_PROFILE_BALANCED), ==, "balanced");
  g_assert_cmpstr(eppd_profile_text(EPPD_PROFILE_PERFORMANCE), ==, "performance");
}

static void
test_each_text_parses_back(void)
{
  for (int i = 0; i < EPPD_N_PROFILES; i++) {
    EppdProfile profile = (EppdProfile)((i + 1) % EPPD_N_PROFILES);

    g_assert_true(eppd_profile_parse(eppd_profile_text((EppdProfile)i), &profile));
    g_assert_cmpint((int)profile, ==, i);
  }
}

static void
test_other_text_is_refused_and_changes_nothing(void)
{
  const char *const others[] = {NULL, "", "Balanced", "balanced ", "unknown", "power_saver"};
  EppdProfile profile = EPPD_PROFILE_PERFORMANCE;

  for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
    g_assert_false(eppd_profile_parse(others[i], &profile));
    g_assert_cmpint((int)profile, ==, EPPD_PROFILE_PERFORMANCE);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile/texts-are-power-profiles-daemons",
                  test_texts_are_power_profiles_daemons);
  g_test_add_func("/profile/each-text-parses-back", test_each_text_parses_back);
  g_test_add_func("/profile/other-text-is-refused", test_other_text_is_refused_and_changes_nothing);
  return g_test_run();
}
