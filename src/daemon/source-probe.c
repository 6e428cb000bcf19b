/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/source-probe.h"

struct _EppdSourceProbe {
  gatomicrefcount refs; /* the owner's and the thread's */
  char *wanted;
  GMainContext *context;
  EppdSourceChoice *choice;
  void (*done)(EppdSourceChoice *choice,
               gpointer data); /* NULL: cancelled; touched in @context only */
  gpointer data;
};

static void
unref_probe(gpointer data)
{
  EppdSourceProbe *probe = data;

  if (!g_atomic_ref_count_dec(&probe->refs))
    return;
  g_clear_pointer(&probe->choice, eppd_source_choice_free);
  g_main_context_unref(probe->context);
  g_free(probe->wanted);
  g_free(probe);
}

static gboolean
deliver(gpointer data)
{
  EppdSourceProbe *probe = data;

  if (probe->done)
    probe->done(g_steal_pointer(&probe->choice), probe->data);
  return G_SOURCE_REMOVE;
}

static gpointer
run(gpointer data)
{
  EppdSourceProbe *probe = data;
  g_autoptr(GSource) source = g_idle_source_new();

  probe->choice = eppd_source_select(probe->wanted);
  g_source_set_priority(source, G_PRIORITY_DEFAULT);
  g_source_set_callback(source, deliver, probe, unref_probe);
  g_source_attach(source, probe->context);
  return NULL;
}

EppdSourceProbe *
eppd_source_probe_start(const char *wanted,
                        void (*done)(EppdSourceChoice *choice, gpointer data),
                        gpointer data)
{
  EppdSourceProbe *probe = g_new0(EppdSourceProbe, 1);
  GThread *thread;

  g_atomic_ref_count_init(&probe->refs);
  g_atomic_ref_count_inc(&probe->refs);
  probe->wanted = g_strdup(wanted);
  probe->context = g_main_context_ref_thread_default();
  probe->done = done;
  probe->data = data;
  /* A thread of its own, not of a pool: a pool's idle threads wake up now and then. */
  thread = g_thread_new("eppd-probe", run, probe);
  g_thread_unref(thread);
  return probe;
}

void
eppd_source_probe_cancel(EppdSourceProbe *probe)
{
  probe->done = NULL;
  unref_probe(probe);
}
