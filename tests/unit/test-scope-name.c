/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/scope-name.h"
#include "identity-text.h"

#include <string.h>

#define UUID "d94f1e0a-1b2c-4d3e-8f90-0123456789ab"

typedef struct {
  const char *name;
  const char *unit;
  /* "scope" or "service", then of each reading the identity, launcher and instance, where there are
   * any; NULL: no application */
  const char *readings;
} Case;

static const Case cases[] = {
    {"gnome", "app-gnome-org.gnome.Calculator-1234.scope",
     "scope: desktop-id=org.gnome.Calculator gnome 1234; "
     "desktop-id=gnome-org.gnome.Calculator 1234"},
    {"no-launcher", "app-org.example.Game-1234.scope", "scope: desktop-id=org.example.Game 1234"},
    {"escaped-dash-in-the-id", "app-gnome-firefox\\x2desr-1234.scope",
     "scope: desktop-id=firefox-esr gnome 1234; desktop-id=gnome-firefox-esr 1234"},
    {"escaped-dash-without-launcher", "app-firefox\\x2desr-1234.scope",
     "scope: desktop-id=firefox-esr 1234"},
    {"escaped-launcher", "app-my\\x2dlauncher-game-1.scope",
     "scope: desktop-id=game my-launcher 1; desktop-id=my-launcher-game 1"},
    {"unescaped-dashes", "app-my-launcher-a-b-77.scope",
     "scope: desktop-id=b my-launcher-a 77; desktop-id=a-b my-launcher 77; "
     "desktop-id=launcher-a-b my 77; desktop-id=my-launcher-a-b 77"},
    {"kde", "app-org.kde.kpat@0123456789abcdef0123456789abcdef.service",
     "service: desktop-id=org.kde.kpat 0123456789abcdef0123456789abcdef"},
    {"kde-with-dashes-in-the-instance", "app-org.kde.kpat@" UUID ".service",
     "service: desktop-id=org.kde.kpat " UUID},
    {"at-in-the-instance", "app-a@b@c.service", "service: desktop-id=a b@c"},
    {"escaped-at-in-the-id", "app-a\\x40b@1.service", "service: desktop-id=a@b 1"},
    {"launcher-and-at", "app-KDE-org.kde.kpat@1.service",
     "service: desktop-id=org.kde.kpat KDE 1; desktop-id=KDE-org.kde.kpat 1"},
    {"service-without-instance", "app-org.example.Game.service",
     "service: desktop-id=org.example.Game"},
    {"service-with-launcher", "app-gnome-game.service",
     "service: desktop-id=game gnome; desktop-id=gnome-game; desktop-id=gnome game"},
    {"autostart", "app-steam@autostart.service", "service: desktop-id=steam autostart"},
    {"autostart-with-an-escape", "app-org.gnome.Software\\x2dservice@autostart.service",
     "service: desktop-id=org.gnome.Software-service autostart"},
    {"old-autostart", "app-steam-autostart.service",
     "service: desktop-id=autostart steam; desktop-id=steam-autostart; "
     "desktop-id=steam autostart"},
    {"flatpak", "app-flatpak-org.example.Game-3456789.scope",
     "scope: flatpak=org.example.Game flatpak 3456789; "
     "desktop-id=flatpak-org.example.Game 3456789"},
    {"flatpak-with-a-dash", "app-flatpak-org.example.My\\x2dGame-1.scope",
     "scope: flatpak=org.example.My-Game flatpak 1; desktop-id=flatpak-org.example.My-Game 1"},
    {"steam", "app-steam-app570-1234.scope",
     "scope: steam=570 steam 1234; desktop-id=steam-app570 1234"},
    {"steam-non-steam-game", "app-steam-app3156626077-1234.scope",
     "scope: steam=3156626077 steam 1234; desktop-id=steam-app3156626077 1234"},
    {"steam-app-0", "app-steam-app0-1.scope",
     "scope: desktop-id=app0 steam 1; desktop-id=steam-app0 1"},
    {"steam-itself", "app-gnome-steam-1234.scope",
     "scope: desktop-id=steam gnome 1234; desktop-id=gnome-steam 1234"},
    {"app570-of-another", "app-gnome-app570-1234.scope",
     "scope: desktop-id=app570 gnome 1234; desktop-id=gnome-app570 1234"},
    {"scope-without-random", "app-game.scope", "scope: desktop-id=game"},
    {"dots-in-the-random", "app-game-1.2.scope", "scope: desktop-id=game 1.2"},
    {"snap", "snap.mari0.mari0." UUID ".scope", "scope: snap=mari0.mari0 " UUID},
    {"newer-snap", "snap.mari0.edit-" UUID ".scope", "scope: snap=mari0.edit " UUID},
    {"snap-with-dashes", "snap.a-b.c-d." UUID ".scope", "scope: snap=a-b.c-d " UUID},
    {"snap-with-escapes", "snap.a\\x2db.a\\x2db-" UUID ".scope", "scope: snap=a-b.a-b " UUID},
    {"snap-instance", "snap.a_1.a." UUID ".scope", "scope: snap=a_1.a " UUID},
    {"snap-hook", "snap.a.hook.configure." UUID ".scope", NULL},
    {"snap-service", "snap.a.daemon.service", NULL},
    {"snap-without-uuid", "snap.a.b.scope", NULL},
    {"snap-uuid-alone", "snap." UUID ".scope", NULL},
    {"snap-empty-parts", "snap..a." UUID ".scope", NULL},
    {"dbus-broker", "dbus-:1.17-org.gnome.Calculator@0.service",
     "service: desktop-id=org.gnome.Calculator 0"},
    {"dbus-broker-escaped", "dbus-:1.17-a.b\\x2dc@1.service", "service: desktop-id=a.b-c 1"},
    {"dbus-itself", "dbus.service", NULL},
    {"dbus-broker-itself", "dbus-broker.service", NULL},
    {"cgroup-path",
     "/user.slice/user-1000.slice/user@1000.service/app.slice/app-org.example.Game-1.scope",
     "scope: desktop-id=org.example.Game 1"},
    {"below-the-unit", "/user.slice/app.slice/app-org.example.Game-1.scope/sub/leaf",
     "scope: desktop-id=org.example.Game 1"},
    {"innermost-of-two", "/app-a-1.scope/app-b-2.scope/x.service", "scope: desktop-id=b 2"},
    {"slice-of-an-application", "/app.slice/app-org.gnome.Terminal.slice/vte-spawn-" UUID ".scope",
     NULL},
    {"session", "session-2.scope", NULL},
    {"init", "/user.slice/user-1000.slice/user@1000.service/init.scope", NULL},
    {"systemd-run", "run-u12.scope", NULL},
    {"other-type", "app-game-1.mount", NULL},
    {"no-suffix", "app-game-1", NULL},
    {"template", "app-game@.service", NULL},
    {"no-id", "app-gnome--1.scope", "scope: desktop-id=gnome- 1"},
    {"nothing", "app-.scope", NULL},
    {"no-instance", "app-game-.scope", NULL},
    {"nothing-before-at", "app-@1.service", NULL},
    {"upper-case-prefix", "App-game-1.scope", NULL},
    {"bad-escape", "app-a\\x2-1.scope", NULL},
    {"bad-hex", "app-a\\xzz-1.scope", NULL},
    {"other-escape", "app-a\\n-1.scope", NULL},
    {"escape-at-the-end", "app-a\\x-1.scope", NULL},
    {"nul", "app-a\\x00b-1.scope", NULL},
    {"newline", "app-a\\x0ab-1.scope", NULL},
    {"slash", "app-..\\x2f..\\x2fetc-1.scope", NULL},
    {"utf-8", "app-Sp\\xc3\\x9f-1.scope", "scope: desktop-id=Sp\xc3\x9f 1"},
    {"no-utf-8", "app-a\\xff-1.scope", NULL},
    {"bad-launcher", "app-\\xff-a-1.scope", NULL},
    {"raw-characters-of-no-unit", "app-a b-1.scope", NULL},
    {"raw-utf-8", "app-Sp\xc3\x9f-1.scope", NULL},
    {"empty", "", NULL},
    {"slashes", "///", NULL},
    {"dots", ".scope", NULL},
};

