/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/residency-window.h"

/* A difference from here on is a counter that went back, not one that ran for centuries. */
#define BACKWARDS ((guint64)1 << 63)

static guint
busy_share_permille(guint64 busy, guint64 total)
{
  if (busy >= total)
    return 1000;
  /* Keeps the product within 64 bits; a window this long has no use for the bits lost. */
  while (busy > G_MAXUINT64 / 1000) {
    busy >>= 1;
    total >>= 1;
  }
  return (guint)(busy * 1000 / total);
}

static void
set_baseline(EppdResidencyWindow *window, guint64 mperf, guint64 tsc, gint64 when_usec)
{
  window->has_baseline = true;
  window->mperf = mperf;
  window->tsc = tsc;
  window->when_usec = when_usec;
}

EppdWindowResult
eppd_residency_window_add(EppdResidencyWindow *window,
                          guint64 mperf,
                          guint64 tsc,
                          gint64 when_usec,
                          gint64 max_window_usec,
                          guint *busy_permille)
{
  guint64 mperf_delta = mperf - window->mperf;
  guint64 tsc_delta = tsc - window->tsc;
  /* Unsigned, since two absurd times may be further apart than a gint64 can tell. */
  guint64 elapsed_usec = (guint64)when_usec - (guint64)window->when_usec;
  EppdWindowResult result = EPPD_WINDOW_SAMPLE;

  if (!window->has_baseline)
    result = EPPD_WINDOW_BASELINE;
  else if (mperf_delta >= BACKWARDS || tsc_delta >= BACKWARDS || when_usec < window->when_usec)
    result = EPPD_WINDOW_BACKWARDS;
  else if (elapsed_usec > (guint64)MAX(max_window_usec, 0))
    result = EPPD_WINDOW_GAP;
  else if (mperf_delta == 0 || tsc_delta == 0)
    return EPPD_WINDOW_STALLED;
  else
    *busy_permille = busy_share_permille(mperf_delta, tsc_delta);

  set_baseline(window, mperf, tsc, when_usec);
  return result;
}

void
eppd_residency_window_reset(EppdResidencyWindow *window)
{
  *window = (EppdResidencyWindow){0};
}
