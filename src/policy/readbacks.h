/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/epp-twin.h"

/* What one driver reads back for the values that were written to it: the same each time, so that
 * each is read back once. Profiles have few values. Plain: a zeroed one has learned nothing. */
#define EPPD_READBACKS_MAX 6

typedef struct {
  EppdEppTwin learned[EPPD_READBACKS_MAX];
  guint n_learned;
} EppdReadbacks;

/* NULL where it is not known yet; in the memory of @readbacks, until it forgets. */
const EppdEpp *eppd_readbacks_find(const EppdReadbacks *readbacks, const EppdEpp *written);

/* @readback was read after @written, which was not known, had been written. What it can't read back
 * as is not learned: another program may have been there first. */
void eppd_readbacks_learn(EppdReadbacks *readbacks,
                          const EppdEpp *written,
                          const EppdEpp *readback);

/* The driver is another now. */
void eppd_readbacks_forget(EppdReadbacks *readbacks);