static char *
text_of(const EppdScopeName *name)
{
  GString *text = g_string_new(name->kind == EPPD_SCOPE_KIND_SCOPE ? "scope:" : "service:");

  for (guint i = 0; i < name->readings->len; i++) {
    const EppdScopeReading *reading = name->readings->pdata[i];
    g_autofree char *identity = identity_text(reading->identity);

    g_string_append_printf(text, "%s %s%s%s%s%s", i > 0 ? ";" : "", identity,
                           reading->launcher ? " " : "", reading->launcher ? reading->launcher : "",
                           reading->instance ? " " : "",
                           reading->instance ? reading->instance : "");
  }
  return g_string_free(text, FALSE);
}

static void
test_parse(gconstpointer data)
{
  const Case *c = data;
  g_autoptr(EppdScopeName) name = eppd_scope_name_parse(c->unit);
  g_autofree char *text = name ? text_of(name) : NULL;

  g_assert_cmpstr(text, ==, c->readings);
}

static void
test_longest_name(void)
{
  for (guint length = 255; length <= 256; length++) {
    g_autofree char *middle = g_strnfill(length - strlen("app--1.scope"), 'x');
    g_autofree char *unit = g_strconcat("app-", middle, "-1.scope", NULL);
    g_autoptr(EppdScopeName) name = eppd_scope_name_parse(unit);

    g_assert_true((name != NULL) == (length == 255));
  }
}

static void
test_dashes_alone(void)
{
  g_autofree char *dashes = g_strnfill(230, '-');
  g_autofree char *unit = g_strconcat("app-", dashes, "a.service", NULL);
  g_autoptr(EppdScopeName) name = eppd_scope_name_parse(unit);

  g_assert_nonnull(name);
  g_assert_cmpuint(name->readings->len, <=, 2 * 255);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/scope-name/parse/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_parse);
  }
  g_test_add_func("/scope-name/longest-name", test_longest_name);
  g_test_add_func("/scope-name/dashes-alone", test_dashes_alone);
  return g_test_run();
}
