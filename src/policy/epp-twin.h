/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/epp.h"

/* Ours is what was read back after our write (names and numbers read back differently), so each
 * value that we write has a twin that we expect to read. A value type, as EppdEpp is. */
typedef struct {
  EppdEpp written;
  EppdEpp readback; /* UNKNOWN: not learned, then @written itself is expected */
} EppdEppTwin;

bool eppd_epp_twin_is_learned(const EppdEppTwin *twin);
/* Whether @found, what a file holds, is what is expected of it. */
bool eppd_epp_twin_holds(const EppdEppTwin *twin, const EppdEpp *found);
/* What is expected to be read: of either kind, in the memory of @twin. */
const EppdEpp *eppd_epp_twin_expected(const EppdEppTwin *twin);
/* Both halves the same, where two unknown ones are: it is about what is noted of a file, and not
 * about files. */
bool eppd_epp_twin_is_same(const EppdEppTwin *a, const EppdEppTwin *b);
/* Another value to be written is not learned yet; the same one stays as it is. */
void eppd_epp_twin_set(EppdEppTwin *twin, const EppdEpp *written);

/* As in eppd_epp_twin_is_same(): two unknown ones are the same. */
bool eppd_epp_is_same(const EppdEpp *a, const EppdEpp *b);
