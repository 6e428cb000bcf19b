/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "games/exec-line.h"
#include "identity-text.h"

#include <string.h>

static const struct {
  const char *exec;
  const char *words; /* with a '|' in between; NULL: refused */
} splits[] = {
    {"game", "game"},
    {"  game  --a\tb ", "game|--a|b"},
    {"game %U", "game"},
    {"game %f %F %u %d %D %n %N %i %c %k %v %m", "game"},
    {"game --file=%f", "game|--file="},
    {"game 100%%", "game|100%"},
    {"game %%U", "game|%U"},
    {"game %%%U", "game|%"},
    {"game %", "game"},
    {"game %2", "game"},
    {"\"/opt/A Game/run\" x", "/opt/A Game/run|x"},
    {"game \"a \\\"b\\\" \\`c\\` \\$d \\\\e\"", "game|a \"b\" `c` $d \\e"},
    {"game \"a\\b\"", "game|a\\b"},
    {"game \"\"", "game|"},
    {"game \"%f\" \"%%\"", "game||%"},
    {"sh -c 'cd /opt; ./run'", "sh|-c|cd /opt; ./run"},
    {"game 'a\\b \"c\"'", "game|a\\b \"c\""},
    {"game --name=\"A B\"c", "game|--name=A Bc"},
    {"game a\\ b \\\"c", "game|a b|\"c"},
    {"game a\\", "game|a\\"},
    {"game # no comment", "game|#|no|comment"},
    {"game Sp\xe4\xdf", "game|Sp\xe4\xdf"},
    {"", NULL},
    {" \t", NULL},
    {"%U", NULL},
    {"game \"a", NULL},
    {"game 'a\"", NULL},
    {"\"", NULL},
};

static void
test_words(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(splits); i++) {
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) words = eppd_exec_line_split(splits[i].exec, &error);
    g_autofree char *text = words ? g_strjoinv("|", words) : NULL;

    g_test_message("line %u", i);
    g_assert_cmpstr(text, ==, splits[i].words);
    if (!words)
      g_assert_error(error, EPPD_ERROR, EPPD_ERROR_INVALID);
  }
}

static const struct {
  const char *exec;
  const char *identity;
} identities[] = {
    {"supertuxkart", "program=supertuxkart"},
    {"/usr/games/neverball %F", "program=/usr/games/neverball"},
    {"\"/opt/A Game/run\"", "program=/opt/A Game/run"},
    {"env A=B C=D prog", "program=prog"},
    {"/usr/bin/env -i A=B prog", "program=prog"},
    {"env -u LD_PRELOAD -C /tmp -- prog --x=y", "program=prog"},
    {"env A=B env C=D gamemoderun prog", "program=prog"},
    {"env A=B", ""},
    {"env", ""},
    {"env -u", ""},
    {"gamemoderun mangohud --dlsym prog", "program=prog"},
    {"gamescope -W 1920 -H 1080 -- prog", "program=prog"},
    {"gamescope", "program=gamescope"},
    {"gamemoderun", "program=gamemoderun"},
    {"powerprofilesctl launch -p performance -- steam steam://rungameid/570", "steam=570"},
    {"eppctl run --trigger app -- prog", "program=prog"},
    {"steam steam://rungameid/570", "steam=570"},
    {"/usr/bin/steam -silent \"steam://rungameid/13557605766449332224\"", "steam=3156626077"},
    {"xdg-open steam://rungameid/570", "steam=570"},
    {"env STEAM_X=1 steam steam://run/570", "steam=570"},
    {"steam -applaunch 570 -novid", "steam=570"},
    {"steam -applaunch", "program=steam"},
    {"steam steam://open/games", "program=steam"},
    {"/usr/bin/steam %U", "program=/usr/bin/steam"},
    {"flatpak run com.valvesoftware.Steam steam://rungameid/570", "steam=570"},
    {"/usr/bin/flatpak run --branch=stable --arch=x86_64 --command=game --file-forwarding "
     "org.example.Game @@u %U @@",
     "flatpak=org.example.Game"},
    {"flatpak --user run org.example.Game//stable", "flatpak=org.example.Game"},
    {"flatpak run", "program=flatpak"},
    {"flatpak update", "program=flatpak"},
    {"lutris lutris:rungameid/12", "lutris-number=12"},
    {"env LUTRIS_SKIP_INIT=1 lutris lutris:half-life-2", "lutris-slug=half-life-2"},
    {"flatpak run net.lutris.Lutris lutris:rungameid/12", "lutris-number=12"},
    {"lutris %U", "program=lutris"},
    {"xdg-open heroic://launch/legendary/Quail", "heroic=Quail"},
    {"heroic --no-gui \"heroic://launch?appName=Quail&runner=legendary\"", "heroic=Quail"},
    {"heroic \"heroic://launch?appName=A%%20B\"", "heroic=A B"},
    {"snap run mari0", "snap=mari0.mari0"},
    {"/usr/bin/snap run --shell mari0.edit", "snap=mari0.edit"},
    {"env BAMF_DESKTOP_FILE_HINT=/x.desktop /snap/bin/mari0 %U", "snap=mari0.mari0"},
    {"/snap/bin/mari0.edit", "snap=mari0.edit"},
    {"/snap/bin/", "program=/snap/bin/"},
    {"snap", "program=snap"},
    {"game \"unclosed", ""},
    {"/opt/Sp\xe4\xdf", ""},
    {"", ""},
};

static void
test_identities(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(identities); i++) {
    g_autoptr(EppdGameIdentity) identity = eppd_exec_line_identity(identities[i].exec);
    g_autofree char *text = identity_text(identity);

    g_test_message("line %u", i);
    g_assert_cmpstr(text, ==, identities[i].identity);
  }
}

/* No input may take long or deep. */
static void
test_long_lines(void)
{
  const char *const parts[] = {"env ", "a=b ", "\"\" ", "%% ", "gamemoderun ", "steam://run/x "};

  for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
    g_autoptr(GString) exec = g_string_new("env ");
    g_autoptr(EppdGameIdentity) identity = NULL;

    while (exec->len < 100000)
      g_string_append(exec, parts[i]);
    g_string_append(exec, "steam://run/570");
    identity = eppd_exec_line_identity(exec->str);
    g_assert_nonnull(identity);
    g_assert_cmpint((int)identity->kind, ==, (int)EPPD_IDENTITY_STEAM);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/exec-line/words", test_words);
  g_test_add_func("/exec-line/identities", test_identities);
  g_test_add_func("/exec-line/long-lines", test_long_lines);
  return g_test_run();
}
