/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "agent/desktop-index.h"
#include "agent/process-table.h"

/* Looks through all processes of the user for those that a desktop entry of @index has started, as
 * the launcher's environment or the command line shows, and adds them to @table as launched. */
void eppd_process_search(EppdDesktopIndex *index, uid_t uid, EppdProcessTable *table);
