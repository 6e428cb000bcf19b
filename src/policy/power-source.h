/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

typedef enum {
  EPPD_POWER_SOURCE_AC,
  EPPD_POWER_SOURCE_BATTERY,
} EppdPowerSource;

#define EPPD_N_POWER_SOURCES 2

/* "ac" and "battery". */
const char *eppd_power_source_text(EppdPowerSource source);
