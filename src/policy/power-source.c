/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/power-source.h"

#include "base/enum-text.h"

static const char *const texts[EPPD_N_POWER_SOURCES] = {
    [EPPD_POWER_SOURCE_AC] = "ac",
    [EPPD_POWER_SOURCE_BATTERY] = "battery",
};

const char *
eppd_power_source_text(EppdPowerSource source)
{
  return eppd_enum_text(texts, G_N_ELEMENTS(texts), (int)source);
}
