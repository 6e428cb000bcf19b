/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "residency/residency-source.h"

/* The last resort: /proc/stat over 100 ms windows. */
EppdResidencySource *eppd_procstat_source_new(void);
