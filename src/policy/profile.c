/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/profile.h"

#include "base/enum-text.h"

static const char *const texts[EPPD_N_PROFILES] = {
    [EPPD_PROFILE_POWER_SAVER] = "power-saver",
    [EPPD_PROFILE_BALANCED] = "balanced",
    [EPPD_PROFILE_PERFORMANCE] = "performance",
};

bool
eppd_profile_parse(const char *text, EppdProfile *profile)
{
  int value = 0;

  if (!eppd_enum_text_parse(texts, G_N_ELEMENTS(texts), text, &value))
    return false;
  *profile = (EppdProfile)value;
  return true;
}

const char *
eppd_profile_text(EppdProfile profile)
{
  return eppd_enum_text(texts, G_N_ELEMENTS(texts), (int)profile);
}
