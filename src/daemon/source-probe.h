/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "residency/source-select.h"

/* Chooses the residency source in a thread: its self-test spins on a CPU, and the bus must be
 * served meanwhile. */
typedef struct _EppdSourceProbe EppdSourceProbe;

/* @done gets the choice, which it owns; not called any more once the probe is cancelled. */
EppdSourceProbe *eppd_source_probe_start(const char *wanted,
                                         void (*done)(EppdSourceChoice *choice, gpointer data),
                                         gpointer data);
/* Frees @probe, in flight or done; the thread ends by itself. */
void eppd_source_probe_cancel(EppdSourceProbe *probe);
