/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/client.h"
#include "ctl/output.h"
#include "ctl/verb.h"

#include <glib/gi18n.h>

/* A password may be asked for. */
#define RELOAD_TIMEOUT_MS (3 * 60 * 1000)

/* What was ignored is no failure of the reload, and the user wants to know of it all the same. */
static void
show_problems(EppdClient *client)
{
  g_autoptr(GVariant) properties = eppd_client_properties(client, -1, NULL);
  g_auto(GStrv) problems = NULL;

  if (!properties || !g_variant_lookup(properties, "ConfigProblems", "^as", &problems))
    return;
  for (guint i = 0; problems[i]; i++)
    eppd_complain("%s", problems[i]);
}

int
eppd_verb_reload(int argc, char **argv)
{
  const GOptionEntry entries[] = {{NULL}};
  const EppdVerbUsage usage = {
      entries,
      NULL,
      _("Lets the daemon read its configuration again, and shows what is wrong in it."),
      0,
      0,
  };
  g_auto(EppdClient) client = {0};
  g_autoptr(GVariant) reply = NULL;
  g_autoptr(GError) error = NULL;

  if (!eppd_verb_parse(&usage, &argc, &argv))
    return EPPD_EXIT_USAGE;
  reply = eppd_client_call(&client, "Reload", NULL, "()",
                           G_DBUS_CALL_FLAGS_ALLOW_INTERACTIVE_AUTHORIZATION, RELOAD_TIMEOUT_MS,
                           &error);
  if (!reply)
    return eppd_fail(error);
  show_problems(&client);
  return EPPD_EXIT_OK;
}
