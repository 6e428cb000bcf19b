/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/epp-writer.h"

static void
count_write(EppdStatistics *statistics, EppdStepKind kind)
{
  if (kind == EPPD_STEP_BOOST)
    statistics->boost_writes++;
  else if (kind == EPPD_STEP_BASE)
    statistics->base_writes++;
}

static gboolean
write_step(EppdEppWriter *writer, const EppdStep *step, const EppdEpp *found, GError **error)
{
  gint64 start_usec = g_get_monotonic_time();

  if (!eppd_cpufreq_policy_write_epp(writer->hardware, &step->value, error)) {
    writer->statistics->write_errors++;
    return FALSE;
  }
  /* The driver drops an identical write: it would make a slow one look fast. */
  if (found->kind != EPPD_EPP_UNKNOWN && !eppd_epp_may_read_back_as(&step->value, found))
    eppd_write_cost_note(&writer->statistics->write_cost, g_get_monotonic_time() - start_usec);
  count_write(writer->statistics, step->kind);
  return TRUE;
}

/* What the file holds after @written was written. */
static EppdEpp
readback_of(EppdEppWriter *writer, const EppdEpp *written)
{
  const EppdEpp *known = eppd_readbacks_find(&writer->readbacks, written);
  EppdEpp readback;

  if (known)
    return *known;
  readback = eppd_cpufreq_policy_read_epp(writer->hardware, NULL);
  eppd_readbacks_learn(&writer->readbacks, written, &readback);
  return readback;
}

gboolean
eppd_epp_writer_carry_out(EppdEppWriter *writer,
                          EppdPolicyState *state,
                          const EppdStep *step,
                          const EppdEpp *found,
                          GError **error)
{
  EppdEpp readback = eppd_epp_named(EPPD_EPP_UNKNOWN);

  if (!write_step(writer, step, found, error)) {
    eppd_policy_state_refused(state, step->kind);
    return FALSE;
  }
  if (!eppd_policy_state_knows_readback(state, step->kind))
    readback = readback_of(writer, &step->value);
  eppd_policy_state_written(state, step->kind, &readback);
  return TRUE;
}
