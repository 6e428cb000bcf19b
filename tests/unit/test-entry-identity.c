/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/entry-identity.h"
#include "identity-text.h"

#include <string.h>

static const struct {
  const char *keys;
  const char *identities; /* behind those of id and path */
} cases[] = {
    {"", ""},
    {"Exec=game\n", " program=game"},
    {"Exec=game\nDBusActivatable=true\n", ""},
    {"Exec=steam steam://rungameid/570\n", " steam=570"},
    {"Name=Half-Life 2\nExec=lutris lutris:rungameid/3\n",
     " lutris-name=Half-Life 2 lutris-number=3"},
    {"Name=Half-Life 2\nExec=lutris lutris:half-life-2\n",
     " lutris-name=Half-Life 2 lutris-slug=half-life-2"},
    {"Exec=lutris lutris:half-life-2\n", " lutris-slug=half-life-2"},
    {"X-Flatpak=org.example.G\nExec=/usr/bin/flatpak run org.example.G\n",
     " flatpak=org.example.G"},
    {"X-Flatpak=org.example.G\nDBusActivatable=true\n", " flatpak=org.example.G"},
    {"X-SnapInstanceName=a_1\nX-SnapAppName=b\nExec=/snap/bin/a_1.b\n", " snap=a_1.b"},
    {"X-SnapInstanceName=a\nExec=/snap/bin/a\n", " snap=a.a"},
    {"Exec=game \"\n", ""},
};

static void
test_identities_of_an_entry(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *text = g_strconcat("[Desktop Entry]\n", cases[i].keys, NULL);
    g_autofree char *expected =
        g_strconcat("desktop-id=a.b desktop-file=/x/a.b.desktop", cases[i].identities, NULL);
    g_autoptr(EppdDesktopEntry) entry = eppd_desktop_entry_parse(text, strlen(text), NULL);
    g_autoptr(GPtrArray) identities = eppd_entry_identities("a.b", "/x/a.b.desktop", entry);
    g_autofree char *found = identities_text(identities);

    g_assert_cmpstr(found, ==, expected);
  }
}

static void
test_an_entry_may_have_none(void)
{
  g_autoptr(EppdDesktopEntry) entry = eppd_desktop_entry_parse("[Desktop Entry]", 15, NULL);
  g_autoptr(GPtrArray) identities = eppd_entry_identities(NULL, NULL, entry);

  g_assert_cmpuint(identities->len, ==, 0);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/entry-identity/identities-of-an-entry", test_identities_of_an_entry);
  g_test_add_func("/entry-identity/an-entry-may-have-none", test_an_entry_may_have_none);
  return g_test_run();
}
