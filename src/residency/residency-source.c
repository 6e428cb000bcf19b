/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/residency-source.h"

const char *
eppd_residency_source_name(const EppdResidencySource *source)
{
  return source->klass->name;
}

gboolean
eppd_residency_source_self_test(EppdResidencySource *source, char **detail, GError **error)
{
  g_autofree char *phrase = NULL;

  if (!source->klass->self_test(source, &phrase, error))
    return FALSE;
  if (detail)
    *detail = g_steal_pointer(&phrase);
  return TRUE;
}

gboolean
eppd_residency_source_arm(EppdResidencySource *source,
                          const EppdResidencyConfig *config,
                          gint64 now_usec,
                          GError **error)
{
  return source->klass->arm(source, config, now_usec, error);
}

gboolean
eppd_residency_source_configure(EppdResidencySource *source,
                                const EppdResidencyConfig *config,
                                GError **error)
{
  return source->klass->configure(source, config, error);
}

void
eppd_residency_source_disarm(EppdResidencySource *source)
{
  source->klass->disarm(source);
}

int
eppd_residency_source_get_fd(EppdResidencySource *source)
{
  return source->klass->get_fd ? source->klass->get_fd(source) : -1;
}

gint64
eppd_residency_source_dispatch(EppdResidencySource *source,
                               gint64 now_usec,
                               guint max_samples,
                               EppdResidencySampleFunc func,
                               gpointer data)
{
  return source->klass->dispatch(source, now_usec, max_samples, func, data);
}

void
eppd_residency_source_set_boosted(EppdResidencySource *source, guint cpu, bool boosted)
{
  if (source->klass->set_boosted)
    source->klass->set_boosted(source, cpu, boosted);
}

bool
eppd_residency_source_knows_apps(const EppdResidencySource *source)
{
  return source->klass->knows_apps && source->klass->knows_apps(source);
}

bool
eppd_residency_source_get_last_busy(EppdResidencySource *source,
                                    guint cpu,
                                    gint64 *when_usec,
                                    guint64 *app)
{
  return source->klass->get_last_busy && source->klass->get_last_busy(source, cpu, when_usec, app);
}

bool
eppd_residency_source_get_sample(EppdResidencySource *source,
                                 guint cpu,
                                 guint *busy_permille,
                                 gint64 *when_usec)
{
  return source->klass->get_sample &&
         source->klass->get_sample(source, cpu, busy_permille, when_usec);
}

bool
eppd_residency_source_is_virtual(const EppdResidencySource *source)
{
  return source->klass->advance != NULL;
}

gint64
eppd_residency_source_get_time_usec(EppdResidencySource *source)
{
  return source->klass->get_time_usec ? source->klass->get_time_usec(source)
                                      : g_get_monotonic_time();
}

gint64
eppd_residency_source_advance(EppdResidencySource *source, gint64 deadline_usec)
{
  return source->klass->advance ? source->klass->advance(source, deadline_usec)
                                : eppd_residency_source_get_time_usec(source);
}

gint64
eppd_residency_source_get_period_usec(EppdResidencySource *source)
{
  return source->klass->get_period_usec ? source->klass->get_period_usec(source) : 0;
}

void
eppd_residency_source_free(EppdResidencySource *source)
{
  if (source)
    source->klass->free(source);
}
