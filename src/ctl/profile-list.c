/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/output.h"
#include "ctl/profile-args.h"
#include "ctl/profile-client.h"
#include "ctl/profile-text.h"
#include "ctl/profile-verbs.h"

static gboolean
lookup(GVariant *properties, const char *name, const char *format, gpointer value, GError **error)
{
  if (g_variant_lookup(properties, name, format, value))
    return TRUE;
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "there is no property %s of type %s",
              name, g_str_has_prefix(format, "&") || *format == '@' ? format + 1 : format);
  return FALSE;
}

/* One call, so that what is shown was true at one time. */
static char *
profiles_text(EppdClient *client, GError **error)
{
  g_autoptr(GVariant) properties = eppd_profile_client_properties(client, error);
  g_autoptr(GVariant) profiles = NULL;
  const char *active;
  const char *degraded;

  if (!properties || !lookup(properties, "Profiles", "@aa{sv}", &profiles, error) ||
      !lookup(properties, "ActiveProfile", "&s", &active, error) ||
      !lookup(properties, "PerformanceDegraded", "&s", &degraded, error))
    return NULL;
  return eppd_profile_list_text(profiles, active, degraded);
}

/* A verb that prints @property, of type aa{sv}. */
static int
print_property(int argc,
               char **argv,
               const EppdProfileUsage *usage,
               const char *property,
               char *(*text_of)(GVariant *value))
{
  g_auto(EppdClient) client = {0};
  g_autoptr(GVariant) value = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;
  EppdProfileWords words;
  int code;

  if (!eppd_profile_args_take(usage, argc, argv, &words, &code))
    return code;
  value = eppd_profile_client_get(&client, property, "aa{sv}", &error);
  if (!value)
    return eppd_profile_client_fail(error);
  text = text_of(value);
  fputs(text, stdout);
  return EPPD_EXIT_OK;
}

int
eppd_verb_profile_list(int argc, char **argv)
{
  const EppdProfileUsage usage = {.description = "Lists the profiles; * marks the active one."};
  g_auto(EppdClient) client = {0};
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;
  EppdProfileWords words;
  int code;

  if (!eppd_profile_args_take(&usage, argc, argv, &words, &code))
    return code;
  text = profiles_text(&client, &error);
  if (!text)
    return eppd_profile_client_fail(error);
  fputs(text, stdout);
  return EPPD_EXIT_OK;
}

int
eppd_verb_profile_list_holds(int argc, char **argv)
{
  const EppdProfileUsage usage = {.description = "Lists who holds which profile, and why."};

  return print_property(argc, argv, &usage, "ActiveProfileHolds", eppd_profile_holds_text);
}

int
eppd_verb_profile_list_actions(int argc, char **argv)
{
  const EppdProfileUsage usage = {.description = "Lists what is done with a change of profile."};

  return print_property(argc, argv, &usage, "ActionsInfo", eppd_profile_actions_text);
}
