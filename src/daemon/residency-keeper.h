/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "residency/residency-source.h"

/* The residency source in use, and why it is that one: looked for in a thread, kept until it is
 * looked for anew. */
typedef struct _EppdResidencyKeeper EppdResidencyKeeper;

/* @changed: the search has ended. */
EppdResidencyKeeper *eppd_residency_keeper_new(void (*changed)(gpointer data), gpointer data);
void eppd_residency_keeper_free(EppdResidencyKeeper *keeper);

/* Looks for a source of @wanted (see eppd_source_select()); the one there was is freed, and must
 * not be armed. */
void eppd_residency_keeper_search(EppdResidencyKeeper *keeper, const char *wanted);
/* Has none, for @why. Likewise. */
void eppd_residency_keeper_drop(EppdResidencyKeeper *keeper, const char *why);

/* NULL: none, or still searching. */
EppdResidencySource *eppd_residency_keeper_source(const EppdResidencyKeeper *keeper);
/* "probing", "none", or the source's name. */
const char *eppd_residency_keeper_name(const EppdResidencyKeeper *keeper);
const char *eppd_residency_keeper_reason(const EppdResidencyKeeper *keeper);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdResidencyKeeper, eppd_residency_keeper_free)
