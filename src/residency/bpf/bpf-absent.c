/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/bpf/bpf-source.h"

#include "base/error.h"

/* What stands for the BPF source in a build without it: a source that is never armed. */

static gboolean
absent_self_test(EppdResidencySource *source, char **detail, GError **error)
{
  g_set_error(error, EPPD_ERROR, EPPD_ERROR_UNSUPPORTED, "built without BPF");
  return FALSE;
}

static gboolean
absent_arm(EppdResidencySource *source,
           const EppdResidencyConfig *config,
           gint64 now_usec,
           GError **error)
{
  return absent_self_test(source, NULL, error);
}

static gboolean
absent_configure(EppdResidencySource *source, const EppdResidencyConfig *config, GError **error)
{
  return absent_self_test(source, NULL, error);
}

static void
absent_disarm(EppdResidencySource *source)
{
}

static gint64
absent_dispatch(EppdResidencySource *source,
                gint64 now_usec,
                guint max_samples,
                EppdResidencySampleFunc func,
                gpointer data)
{
  return -1;
}

static void
absent_free(EppdResidencySource *source)
{
  g_free(source);
}

static const EppdResidencySourceClass absent_class = {
    .name = "bpf",
    .self_test = absent_self_test,
    .arm = absent_arm,
    .configure = absent_configure,
    .disarm = absent_disarm,
    .dispatch = absent_dispatch,
    .free = absent_free,
};

EppdResidencySource *
eppd_bpf_source_new(EppdBpfVariant variant, const char *mperf_event)
{
  EppdResidencySource *source = g_new0(EppdResidencySource, 1);

  source->klass = &absent_class;
  return source;
}
