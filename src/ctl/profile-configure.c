/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/output.h"
#include "ctl/profile-args.h"
#include "ctl/profile-client.h"
#include "ctl/profile-text.h"
#include "ctl/profile-verbs.h"

#include "base/printable.h"

/* Longer than any action's name. */
#define NAME_MAX_BYTES 1024

typedef struct {
  bool enable;
  bool disable;
} Switches;

/* False: the verb returns @code. */
static bool
check_switches(const Switches *switches, int *code)
{
  if (switches->enable && switches->disable)
    *code = eppd_profile_client_refuse("can't set both enable and disable");
  else if (!switches->enable && !switches->disable)
    *code = eppd_profile_client_refuse("enable or disable is required");
  return switches->enable != switches->disable;
}

int
eppd_verb_profile_configure_action(int argc, char **argv)
{
  Switches switches = {0};
  const EppdProfileOption options[] = {
      {.name = "enable", .help = "Take the action", .flag = &switches.enable},
      {.name = "disable", .help = "Do not take it", .flag = &switches.disable},
      {NULL},
  };
  const EppdProfileUsage usage = {
      .description = "Says whether an action is taken with a change of profile.",
      .options = options,
      .operand = "ACTION",
  };
  g_auto(EppdClient) client = {0};
  g_autoptr(GVariant) reply = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *action = NULL;
  g_autofree char *shown = NULL;
  EppdProfileWords words;
  int code;

  if (!eppd_profile_args_take(&usage, argc, argv, &words, &code) ||
      !check_switches(&switches, &code))
    return code;
  action = g_utf8_make_valid(words.words[0], -1);
  shown = eppd_printable(action, NAME_MAX_BYTES);
  printf("action: %s, enable: %s\n", shown, eppd_profile_flag_text(switches.enable));
  reply = eppd_profile_client_call(&client, "SetActionEnabled",
                                   g_variant_new("(sb)", action, switches.enable), "()", &error);
  return reply ? EPPD_EXIT_OK : eppd_profile_client_fail(error);
}

int
eppd_verb_profile_configure_battery_aware(int argc, char **argv)
{
  Switches switches = {0};
  const EppdProfileOption options[] = {
      {.name = "enable", .help = "Follow the power source", .flag = &switches.enable},
      {.name = "disable", .help = "Do not follow it", .flag = &switches.disable},
      {NULL},
  };
  const EppdProfileUsage usage = {
      .description = "Says whether the profiles follow the charger and the battery.",
      .options = options,
  };
  g_auto(EppdClient) client = {0};
  g_autoptr(GError) error = NULL;
  EppdProfileWords words;
  int code;

  if (!eppd_profile_args_take(&usage, argc, argv, &words, &code) ||
      !check_switches(&switches, &code))
    return code;
  if (!eppd_profile_client_set(&client, "BatteryAware", g_variant_new_boolean(switches.enable),
                               &error))
    return eppd_profile_client_fail(error);
  return EPPD_EXIT_OK;
}

int
eppd_verb_profile_query_battery_aware(int argc, char **argv)
{
  const EppdProfileUsage usage = {
      .description = "Prints whether the profiles follow the charger and the battery."};
  g_auto(EppdClient) client = {0};
  g_autoptr(GVariant) value = NULL;
  g_autoptr(GError) error = NULL;
  EppdProfileWords words;
  int code;

  if (!eppd_profile_args_take(&usage, argc, argv, &words, &code))
    return code;
  value = eppd_profile_client_get(&client, "BatteryAware", "b", &error);
  if (!value)
    return eppd_profile_client_fail(error);
  printf("Dynamic changes from charger and battery events: %s\n",
         eppd_profile_flag_text(g_variant_get_boolean(value)));
  return EPPD_EXIT_OK;
}
