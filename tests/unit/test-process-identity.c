/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/process-identity.h"
#include "identity-text.h"

#include <string.h>

#define PID 42

typedef struct {
  const char *name;
  /* Strings, each with a '|' behind it that stands for its NUL. */
  const char *argv;
  const char *environment;
  const char *identities;
} Case;

static const Case cases[] = {
    {"nothing", "", "", ""},
    {"any-program", "bash|-l|", "HOME=/root|PATH=/bin|", ""},
    {"reaper", "/home/u/.steam/ubuntu12_32/reaper|SteamLaunch|AppId=570|--|game|", "", "steam=570"},
    {"reaper-of-a-non-steam-game", "reaper|SteamLaunch|AppId=3156626077|--|game|",
     "SteamAppId=0|SteamGameId=13557605766449332224|", "steam=3156626077"},
    {"reaper-that-installs", "reaper|SteamLaunch|Install=1|AppId=570|--|setup|", "SteamAppId=570|",
     ""},
    {"reaper-that-installs-said-last", "reaper|SteamLaunch|AppId=570|Install=1|--|setup|", "", ""},
    {"a-games-own-words-are-not-reapers", "reaper|SteamLaunch|--|AppId=570|Install=1|",
     "SteamAppId=571|", "steam=571"},
    {"reaper-of-something-else", "reaper|AppId=570|--|game|", "", ""},
    {"not-a-reaper", "grimreaper|SteamLaunch|AppId=570|", "", ""},
    {"reaper-without-dashes", "reaper|SteamLaunch|AppId=570", "", "steam=570"},
    {"reaper-of-0", "reaper|SteamLaunch|AppId=0|--|game|", "", ""},
    {"steam-app-id", "game|", "SteamAppId=570|SteamGameId=570|", "steam=570"},
    {"steam-app-id-0", "game|", "SteamAppId=0|SteamGameId=571|", "steam=571"},
    {"steam-game-id-of-a-non-steam-game", "game|", "SteamAppId=0|SteamGameId=13557605766449332224|",
     "steam=3156626077"},
    {"steam-ids-0", "game|", "SteamAppId=0|SteamGameId=0|", ""},
    {"umu-ids", "game|", "SteamAppId=default|SteamGameId=umu-default|", ""},
    {"names-are-whole", "game|", "XSteamAppId=1|SteamAppIds=2|SteamAppId=|steamappid=3|", ""},
    {"the-first-counts", "game|", "SteamAppId=1|SteamAppId=2|", "steam=1"},
    {"cut-off-at-the-end", "game|", "SteamAppId=57", ""},
    {"empty-strings", "||", "||SteamAppId=1|", "steam=1"},
    {"gio", "game|", "GIO_LAUNCHED_DESKTOP_FILE=/x/a.desktop|GIO_LAUNCHED_DESKTOP_FILE_PID=42|",
     "desktop-file=/x/a.desktop"},
    {"gio-of-a-parent", "game|",
     "GIO_LAUNCHED_DESKTOP_FILE=/x/a.desktop|GIO_LAUNCHED_DESKTOP_FILE_PID=41|", ""},
    {"gio-of-a-longer-pid", "game|",
     "GIO_LAUNCHED_DESKTOP_FILE=/x/a.desktop|GIO_LAUNCHED_DESKTOP_FILE_PID=421|", ""},
    {"gio-without-pid", "game|", "GIO_LAUNCHED_DESKTOP_FILE=/x/a.desktop|", ""},
    {"gio-without-file", "game|", "GIO_LAUNCHED_DESKTOP_FILE_PID=42|", ""},
    {"gio-relative", "game|",
     "GIO_LAUNCHED_DESKTOP_FILE=a.desktop|GIO_LAUNCHED_DESKTOP_FILE_PID=42|", ""},
    {"heroic", "game|", "HEROIC_APP_NAME=Quail|SteamAppId=0|", "heroic=Quail"},
    {"heroic-in-its-flatpak", "game|", "FLATPAK_ID=com.heroicgameslauncher.hgl|HEROIC_APP_NAME=Q|",
     "heroic=Q flatpak=com.heroicgameslauncher.hgl"},
    {"lutris", "game|", "LUTRIS_GAME_UUID=0-1|GAME_NAME=Half-Life 2|SteamAppId=220|",
     "lutris-name=Half-Life 2 lutris-run=0-1 steam=220"},
    {"lutris-without-a-name", "game|", "LUTRIS_GAME_UUID=0-1|", "lutris-run=0-1"},
    {"a-name-without-lutris", "game|", "GAME_NAME=Half-Life 2|", ""},
    {"lutris-wrapper", "/usr/bin/python3|/usr/share/lutris/bin/lutris-wrapper|A B|0|0|game|", "",
     "lutris-name=A B"},
    {"lutris-wrapper-itself", "lutris-wrapper|A B|0|0|game|", "", "lutris-name=A B"},
    {"lutris-wrapper-with-its-title", "lutris-wrapper: A B   |", "", "lutris-name=A B"},
    {"lutris-wrapper-cut-off", "lutris-wrapper", "", ""},
    {"lutris-wrapper-as-an-argument", "vim|-R|lutris-wrapper|A|", "", ""},
    {"flatpak", "game|", "FLATPAK_ID=org.example.G|", "flatpak=org.example.G"},
    {"steam-in-its-flatpak", "game|", "FLATPAK_ID=com.valvesoftware.Steam|SteamAppId=570|",
     "steam=570 flatpak=com.valvesoftware.Steam"},
    {"bad-bytes", "\xff|", "FLATPAK_ID=\xff|HEROIC_APP_NAME=a\nb|\xff\xfe|", ""},
};

/* The bytes of a block, just as long as it is. */
static char *
bytes_new(const char *text)
{
  gsize length = strlen(text);
  char *bytes = length > 0 ? g_memdup2(text, length) : NULL;

  for (gsize i = 0; i < length; i++) {
    if (bytes[i] == '|')
      bytes[i] = '\0';
  }
  return bytes;
}

static void
test_identities(gconstpointer data)
{
  const Case *c = data;
  g_autofree char *argv = bytes_new(c->argv);
  g_autofree char *environment = bytes_new(c->environment);
  g_autoptr(GPtrArray) identities =
      eppd_process_identities(PID, (EppdProcessBlock){argv, strlen(c->argv)},
                              (EppdProcessBlock){environment, strlen(c->environment)});
  g_autofree char *text = identities_text(identities);

  g_assert_cmpstr(text, ==, c->identities);
}

static void
test_a_large_environment(void)
{
  g_autoptr(GString) environment = g_string_new(NULL);
  g_autoptr(GPtrArray) identities = NULL;
  g_autofree char *text = NULL;

  while (environment->len < 2 * 1024 * 1024)
    g_string_append_len(environment, "A=1\0", 4);
  g_string_append_len(environment, "SteamAppId=570\0", 15);
  identities = eppd_process_identities(PID, (EppdProcessBlock){NULL, 0},
                                       (EppdProcessBlock){environment->str, environment->len});
  text = identities_text(identities);
  g_assert_cmpstr(text, ==, "steam=570");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/process-identity/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_identities);
  }
  g_test_add_func("/process-identity/a-large-environment", test_a_large_environment);
  return g_test_run();
}
