/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/output.h"
#include "ctl/profile-args.h"
#include "ctl/profile-client.h"
#include "ctl/profile-verbs.h"

#include "base/printable.h"

/* Longer than any profile's name. */
#define NAME_MAX_BYTES 1024

int
eppd_verb_profile_get(int argc, char **argv)
{
  const EppdProfileUsage usage = {.description = "Prints the active profile."};
  g_auto(EppdClient) client = {0};
  g_autoptr(GVariant) value = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *name = NULL;
  EppdProfileWords words;
  int code;

  if (!eppd_profile_args_take(&usage, argc, argv, &words, &code))
    return code;
  value = eppd_profile_client_get(&client, "ActiveProfile", "s", &error);
  if (!value)
    return eppd_profile_client_fail(error);
  name = eppd_printable(g_variant_get_string(value, NULL), NAME_MAX_BYTES);
  puts(name);
  return EPPD_EXIT_OK;
}

int
eppd_verb_profile_set(int argc, char **argv)
{
  const EppdProfileUsage usage = {
      .description = "Makes PROFILE the active one: power-saver, balanced or performance.",
      .operand = "PROFILE",
  };
  g_auto(EppdClient) client = {0};
  g_autoptr(GError) error = NULL;
  g_autofree char *name = NULL;
  EppdProfileWords words;
  int code;

  if (!eppd_profile_args_take(&usage, argc, argv, &words, &code))
    return code;
  name = g_utf8_make_valid(words.words[0], -1);
  if (!eppd_profile_client_set(&client, "ActiveProfile", g_variant_new_string(name), &error))
    return eppd_profile_client_fail(error);
  return EPPD_EXIT_OK;
}
