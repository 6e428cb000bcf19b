/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/trigger.h"

#include "base/enum-text.h"

static const char *const texts[] = {
    [EPPD_TRIGGER_CORE] = "core",
    [EPPD_TRIGGER_APP] = "app",
};

bool
eppd_trigger_parse(const char *text, EppdTrigger *trigger)
{
  int value = 0;

  if (!eppd_enum_text_parse(texts, G_N_ELEMENTS(texts), text, &value))
    return false;
  *trigger = (EppdTrigger)value;
  return true;
}

const char *
eppd_trigger_text(EppdTrigger trigger)
{
  return eppd_enum_text(texts, G_N_ELEMENTS(texts), (int)trigger);
}
