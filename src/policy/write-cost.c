/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/write-cost.h"

static gint64
in_steps(gint64 usec)
{
  gint64 n_steps = usec / EPPD_WRITE_COST_STEP_USEC + (usec % EPPD_WRITE_COST_STEP_USEC > 0);

  return MAX(n_steps, 1) * EPPD_WRITE_COST_STEP_USEC;
}

gint64
eppd_write_cost_fastest_usec(const EppdWriteCost *cost)
{
  gint64 fastest_usec = cost->n > 0 ? G_MAXINT64 : 0;

  for (guint i = 0; i < cost->n; i++)
    fastest_usec = MIN(fastest_usec, cost->taken_usec[i]);
  return fastest_usec;
}

static void
judge(EppdWriteCost *cost)
{
  gint64 fastest_usec = eppd_write_cost_fastest_usec(cost);
  gint64 now_usec = in_steps(fastest_usec);

  if (cost->n < EPPD_WRITE_COST_MIN_WRITES)
    return;
  if (cost->judged_usec == 0 || now_usec < cost->judged_usec ||
      (cost->n == EPPD_WRITE_COST_WINDOW && fastest_usec / 2 > cost->judged_usec))
    cost->judged_usec = now_usec;
}

void
eppd_write_cost_note(EppdWriteCost *cost, gint64 taken_usec)
{
  cost->taken_usec[cost->next] = CLAMP(taken_usec, 0, G_MAXINT64 / 2);
  cost->next = (cost->next + 1) % EPPD_WRITE_COST_WINDOW;
  cost->n = MIN(cost->n + 1, EPPD_WRITE_COST_WINDOW);
  judge(cost);
}

gint64
eppd_write_cost_usec(const EppdWriteCost *cost)
{
  return cost->judged_usec;
}

void
eppd_write_cost_forget(EppdWriteCost *cost)
{
  *cost = (EppdWriteCost){0};
}
