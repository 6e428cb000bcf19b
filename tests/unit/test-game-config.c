/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/game-config.h"

#include "scratch.h"

typedef struct {
  const char *name;
  const char *text; /* NULL: there is no file */
  bool no_desktop_key;
  bool no_game_mode;
  const char *categories; /* joined by a | */
} Case;

static const Case cases[] = {
    {"no-file", NULL},
    {"empty", ""},
    {"all", "[Games]\nDesktopKey=false\nCategories=Game;Emulator\nGameMode=false\n", true, true,
     "Game|Emulator"},
    {"spaces-and-empty-ones", "[Games]\nCategories= ; Game ;; Emulator;\n",
     .categories = "Game|Emulator"},
    {"comments-behind", "[Games]\nDesktopKey=no # not here\nCategories=  # e.g. Game\n", true},
    {"wrong-values-change-nothing", "[Games]\nDesktopKey=perhaps\nGameMode=\n"},
    {"bad-lines-are-skipped", "rubbish\n[Games]\nmore rubbish\nGameMode=off\n", false, true},
    {"other-groups-do-not-count", "[Boost]\nDesktopKey=false\n"},
    {"the-last-one-counts", "[Games]\nCategories=Game\n[Games]\nCategories=Emulator\n",
     .categories = "Emulator"},
};

static void
test_load(gconstpointer data)
{
  const Case *test = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *path = scratch_path(dir, "eppd.conf");
  g_autoptr(EppdGameConfig) config = NULL;
  g_autofree char *categories = NULL;

  if (test->text)
    scratch_write(dir, "eppd.conf", test->text);
  config = eppd_game_config_load(path);
  categories = g_strjoinv("|", config->categories);

  g_assert_cmpint(config->settings.desktop_key, ==, !test->no_desktop_key);
  g_assert_cmpint(config->settings.game_mode, ==, !test->no_game_mode);
  g_assert_cmpstr(categories, ==, test->categories ? test->categories : "");
  g_assert_true(config->settings.categories == (const char *const *)config->categories);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strdup_printf("/game-config/%s", cases[i].name);

    g_test_add_data_func(path, &cases[i], test_load);
  }
  return g_test_run();
}
