/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rfc-model.h"

RfcEvent
rfc_model_update(RfcModel *model, guint64 mperf, guint64 tsc, gint64 now_usec)
{
  guint64 mperf_delta = mperf - model->mperf;
  guint64 tsc_delta = tsc - model->tsc;
  bool was_active = model->active;
  bool hold_has_passed;

  if (model->has_baseline) {
    if (now_usec - model->sample_usec < RFC_SAMPLE_USEC)
      return RFC_NOTHING;
    if (mperf_delta == 0 || tsc_delta == 0)
      return RFC_NOTHING;
  }
  model->mperf = mperf;
  model->tsc = tsc;
  model->sample_usec = now_usec;
  if (!model->has_baseline) {
    model->has_baseline = true;
    return RFC_NOTHING;
  }

  hold_has_passed = was_active && now_usec - model->last_busy_usec >= RFC_HOLD_USEC;
  if (mperf_delta * 100 / tsc_delta >= RFC_BUSY_PERCENT) {
    model->active = true;
    model->last_busy_usec = now_usec;
    if (!was_active)
      return RFC_RISE;
    return hold_has_passed ? RFC_BRIDGE : RFC_NOTHING;
  }
  if (!hold_has_passed)
    return RFC_NOTHING;
  model->active = false;
  return RFC_FALL;
}
