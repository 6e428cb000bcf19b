/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/launch-uri.h"
#include "identity-text.h"

static const struct {
  const char *uri;
  const char *identity;
} cases[] = {
    {"steam://rungameid/570", "steam=570"},
    {"steam://rungameid/570/", "steam=570"},
    {"steam://run/570//-novid/", "steam=570"},
    {"steam://rungameid/13557605766449332224", "steam=3156626077"}, /* non-Steam: its upper half */
    {"steam://rungameid/0", ""},
    {"steam://rungameid/", ""},
    {"steam://rungameid/abc", ""},
    {"steam://rungameid/99999999999999999999", ""},
    {"steam://install/570", ""},
    {"steam://open/bigpicture", ""},
    {"steam:rungameid/570", ""},
    {"lutris:rungameid/12", "lutris-number=12"},
    {"lutris://rungameid/12", "lutris-number=12"},
    {"lutris:rungame/half-life-2", "lutris-slug=half-life-2"},
    {"lutris:half-life-2", "lutris-slug=half-life-2"},
    {"lutris:half-life-2?x=1", "lutris-slug=half-life-2"},
    {"lutris:install/half-life-2", ""},
    {"lutris:", ""},
    {"lutris:rungameid/", ""},
    {"heroic://launch/Quail", "heroic=Quail"},
    {"heroic://launch/legendary/Quail", "heroic=Quail"},
    {"heroic://launch/legendary/Quail/", "heroic=Quail"},
    {"heroic://launch?appName=Quail&runner=legendary", "heroic=Quail"},
    {"heroic://launch?runner=gog&appName=12%2034", "heroic=12 34"},
    {"heroic://launch/?appName=a", "heroic=a"},
    {"heroic://launch?appName=a%2fb", ""}, /* no name has a slash */
    {"heroic://launch?appName=%zz", ""},
    {"heroic://launch?appName=%00", ""},
    {"heroic://launch?appName=%0a", ""},
    {"heroic://launch?appName=%ff", ""},
    {"heroic://launch?appName=", ""},
    {"heroic://launch?runner=gog", ""},
    {"heroic://launch/", ""},
    {"heroic://launch", ""},
    {"heroic://launcher/x", ""},
    {"heroic://ping", ""},
    {"https://example.org/steam://run/1", ""},
    {"", ""},
};

static void
test_addresses(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(EppdGameIdentity) identity = eppd_launch_uri_identity(cases[i].uri);
    g_autofree char *text = identity_text(identity);

    g_test_message("%s", cases[i].uri);
    g_assert_cmpstr(text, ==, cases[i].identity);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/launch-uri/addresses", test_addresses);
  return g_test_run();
}
