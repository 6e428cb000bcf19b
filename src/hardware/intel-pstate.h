/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"

#include <stdbool.h>

/* intel_pstate's files beside the policies. */
typedef struct {
  bool present;      /* intel_pstate/status exists */
  bool active;       /* …and reads active */
  bool tells_turbo;  /* turbo_pct is there and not 0, so that no_turbo means something */
  bool turbo_is_off; /* …and no_turbo reads 1: the firmware is too hot to allow turbo */
} EppdIntelPstate;

/* Whatever is missing or odd counts as not there. */
void eppd_intel_pstate_read(EppdSysRoot *root, EppdIntelPstate *pstate);
/* no_turbo's path, there or not; owned by the caller. */
char *eppd_intel_pstate_no_turbo_path(EppdSysRoot *root);
