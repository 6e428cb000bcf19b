/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/epp-twin.h"

bool
eppd_epp_twin_is_learned(const EppdEppTwin *twin)
{
  return twin->readback.kind != EPPD_EPP_UNKNOWN;
}

const EppdEpp *
eppd_epp_twin_expected(const EppdEppTwin *twin)
{
  return eppd_epp_twin_is_learned(twin) ? &twin->readback : &twin->written;
}

bool
eppd_epp_twin_holds(const EppdEppTwin *twin, const EppdEpp *found)
{
  return eppd_epp_equal(found, eppd_epp_twin_expected(twin));
}

bool
eppd_epp_is_same(const EppdEpp *a, const EppdEpp *b)
{
  return eppd_epp_equal(a, b) || (a->kind == EPPD_EPP_UNKNOWN && b->kind == EPPD_EPP_UNKNOWN);
}

bool
eppd_epp_twin_is_same(const EppdEppTwin *a, const EppdEppTwin *b)
{
  return eppd_epp_is_same(&a->written, &b->written) && eppd_epp_is_same(&a->readback, &b->readback);
}

void
eppd_epp_twin_set(EppdEppTwin *twin, const EppdEpp *written)
{
  if (eppd_epp_equal(&twin->written, written))
    return;
  twin->written = *written;
  twin->readback = eppd_epp_named(EPPD_EPP_UNKNOWN);
}
