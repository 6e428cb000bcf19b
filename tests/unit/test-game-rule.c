/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/game-rule.h"

#include <string.h>

#define APPLICATION "[Desktop Entry]\nType=Application\n"

typedef struct {
  const char *name;
  const char *entry; /* NULL: none */
  bool is_registered;
  bool no_desktop_key; /* DesktopKey=false */
  const char *category;
  bool no_game_mode;
  bool opted_in;
  const char *why;
} Case;

static const Case cases[] = {
    {"key", .entry = APPLICATION "X-Eppd-Boost=true\n", .opted_in = true,
     .why = "its desktop entry says X-Eppd-Boost=true"},
    {"key-says-no", .entry = APPLICATION "X-Eppd-Boost=false\n",
     .why = "its desktop entry says X-Eppd-Boost=false"},
    {"no-wins-over-category-and-gamemode",
     .entry = APPLICATION "X-Eppd-Boost=false\nCategories=Game;\n", .is_registered = true,
     .category = "Game", .why = "its desktop entry says X-Eppd-Boost=false"},
    {"yes-is-said-before-category", .entry = APPLICATION "X-Eppd-Boost=true\nCategories=Game;\n",
     .category = "Game", .opted_in = true, .why = "its desktop entry says X-Eppd-Boost=true"},
    {"category", .entry = APPLICATION "Categories=ActionGame;Game;\n", .category = "Game",
     .opted_in = true,
     .why = "its desktop entry has the category Game, which [Games] Categories= names"},
    {"other-category", .entry = APPLICATION "Categories=ActionGame;\n", .category = "Game",
     .why = "its desktop entry has no (valid) X-Eppd-Boost=, no category of it is in [Games] "
            "Categories="},
    {"no-categories-configured", .entry = APPLICATION "Categories=Game;\n",
     .why = "its desktop entry has no (valid) X-Eppd-Boost="},
    {"wrong-key-leaves-category", .entry = APPLICATION "X-Eppd-Boost=no\nCategories=Game;\n",
     .category = "Game", .opted_in = true,
     .why = "its desktop entry has the category Game, which [Games] Categories= names"},
    {"wrong-key", .entry = APPLICATION "X-Eppd-Boost=yes\n",
     .why = "its desktop entry has no (valid) X-Eppd-Boost="},
    {"keys-not-honoured", .entry = APPLICATION "X-Eppd-Boost=true\n", .no_desktop_key = true,
     .why = "X-Eppd-Boost= of its desktop entry does not count, since [Games] DesktopKey=false"},
    {"no-is-not-honoured-either", .entry = APPLICATION "X-Eppd-Boost=false\nCategories=Game;\n",
     .no_desktop_key = true, .category = "Game", .opted_in = true,
     .why = "its desktop entry has the category Game, which [Games] Categories= names"},
    {"gamemode", .entry = APPLICATION, .is_registered = true, .opted_in = true,
     .why = "it registered with GameMode"},
    {"gamemode-without-entry", .is_registered = true, .opted_in = true,
     .why = "it registered with GameMode"},
    {"gamemode-not-heeded", .is_registered = true, .no_game_mode = true,
     .why = "no desktop entry is known for it, and that it registered with GameMode does not "
            "count, since [Games] GameMode=false"},
    {"nothing-known", .why = "no desktop entry is known for it"},
    {"hidden", .entry = APPLICATION "Hidden=true\nX-Eppd-Boost=true\nCategories=Game;\n",
     .category = "Game", .why = "its desktop entry is hidden"},
    {"hidden-and-gamemode", .entry = APPLICATION "Hidden=true\nX-Eppd-Boost=false\n",
     .is_registered = true, .opted_in = true, .why = "it registered with GameMode"},
    {"no-application", .entry = "[Desktop Entry]\nType=Link\nX-Eppd-Boost=true\n",
     .why = "its desktop entry is no application's"},
    {"not-shown-is-not-hidden", .entry = APPLICATION "NoDisplay=true\nX-Eppd-Boost=true\n",
     .opted_in = true, .why = "its desktop entry says X-Eppd-Boost=true"},
    {"odd-category", .entry = APPLICATION "Categories=a\x1b\n", .category = "a\x1b",
     .opted_in = true,
     .why = "its desktop entry has the category a\\x1b, which [Games] Categories= names"},
};

