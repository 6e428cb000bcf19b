/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.ini, ours and power-profiles-daemon's: what is read can be saved, and is read again as it
 * was. */
#include "fuzz.h"

#include "daemon/state.h"
#include "scratch.h"

static const FuzzPlace places[] = {
    {"", "state/state.ini"},
    {"state.ini", "state/state.ini"},
    {"ppd.ini", "ppd.ini"},
};

static void
check_actions(const EppdState *state, const EppdState *again)
{
  GHashTableIter iter;
  gpointer name;

  g_assert_cmpuint(g_hash_table_size(again->actions), ==, g_hash_table_size(state->actions));
  g_hash_table_iter_init(&iter, state->actions);
  while (g_hash_table_iter_next(&iter, &name, NULL)) {
    bool enabled;
    bool enabled_again;

    g_assert_true(eppd_state_action(state, name, &enabled));
    g_assert_true(eppd_state_action(again, name, &enabled_again));
    g_assert_cmpint(enabled, ==, enabled_again);
  }
}

static void
check_saved(const EppdState *state)
{
  g_autofree char *dir = scratch_path(fuzz_scratch(), "saved");
  g_autoptr(EppdState) again = NULL;
  g_autoptr(GError) error = NULL;

  g_assert_true(eppd_state_save(state, dir, &error));
  g_assert_no_error(error);
  again = eppd_state_load(dir, NULL);
  g_assert_cmpint(again->has_profile, ==, state->has_profile);
  /* Drivers are of a profile, or of no use. */
  if (state->has_profile) {
    g_assert_cmpint(again->profile, ==, state->profile);
    g_assert_cmpstr(again->cpu_driver, ==, state->cpu_driver);
    g_assert_cmpstr(again->platform_driver, ==, state->platform_driver);
  }
  g_assert_cmpint(again->battery_aware, ==, state->battery_aware);
  check_actions(state, again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const EppdProfileDrivers drivers = {.cpu = "amd_pstate", .platform = "platform_profile"};
  g_autofree char *dir = scratch_path(fuzz_scratch(), "state");
  g_autofree char *import_file = scratch_path(fuzz_scratch(), "ppd.ini");
  g_autoptr(EppdState) state = NULL;

  fuzz_clear();
  fuzz_write_files(data, size, places, G_N_ELEMENTS(places));
  state = eppd_state_load(dir, import_file);
  eppd_state_matches(state, &drivers);
  check_saved(state);
  eppd_state_choose(state, EPPD_PROFILE_PERFORMANCE, &drivers);
  eppd_state_set_action(state, "trickle_charge", true);
  g_assert_true(eppd_state_matches(state, &drivers));
  check_saved(state);
  return 0;
}
