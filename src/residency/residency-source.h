/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/cpu-list.h"
#include "policy/app-rule.h"

#include <glib.h>
#include <stdbool.h>

/* Where C0 residency comes from. A source watches the running kernel (never a SysRoot), and says
 * for each CPU how busy it was. It owns no timer and no main loop: it has a descriptor to poll, and
 * says when it wants to run next.
 *
 * Protocol: arm → dispatch whenever the descriptor is readable or the wake-up time has come →
 * disarm. Between arms it holds nothing: no event open, no program attached.
 *
 * set_boosted tells the source which CPUs are boosted. A source may leave out the samples of a
 * boosted CPU (bpf does: user space is woken on edges only); then get_last_busy says when the CPU
 * was last seen busy. */

typedef struct _EppdResidencySource EppdResidencySource;

typedef struct {
  EppdCpuList cpus;         /* the CPUs to watch; borrowed for the call */
  guint threshold_permille; /* 1..1000 (more: never busy) */
  gint64 sample_usec;
  /* The applications to tell apart, borrowed for the call: at most EPPD_APP_RULES_MAX, each another
   * cgroup. A source that does not know applications ignores them. */
  const EppdAppRule *apps;
  guint n_apps;
} EppdResidencyConfig;

/* A threshold that no core reaches: the samples are for status alone. */
#define EPPD_RESIDENCY_NEVER_BUSY 1001

/* The CPU was @busy_permille busy over the window that ended at @when_usec (CLOCK_MONOTONIC, as
 * g_get_monotonic_time(); virtual for a trace in virtual time): the core itself, or the tasks of
 * one application on it. A source may leave out an application's samples below its threshold. */
typedef struct {
  guint cpu;
  guint busy_permille;
  gint64 when_usec;
  guint64 app; /* the application, by its cgroup_id; 0: the core itself */
} EppdResidencySample;

typedef void (*EppdResidencySampleFunc)(const EppdResidencySample *sample, gpointer data);

typedef struct {
  /* "bpf", "perf", "procstat", "trace" */
  const char *name;
  /* Whether the source works here: a short spin on one CPU must yield samples and moving counters.
   * May take up to two seconds where it does not; runs in any one thread. On success @detail (owned
   * by the caller) is a phrase for status
   * ("MPERF on the tick, every 8 ms"). On failure the error is the reason, a phrase without the
   * source's name. */
  gboolean (*self_test)(EppdResidencySource *source, char **detail, GError **error);
  gboolean (*arm)(EppdResidencySource *source,
                  const EppdResidencyConfig *config,
                  gint64 now_usec,
                  GError **error);
  /* While armed: new thresholds, applications or period, without losing a sample of the core; those
   * of applications start anew where these changed. CPUs are not changed. On failure it must be
   * armed anew. */
  gboolean (*configure)(EppdResidencySource *source,
                        const EppdResidencyConfig *config,
                        GError **error);
  void (*disarm)(EppdResidencySource *source);
  /* To poll for reading while armed; -1 if there is none. */
  int (*get_fd)(EppdResidencySource *source);
  /* Hands out what there is, at most @max_samples; returns when it wants to be called next without
   * its descriptor being readable (monotonic; @now_usec or earlier: at once, -1: never). */
  gint64 (*dispatch)(EppdResidencySource *source,
                     gint64 now_usec,
                     guint max_samples,
                     EppdResidencySampleFunc func,
                     gpointer data);
  /* Whether it can tell applications apart; known after the self-test. NULL: it can't. */
  bool (*knows_apps)(const EppdResidencySource *source);
  /* May be NULL, as may the next two. */
  void (*set_boosted)(EppdResidencySource *source, guint cpu, bool boosted);
  /* The latest busy sample of @cpu, and of which application (0: the core itself); false if none
   * since it was armed. */
  bool (*get_last_busy)(EppdResidencySource *source, guint cpu, gint64 *when_usec, guint64 *app);
  /* The latest sample of @cpu, busy or not, for status. */
  bool (*get_sample)(EppdResidencySource *source,
                     guint cpu,
                     guint *busy_permille,
                     gint64 *when_usec);
  /* The source's clock, where it is not the monotonic one (a trace in virtual time); NULL:
   * monotonic. */
  gint64 (*get_time_usec)(EppdResidencySource *source);
  /* Virtual time only, NULL else: see eppd_residency_source_advance(). */
  gint64 (*advance)(EppdResidencySource *source, gint64 deadline_usec);
  /* The period that it really samples at, and counters for statistics; may be NULL. */
  gint64 (*get_period_usec)(EppdResidencySource *source);
  void (*free)(EppdResidencySource *source);
} EppdResidencySourceClass;

/* The first member of each source. */
struct _EppdResidencySource {
  const EppdResidencySourceClass *klass;
};

const char *eppd_residency_source_name(const EppdResidencySource *source);
gboolean eppd_residency_source_self_test(EppdResidencySource *source,
                                         char **detail,
                                         GError **error);
gboolean eppd_residency_source_arm(EppdResidencySource *source,
                                   const EppdResidencyConfig *config,
                                   gint64 now_usec,
                                   GError **error);
gboolean eppd_residency_source_configure(EppdResidencySource *source,
                                         const EppdResidencyConfig *config,
                                         GError **error);
void eppd_residency_source_disarm(EppdResidencySource *source);
int eppd_residency_source_get_fd(EppdResidencySource *source);
gint64 eppd_residency_source_dispatch(EppdResidencySource *source,
                                      gint64 now_usec,
                                      guint max_samples,
                                      EppdResidencySampleFunc func,
                                      gpointer data);
bool eppd_residency_source_knows_apps(const EppdResidencySource *source);
void eppd_residency_source_set_boosted(EppdResidencySource *source, guint cpu, bool boosted);
bool eppd_residency_source_get_last_busy(EppdResidencySource *source,
                                         guint cpu,
                                         gint64 *when_usec,
                                         guint64 *app);
bool eppd_residency_source_get_sample(EppdResidencySource *source,
                                      guint cpu,
                                      guint *busy_permille,
                                      gint64 *when_usec);
/* g_get_monotonic_time() where the source has no clock of its own. */
gint64 eppd_residency_source_get_time_usec(EppdResidencySource *source);
/* Whether the source's clock is virtual: nobody need wait for a wake-up time that it gives. */
bool eppd_residency_source_is_virtual(const EppdResidencySource *source);
/* The time for the next dispatch. In virtual time the clock stands still but for this call: it
 * moves on to the source's next reading or to @deadline_usec (the caller's own next; -1: none),
 * whichever comes first, never back, and not at all where there is neither. In real time it only
 * says what time it is. So for every source alike
 *   now = advance(source, deadline); dispatch(source, now, …); let pass what is due at now;
 * sees each reading and each deadline at its own time; in virtual time the caller repeats it, until
 * dispatch says "never" and no deadline is left. */
gint64 eppd_residency_source_advance(EppdResidencySource *source, gint64 deadline_usec);
/* 0 where unknown. */
gint64 eppd_residency_source_get_period_usec(EppdResidencySource *source);
void eppd_residency_source_free(EppdResidencySource *source);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdResidencySource, eppd_residency_source_free)
