/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/platform-choice.h"

#include "base/enum-text.h"

/* The kernel's names, in its order. */
static const char *const texts[] = {
    [EPPD_PLATFORM_LOW_POWER] = "low-power",
    [EPPD_PLATFORM_COOL] = "cool",
    [EPPD_PLATFORM_QUIET] = "quiet",
    [EPPD_PLATFORM_BALANCED] = "balanced",
    [EPPD_PLATFORM_BALANCED_PERFORMANCE] = "balanced-performance",
    [EPPD_PLATFORM_PERFORMANCE] = "performance",
    [EPPD_PLATFORM_MAX_POWER] = "max-power",
    [EPPD_PLATFORM_CUSTOM] = "custom",
};

static bool
has_choice(guint choices, EppdPlatformChoice choice)
{
  return (choices & (1u << choice)) != 0;
}

bool
eppd_platform_choice_parse(const char *text, EppdPlatformChoice *choice)
{
  int value = 0;

  if (!eppd_enum_text_parse(texts, G_N_ELEMENTS(texts), text, &value))
    return false;
  *choice = (EppdPlatformChoice)value;
  return true;
}

const char *
eppd_platform_choice_text(EppdPlatformChoice choice)
{
  return eppd_enum_text(texts, G_N_ELEMENTS(texts), (int)choice);
}

guint
eppd_platform_choices_parse(const char *text)
{
  g_auto(GStrv) words = g_strsplit_set(text ? text : "", " \t\r\n", -1);
  guint choices = 0;

  for (guint i = 0; words[i]; i++) {
    EppdPlatformChoice choice;

    if (eppd_platform_choice_parse(words[i], &choice))
      choices |= 1u << choice;
  }
  return choices;
}

bool
eppd_platform_choices_are_usable(guint choices)
{
  return has_choice(choices, EPPD_PLATFORM_BALANCED) &&
         has_choice(choices, EPPD_PLATFORM_PERFORMANCE);
}

EppdPlatformChoice
eppd_platform_choice_for(guint choices, EppdProfile profile)
{
  if (profile == EPPD_PROFILE_PERFORMANCE)
    return EPPD_PLATFORM_PERFORMANCE;
  if (profile == EPPD_PROFILE_POWER_SAVER && has_choice(choices, EPPD_PLATFORM_LOW_POWER))
    return EPPD_PLATFORM_LOW_POWER;
  if (profile == EPPD_PROFILE_POWER_SAVER && has_choice(choices, EPPD_PLATFORM_QUIET))
    return EPPD_PLATFORM_QUIET;
  return EPPD_PLATFORM_BALANCED;
}

bool
eppd_platform_choice_profile(EppdPlatformChoice choice, EppdProfile *profile)
{
  switch (choice) {
  case EPPD_PLATFORM_LOW_POWER:
  case EPPD_PLATFORM_QUIET:
    *profile = EPPD_PROFILE_POWER_SAVER;
    return true;
  case EPPD_PLATFORM_COOL:
  case EPPD_PLATFORM_BALANCED:
  case EPPD_PLATFORM_BALANCED_PERFORMANCE:
    *profile = EPPD_PROFILE_BALANCED;
    return true;
  case EPPD_PLATFORM_PERFORMANCE:
  case EPPD_PLATFORM_MAX_POWER:
    *profile = EPPD_PROFILE_PERFORMANCE;
    return true;
  default:
    return false;
  }
}

bool
eppd_platform_choice_is_at(guint choices, EppdPlatformChoice choice, EppdProfile profile)
{
  EppdProfile told;

  /* What emulates power-saver tells another profile. */
  return choice == eppd_platform_choice_for(choices, profile) ||
         (eppd_platform_choice_profile(choice, &told) && told == profile);
}
