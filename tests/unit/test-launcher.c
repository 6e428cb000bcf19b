/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/launcher.h"

static const struct {
  EppdIdentityKind kind;
  const char *id;
  bool is_launcher;
  bool is_game;
} cases[] = {
    {EPPD_IDENTITY_DESKTOP_ID, "steam", true, false},
    {EPPD_IDENTITY_DESKTOP_ID, "net.lutris.Lutris", true, false},
    {EPPD_IDENTITY_DESKTOP_ID, "net.lutris.game-5", false, false},
    {EPPD_IDENTITY_FLATPAK, "com.valvesoftware.Steam", true, false},
    {EPPD_IDENTITY_FLATPAK, "com.valvesoftware.Steam.Utility", false, false},
    {EPPD_IDENTITY_SNAP, "steam.steam", true, false},
    {EPPD_IDENTITY_PROGRAM, "steam", true, false},
    {EPPD_IDENTITY_PROGRAM, "/usr/games/steam", true, false},
    {EPPD_IDENTITY_PROGRAM, "/opt/steam/game", false, false},
    {EPPD_IDENTITY_DESKTOP_FILE, "/usr/share/applications/steam.desktop", false, false},
    {EPPD_IDENTITY_STEAM, "570", false, true},
    {EPPD_IDENTITY_LUTRIS_NAME, "steam", false, true},
    {EPPD_IDENTITY_LUTRIS_NUMBER, "5", false, true},
    {EPPD_IDENTITY_LUTRIS_SLUG, "game", false, true},
    {EPPD_IDENTITY_LUTRIS_RUN, "0-0", false, false},
    {EPPD_IDENTITY_HEROIC, "Quail", false, true},
};

static void
test_launchers_and_games(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(EppdGameIdentity) identity = eppd_game_identity_new(cases[i].kind, cases[i].id);

    g_test_message("%s", cases[i].id);
    g_assert_cmpint(eppd_launcher_is_one(identity), ==, cases[i].is_launcher);
    g_assert_cmpint(eppd_launcher_is_game(identity), ==, cases[i].is_game);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/launcher/launchers-and-games", test_launchers_and_games);
  return g_test_run();
}