static EppdDesktopEntry *
parse(const char *text)
{
  g_autoptr(GError) error = NULL;
  EppdDesktopEntry *entry = eppd_desktop_entry_parse(text, strlen(text), &error);

  g_assert_no_error(error);
  return entry;
}

static void
test_decide(gconstpointer data)
{
  const Case *c = data;
  const char *const categories[] = {"Nothing", c->category, NULL};
  const EppdGameSettings settings = {.desktop_key = !c->no_desktop_key,
                                     .categories = c->category ? categories : NULL,
                                     .game_mode = !c->no_game_mode};
  g_autoptr(EppdDesktopEntry) entry = c->entry ? parse(c->entry) : NULL;
  g_autoptr(EppdGameRule) rule = eppd_game_rule_decide(entry, c->is_registered, &settings);

  g_assert_cmpstr(rule->why, ==, c->why);
  g_assert_true(rule->opted_in == c->opted_in);
}

static void
test_the_entrys_settings_go_with_it(void)
{
  g_autoptr(EppdDesktopEntry) entry =
      parse(APPLICATION "X-Eppd-Boost=true\nX-Eppd-Trigger=app\nX-Eppd-Threshold=12\n"
                        "X-Eppd-Profile=performance\n");
  EppdGameSettings settings = {.desktop_key = true, .game_mode = true};
  g_autoptr(EppdGameRule) rule = eppd_game_rule_decide(entry, false, &settings);
  g_autoptr(EppdGameRule) deaf = NULL;

  g_assert_true(rule->keys.has_trigger && rule->keys.trigger == EPPD_TRIGGER_APP);
  g_assert_cmpuint(rule->keys.threshold_percent, ==, 12);
  g_assert_true(rule->keys.has_profile && rule->keys.profile == EPPD_PROFILE_PERFORMANCE);
  g_assert_false(rule->keys.has_boost);

  settings.desktop_key = false;
  deaf = eppd_game_rule_decide(entry, true, &settings);
  g_assert_true(deaf->opted_in);
  g_assert_false(deaf->keys.has_trigger);
  g_assert_cmpuint(deaf->keys.threshold_percent, ==, 0);
  g_assert_false(deaf->keys.has_profile);
}

static void
test_what_looks_like_a_game(void)
{
  const struct {
    const char *entry;
    bool is_likely;
  } table[] = {
      {APPLICATION "Categories=Game;\n", true},
      {APPLICATION "X-Eppd-Boost=false\n", true},
      {APPLICATION "Exec=steam steam://rungameid/570\n", true},
      {APPLICATION "Exec=lutris lutris:rungameid/1\n", true},
      {APPLICATION "Exec=lutris lutris:a\n", true},
      {APPLICATION "Exec=xdg-open heroic://launch/a\n", true},
      {APPLICATION "Exec=steam\nCategories=Network;\n", false},
      {APPLICATION "Exec=flatpak run org.example.A\n", false},
      {APPLICATION, false},
      {"[Desktop Entry]\nType=Link\nCategories=Game;\n", false},
      {APPLICATION "Hidden=true\nCategories=Game;\n", false},
  };

  for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
    g_autoptr(EppdDesktopEntry) entry = parse(table[i].entry);

    g_test_message("entry %u", i);
    g_assert_true(eppd_game_rule_is_likely(entry) == table[i].is_likely);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/game-rule/decide/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_decide);
  }
  g_test_add_func("/game-rule/the-entrys-settings-go-with-it", test_the_entrys_settings_go_with_it);
  g_test_add_func("/game-rule/what-looks-like-a-game", test_what_looks_like_a_game);
  return g_test_run();
}
