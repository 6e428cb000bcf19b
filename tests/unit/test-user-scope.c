/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/user-scope.h"

#include "games/scope-name.h"

#include <string.h>

/* A unit's name is no longer. */
#define UNIT_NAME_MAX 255

typedef struct {
  const char *name;
  const char *app_id;
  const char *expected;
  const char *read_back; /* the application, as whoever sees the unit reads it */
} Case;

static const Case cases[] = {
    {"plain", "game", "app-eppd-game-7.scope", "game"},
    {"desktop-id", "org.example.Game", "app-eppd-org.example.Game-7.scope", "org.example.Game"},
    {"dashes", "a-game", "app-eppd-a\\x2dgame-7.scope", "a-game"},
    {"path", "/usr/games/a game", "app-eppd-a\\x20game-7.scope", "a game"},
    {"no-ascii", "Spiel\xc3\xa4", "app-eppd-Spiel\\xc3\\xa4-7.scope", "Spiel\xc3\xa4"},
    {"at-sign", "x@y", "app-eppd-x\\x40y-7.scope", "x@y"},
    {"backslash", "a\\b", "app-eppd-a\\x5cb-7.scope", "a\\b"},
};

static char *
read_back(const char *unit)
{
  g_autoptr(EppdScopeName) name = eppd_scope_name_parse(unit);
  const EppdScopeReading *reading;

  g_assert_nonnull(name);
  g_assert_cmpint(name->kind, ==, EPPD_SCOPE_KIND_SCOPE);
  reading = name->readings->pdata[0];
  g_assert_cmpstr(reading->launcher, ==, "eppd");
  return g_strdup(reading->identity->id);
}

static void
test_name(gconstpointer data)
{
  const Case *test = data;
  g_autofree char *unit = eppd_user_scope_name(test->app_id, 7);
  g_autofree char *app = read_back(unit);

  g_assert_cmpstr(unit, ==, test->expected);
  g_assert_cmpstr(app, ==, test->read_back);
}

/* Cut between two escapes. */
static void
test_long_ids_are_cut(void)
{
  g_autofree char *dashes = g_strnfill(1000, '-');
  g_autofree char *unit = eppd_user_scope_name(dashes, G_MAXINT);
  g_autofree char *app = read_back(unit);

  g_assert_cmpuint(strlen(unit), <=, UNIT_NAME_MAX);
  g_assert_cmpuint(strlen(app), >=, 40);
  g_assert_cmpuint(strspn(app, "-"), ==, strlen(app));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strdup_printf("/user-scope/name/%s", cases[i].name);

    g_test_add_data_func(path, &cases[i], test_name);
  }
  g_test_add_func("/user-scope/long-ids-are-cut", test_long_ids_are_cut);
  return g_test_run();
}
