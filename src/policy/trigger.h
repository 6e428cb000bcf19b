/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/* What makes a CPU busy. */
typedef enum {
  EPPD_TRIGGER_CORE, /* its C0 residency, whoever runs there */
  EPPD_TRIGGER_APP,  /* the time that the held application's own tasks ran there */
} EppdTrigger;

bool eppd_trigger_parse(const char *text, EppdTrigger *trigger);
const char *eppd_trigger_text(EppdTrigger trigger);
