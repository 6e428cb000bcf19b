/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/readbacks.h"

const EppdEpp *
eppd_readbacks_find(const EppdReadbacks *readbacks, const EppdEpp *written)
{
  for (guint i = 0; i < readbacks->n_learned; i++) {
    if (eppd_epp_equal(&readbacks->learned[i].written, written))
      return &readbacks->learned[i].readback;
  }
  return NULL;
}

void
eppd_readbacks_learn(EppdReadbacks *readbacks, const EppdEpp *written, const EppdEpp *readback)
{
  if (readbacks->n_learned < EPPD_READBACKS_MAX && eppd_epp_may_read_back_as(written, readback))
    readbacks->learned[readbacks->n_learned++] = (EppdEppTwin){*written, *readback};
}

void
eppd_readbacks_forget(EppdReadbacks *readbacks)
{
  readbacks->n_learned = 0;
}
