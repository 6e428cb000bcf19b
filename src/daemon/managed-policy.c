/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/managed-policy.h"

#include "base/error.h"
#include "base/log.h"

/* What a driver reads back for a value is the same each time; profiles have few values. */
#define LEARNED_MAX 6

struct _EppdManagedPolicy {
  EppdCpufreqPolicy *hardware;
  EppdJournal *journal;
  EppdStatistics *statistics;
  EppdPolicyState state;
  EppdEppTwin learned[LEARNED_MAX]; /* of this driver */
  guint n_learned;
  char *driver; /* the last that could be read; NULL: none yet */
  bool was_online;
  bool governor_was_performance;
  bool governor_left;  /* it was performance and no longer is: EPP is as that left it */
  bool governor_wrote; /* the performance governor came and went during a boost, and left its EPP */
  bool only_remember;  /* the kernel manages its EPP */
  bool was_plugged;    /* it, or a CPU of it, came or went since the last refresh */
  bool missed_profile; /* one was applied while it had no EPP file */
  bool said_adapted;
  bool said_unsafe; /* that the journal does not take its flag */
};

static const char *
name_of(const EppdManagedPolicy *policy)
{
  return eppd_cpufreq_policy_name(policy->hardware);
}

static void
note_governor(EppdManagedPolicy *policy)
{
  bool is_performance = eppd_cpufreq_policy_governor_is_performance(policy->hardware);

  if (policy->governor_was_performance && !is_performance)
    policy->governor_left = true;
  policy->governor_was_performance = is_performance;
}

void
eppd_managed_policy_refresh_governor(EppdManagedPolicy *policy)
{
  eppd_cpufreq_policy_refresh_governor(policy->hardware);
  note_governor(policy);
}

void
eppd_managed_policy_refresh_dynamic(EppdManagedPolicy *policy)
{
  EppdEpp found = eppd_cpufreq_policy_read_epp(policy->hardware, NULL);

  eppd_policy_state_note_found(&policy->state, &found);
}

static void
note_journal(EppdManagedPolicy *policy)
{
  eppd_journal_set_policy(policy->journal, name_of(policy), policy->driver,
                          &policy->state.base.written, &policy->state.boost);
  eppd_journal_set_taken_over(policy->journal, name_of(policy), policy->state.taken_over);
}

static void
flag_journal(EppdManagedPolicy *policy, bool boosted)
{
  g_autoptr(GError) error = NULL;

  if (eppd_journal_set_boosted(policy->journal, name_of(policy), boosted, &error)) {
    policy->said_unsafe = false;
    return;
  }
  /* Each edge would say it again, for as long as it lasts. */
  eppd_log(policy->said_unsafe ? G_LOG_LEVEL_DEBUG : G_LOG_LEVEL_WARNING, name_of(policy),
           "%s; ignoring, a crash now would leave its EPP to you", error->message);
  policy->said_unsafe = true;
}

static void
time_write(EppdManagedPolicy *policy, gint64 taken_usec)
{
  EppdStatistics *statistics = policy->statistics;

  if (statistics->epp_writes_timed++ == 0 || taken_usec < statistics->epp_write_usec)
    statistics->epp_write_usec = taken_usec;
}

static gboolean
write_step(EppdManagedPolicy *policy, const EppdStep *step, const EppdEpp *found, GError **error)
{
  gint64 start_usec = g_get_monotonic_time();

  if (!eppd_cpufreq_policy_write_epp(policy->hardware, &step->value, error))
    return FALSE;
  /* The driver drops an identical write: it would make a slow one look fast. */
  if (found->kind != EPPD_EPP_UNKNOWN && !eppd_epp_may_read_back_as(&step->value, found))
    time_write(policy, g_get_monotonic_time() - start_usec);
  if (step->kind == EPPD_STEP_BOOST)
    policy->statistics->boost_writes++;
  else if (step->kind == EPPD_STEP_BASE)
    policy->statistics->base_writes++;
  return TRUE;
}

/* What the file holds after @written was written. */
static EppdEpp
readback_of(EppdManagedPolicy *policy, const EppdEpp *written)
{
  EppdEpp readback;

  for (guint i = 0; i < policy->n_learned; i++) {
    if (eppd_epp_equal(&policy->learned[i].written, written))
      return policy->learned[i].readback;
  }
  readback = eppd_cpufreq_policy_read_epp(policy->hardware, NULL);
  /* Another program may have been there first. */
  if (policy->n_learned < LEARNED_MAX && eppd_epp_may_read_back_as(written, &readback))
    policy->learned[policy->n_learned++] = (EppdEppTwin){*written, readback};
  return readback;
}

/* Writes what @step says over @found, and tells the state what became of it. The caller flags the
 * journal around it. */
static gboolean
carry_out(EppdManagedPolicy *policy, const EppdStep *step, const EppdEpp *found, GError **error)
{
  EppdEpp readback = eppd_epp_named(EPPD_EPP_UNKNOWN);

  if (!write_step(policy, step, found, error)) {
    policy->statistics->write_errors++;
    eppd_policy_state_refused(&policy->state, step->kind);
    return FALSE;
  }
  if (!eppd_policy_state_knows_readback(&policy->state, step->kind))
    readback = readback_of(policy, &step->value);
  eppd_policy_state_written(&policy->state, step->kind, &readback);
  return TRUE;
}

static EppdOutcome
outcome_of(const GError *error)
{
  return g_error_matches(error, EPPD_ERROR, EPPD_ERROR_GONE) ? EPPD_OUTCOME_GONE
                                                             : EPPD_OUTCOME_REFUSED;
}

static void
commit_journal(EppdManagedPolicy *policy)
{
  g_autoptr(GError) error = NULL;

  note_journal(policy);
  if (!eppd_journal_commit(policy->journal, &error))
    eppd_warning(name_of(policy), "%s; ignoring", error->message);
}

/* Tells of foreign writes, and gets a new base into the journal: before the next boost can hide it.
 */
static void
note_foreign(EppdManagedPolicy *policy, const EppdPolicyState *before)
{
  char buffer[EPPD_EPP_TEXT_SIZE];
  guint64 news = policy->state.foreign_writes - before->foreign_writes;

  policy->statistics->foreign_writes += news;
  if (news > 0 && policy->state.kernel_managed) {
    eppd_notice(name_of(policy),
                "another program gave it to the kernel's dynamic EPP: not boosted while it is");
  } else if (news > 0) {
    eppd_notice(name_of(policy),
                "another program wrote its EPP: %s is its base until the next profile change",
                eppd_epp_text(&policy->state.base.written, buffer));
  }
  if (eppd_epp_equal(&policy->state.base.written, &before->base.written) &&
      policy->state.taken_over == before->taken_over)
    return;
  commit_journal(policy);
}

/* What the kernel puts into a policy that it makes anew is no program's choice; the news of that
 * may still be on its way. */
static bool
is_kernel_s_own(const EppdManagedPolicy *policy, const EppdEpp *found)
{
  return eppd_policy_state_is_foreign(&policy->state, found) &&
         eppd_cpufreq_policy_is_remade(policy->hardware);
}

EppdOutcome
eppd_managed_policy_busy_edge(EppdManagedPolicy *policy, gint64 now_usec)
{
  g_autoptr(GError) error = NULL;
  EppdEpp found = eppd_cpufreq_policy_read_epp(policy->hardware, NULL);
  EppdPolicyState before = policy->state;
  bool was_known = eppd_cpufreq_policy_governor_is_performance(policy->hardware);
  EppdStep step;

  /* Under the performance governor the file reads as that wants it, whoever wrote it; the news of a
   * change may still be on its way, so look before another's value is taken for a choice. */
  if (!eppd_epp_equal(&found, &policy->state.base.written) &&
      !eppd_epp_equal(&found, &policy->state.base.readback))
    eppd_managed_policy_refresh_governor(policy);
  if (eppd_cpufreq_policy_governor_is_performance(policy->hardware))
    return was_known ? EPPD_OUTCOME_DONE : EPPD_OUTCOME_REFUSED;
  if (is_kernel_s_own(policy, &found))
    return EPPD_OUTCOME_GONE;

  step = eppd_policy_state_busy_edge(&policy->state, &found, now_usec);
  note_foreign(policy, &before);
  if (step.kind == EPPD_STEP_LEFT_TO_KERNEL && !before.kernel_managed)
    return EPPD_OUTCOME_REFUSED;
  if (step.kind != EPPD_STEP_BOOST)
    return EPPD_OUTCOME_DONE;

  flag_journal(policy, true);
  if (carry_out(policy, &step, &found, &error)) {
    /* A restore must know the boost by what it reads back as. */
    if (before.boost.readback.kind != policy->state.boost.readback.kind)
      commit_journal(policy);
    return EPPD_OUTCOME_DONE;
  }

  /* A refused boost over a pending restore leaves that pending. */
  if (!policy->state.boosted)
    flag_journal(policy, false);
  eppd_debug(name_of(policy), "not boosted: %s", error->message);
  return outcome_of(error);
}

EppdOutcome
eppd_managed_policy_idle_edge(EppdManagedPolicy *policy, gint64 now_usec)
{
  g_autoptr(GError) error = NULL;
  EppdPolicyState before = policy->state;
  EppdEpp found;
  EppdStep step;

  if (!before.boosted && !before.restore_pending)
    return EPPD_OUTCOME_DONE;
  found = eppd_cpufreq_policy_read_epp(policy->hardware, NULL);
  if (is_kernel_s_own(policy, &found))
    return EPPD_OUTCOME_GONE;
  step =
      eppd_policy_state_idle_edge(&policy->state, &found,
                                  (policy->governor_wrote && eppd_epp_may_be_left_over(&found)) ||
                                      eppd_cpufreq_policy_governor_is_performance(policy->hardware),
                                  now_usec);
  note_foreign(policy, &before);

  if (step.kind == EPPD_STEP_BASE && !carry_out(policy, &step, &found, &error)) {
    /* Not lost: the journal still says boosted, and the governor, hotplug, time and exit try again.
     */
    eppd_log(before.restore_pending ? G_LOG_LEVEL_DEBUG : G_LOG_LEVEL_MESSAGE, name_of(policy),
             "its base EPP can't be restored yet: %s", error->message);
    return outcome_of(error);
  }
  if (!policy->state.boosted && !policy->state.restore_pending) {
    policy->governor_wrote = false;
    flag_journal(policy, false);
  }
  return EPPD_OUTCOME_DONE;
}

/* Best effort: newer kernels and some parts refuse these, and the EPP is what counts. */
static void
warn_unless_set(EppdManagedPolicy *policy, const char *what, const GError *error)
{
  if (error && !g_error_matches(error, EPPD_ERROR, EPPD_ERROR_GONE))
    eppd_warning(name_of(policy), "%s not set: %s; ignoring", what, error->message);
}

/* NULL: leave it. Either way it is known afterwards. */
static void
apply_governor(EppdManagedPolicy *policy, const char *governor)
{
  g_autoptr(GError) error = NULL;

  if (governor)
    eppd_cpufreq_policy_write_governor(policy->hardware, governor, &error);
  else
    eppd_cpufreq_policy_refresh_governor(policy->hardware);
  warn_unless_set(policy, "governor", error);
  note_governor(policy);
}

static void
apply_core_boost(EppdManagedPolicy *policy, const EppdProfileSettings *settings)
{
  g_autoptr(GError) error = NULL;

  if (settings->core_boost < 0)
    return;
  eppd_cpufreq_policy_write_core_boost(policy->hardware, settings->core_boost, &error);
  warn_unless_set(policy, "core boost", error);
}

static void
apply_floor(EppdManagedPolicy *policy, const EppdProfileSettings *settings)
{
  g_autoptr(GError) error = NULL;
  const char *file = NULL;

  switch (settings->floor) {
  case EPPD_FLOOR_LEAVE:
    return;
  case EPPD_FLOOR_CPUINFO_MIN:
    file = "cpuinfo_min_freq";
    break;
  case EPPD_FLOOR_LOWEST_NONLINEAR:
    file = "amd_pstate_lowest_nonlinear_freq";
    break;
  }
  eppd_cpufreq_policy_write_min_freq_from(policy->hardware, file, &error);
  warn_unless_set(policy, "frequency floor", error);
}

/* The wish as this driver can take it; said once where that is another value. */
static EppdEpp
fit_epp(EppdManagedPolicy *policy, const EppdEpp *wish)
{
  char wished[EPPD_EPP_TEXT_SIZE];
  char taken[EPPD_EPP_TEXT_SIZE];
  bool adapted = false;
  EppdEpp epp = eppd_epp_fit(wish, eppd_cpufreq_policy_choices(policy->hardware), &adapted);

  if (adapted && !policy->said_adapted) {
    policy->said_adapted = true;
    eppd_notice(name_of(policy), "its driver does not take EPP %s: using %s",
                eppd_epp_text(wish, wished), eppd_epp_text(&epp, taken));
  }
  return epp;
}

static gboolean
apply_epp(EppdManagedPolicy *policy, const EppdPolicyWish *wish, bool force, GError **error)
{
  EppdEpp found = eppd_cpufreq_policy_read_epp(policy->hardware, NULL);
  EppdEpp fitted = fit_epp(policy, &wish->epp);
  EppdStep step = eppd_policy_state_set_wanted(&policy->state, &fitted, &found, force);

  if (step.kind == EPPD_STEP_LEFT_TO_KERNEL && wish->take_over && !wish->only_remember)
    step = eppd_policy_state_take_over(&policy->state);
  note_journal(policy);
  if (!wish->only_remember && step.kind == EPPD_STEP_BASE &&
      !carry_out(policy, &step, &found, error))
    return FALSE;
  /* Also where what was boosted turned out to hold the new base. */
  if (!policy->state.boosted && !policy->state.restore_pending)
    flag_journal(policy, false);
  return TRUE;
}

bool
eppd_managed_policy_prepare_take_over(EppdManagedPolicy *policy, const EppdPolicyWish *wish)
{
  EppdEpp fitted;

  if (!wish->take_over || wish->only_remember || !eppd_cpufreq_policy_is_online(policy->hardware) ||
      !eppd_cpufreq_policy_has_epp(policy->hardware))
    return false;
  eppd_managed_policy_refresh_dynamic(policy);
  if (!policy->state.kernel_managed)
    return false;
  fitted = fit_epp(policy, &wish->epp);
  eppd_journal_set_policy(policy->journal, name_of(policy), policy->driver, &fitted,
                          &policy->state.boost);
  eppd_journal_set_taken_over(policy->journal, name_of(policy), true);
  return true;
}

void
eppd_managed_policy_give_back(EppdManagedPolicy *policy)
{
  g_autoptr(GError) error = NULL;
  EppdEpp found = eppd_cpufreq_policy_read_epp(policy->hardware, NULL);
  EppdStep step = eppd_policy_state_give_back(&policy->state, &found);

  if (step.kind == EPPD_STEP_DYNAMIC && !carry_out(policy, &step, &found, &error)) {
    eppd_warning(name_of(policy),
                 "not given back to the kernel's dynamic EPP: %s; it stays in the "
                 "journal",
                 error->message);
    return;
  }
  note_journal(policy);
  if (step.kind == EPPD_STEP_DYNAMIC)
    flag_journal(policy, false);
}

/* Whether the kernel manages it, also since a moment ago: then a profile leaves all of it alone. */
static bool
is_left_to_kernel(EppdManagedPolicy *policy, const EppdPolicyWish *wish)
{
  if (policy->state.taken_over && !wish->take_over)
    eppd_managed_policy_give_back(policy);
  else if (eppd_cpufreq_policy_has_epp(policy->hardware))
    eppd_managed_policy_refresh_dynamic(policy);
  /* Even a governor may end it, before EPP is written. */
  if (policy->state.kernel_managed && wish->take_over && !wish->only_remember &&
      wish->epp.kind != EPPD_EPP_DYNAMIC)
    policy->state.taken_over = true;
  return wish->only_remember || (policy->state.kernel_managed && !wish->take_over);
}

gboolean
eppd_managed_policy_apply(EppdManagedPolicy *policy,
                          const EppdPolicyWish *wish,
                          bool force,
                          GError **error)
{
  g_autoptr(GError) local_error = NULL;
  EppdProfileSettings settings;
  gboolean ok = TRUE;
  bool is_left;

  policy->only_remember = wish->only_remember;
  if (!eppd_cpufreq_policy_is_online(policy->hardware)) {
    EppdEpp unknown = eppd_epp_named(EPPD_EPP_UNKNOWN);
    EppdEpp fitted = fit_epp(policy, &wish->epp);

    /* Its file refuses; the step is carried out when it comes online, by force. */
    eppd_policy_state_set_wanted(&policy->state, &fitted, &unknown, false);
    note_journal(policy);
    return TRUE;
  }

  settings = eppd_decide_profile_settings(wish->profile, policy->driver, &wish->epp, &wish->scope);
  is_left = is_left_to_kernel(policy, wish);
  apply_governor(policy, is_left ? NULL : settings.governor);
  policy->governor_left = false; /* EPP is written next */
  policy->missed_profile = !eppd_cpufreq_policy_has_epp(policy->hardware);
  if (!policy->missed_profile) {
    ok = apply_epp(policy, wish, force, &local_error);
    if (!ok && (g_error_matches(local_error, EPPD_ERROR, EPPD_ERROR_GONE) ||
                eppd_cpufreq_policy_went_offline(policy->hardware))) {
      /* It went between the look and the write; when it is back, it is a new one. */
      g_clear_error(&local_error);
      policy->was_plugged = true;
      ok = TRUE;
    }
  }
  if (!is_left) {
    apply_core_boost(policy, &settings);
    apply_floor(policy, &settings);
  }

  if (!ok)
    g_propagate_error(error, g_steal_pointer(&local_error));
  return ok;
}

void
eppd_managed_policy_note_governor_write(EppdManagedPolicy *policy)
{
  if (!eppd_cpufreq_policy_governor_is_performance(policy->hardware))
    policy->governor_left = true;
}

/* The performance governor left its own EPP behind. */
static void
undo_governor(EppdManagedPolicy *policy)
{
  g_autoptr(GError) error = NULL;
  EppdEpp found = eppd_cpufreq_policy_read_epp(policy->hardware, NULL);
  EppdStep step = eppd_policy_state_governor_left(&policy->state, &found);

  if (step.kind == EPPD_STEP_BASE && !carry_out(policy, &step, &found, &error))
    eppd_notice(name_of(policy), "its base EPP can't be written yet: %s", error->message);
}

void
eppd_managed_policy_retry(EppdManagedPolicy *policy, gint64 now_usec)
{
  bool governor_left = policy->governor_left;

  policy->governor_left = false;
  if (policy->only_remember || !policy->was_online ||
      !eppd_cpufreq_policy_has_epp(policy->hardware))
    return;
  if (policy->state.boosted && governor_left)
    policy->governor_wrote = true;
  if (policy->state.restore_pending)
    eppd_managed_policy_idle_edge(policy, now_usec);
  else if (governor_left)
    undo_governor(policy);
}

bool
eppd_managed_policy_is_pending(const EppdManagedPolicy *policy)
{
  return policy->state.restore_pending && policy->was_online && !policy->only_remember &&
         eppd_cpufreq_policy_has_epp(policy->hardware);
}

bool
eppd_managed_policy_accepts_epp(EppdManagedPolicy *policy)
{
  g_autoptr(GError) error = NULL;
  EppdEpp found;

  if (!eppd_cpufreq_policy_is_online(policy->hardware) ||
      !eppd_cpufreq_policy_has_epp(policy->hardware))
    return false;
  found = eppd_cpufreq_policy_read_epp(policy->hardware, &error);
  /* A number that has no name can't be read, and so not be written back: a firmware's, mostly. */
  if (g_error_matches(error, EPPD_ERROR, EPPD_ERROR_INVALID))
    return true;
  /* A boost that a dead daemon left and that could not be restored is no reason to say no. */
  return found.kind == EPPD_EPP_DYNAMIC ||
         (eppd_epp_is_writable(&found) &&
          eppd_cpufreq_policy_write_epp(policy->hardware, &found, NULL));
}

void
eppd_managed_policy_set_boost(EppdManagedPolicy *policy, const EppdEpp *boost_epp)
{
  EppdEpp fitted = fit_epp(policy, boost_epp);

  eppd_policy_state_set_boost(&policy->state, &fitted);
  note_journal(policy);
}

static void
remember_facts(EppdManagedPolicy *policy)
{
  const char *driver = eppd_cpufreq_policy_driver(policy->hardware);

  /* That of an offline policy can't be read, and is the same when it comes back. */
  if (driver && g_strcmp0(driver, policy->driver) != 0) {
    g_free(policy->driver);
    policy->driver = g_strdup(driver);
  }
  policy->was_online = eppd_cpufreq_policy_is_online(policy->hardware);
  note_governor(policy);
}

void
eppd_managed_policy_note_hotplug(EppdManagedPolicy *policy)
{
  policy->was_plugged = true;
}

/* Its files are others, with what the kernel put there. */
static void
start_anew(EppdManagedPolicy *policy)
{
  bool was_due = policy->state.boosted || policy->state.restore_pending;

  eppd_policy_state_remade(&policy->state);
  policy->n_learned = 0;
  policy->governor_wrote = false;
  policy->governor_left = false;
  note_journal(policy);
  if (was_due)
    flag_journal(policy, false);
}

bool
eppd_managed_policy_refresh(EppdManagedPolicy *policy, EppdCpufreqPolicy *fresh)
{
  g_autofree char *driver_before = g_strdup(policy->driver);
  bool was_new = policy->was_plugged || !policy->was_online;
  bool is_remade = eppd_cpufreq_policy_take(policy->hardware, fresh);

  was_new |= policy->missed_profile && eppd_cpufreq_policy_has_epp(policy->hardware);
  policy->was_plugged = false;
  remember_facts(policy);
  is_remade |= driver_before && g_strcmp0(driver_before, policy->driver) != 0;
  if (is_remade)
    start_anew(policy);
  return is_remade || (policy->was_online && was_new);
}

EppdCpufreqPolicy *
eppd_managed_policy_hardware(const EppdManagedPolicy *policy)
{
  return policy->hardware;
}

const EppdPolicyState *
eppd_managed_policy_state(const EppdManagedPolicy *policy)
{
  return &policy->state;
}

EppdManagedPolicy *
eppd_managed_policy_new(EppdCpufreqPolicy *hardware,
                        EppdJournal *journal,
                        EppdStatistics *statistics,
                        const EppdEpp *boost_epp)
{
  EppdManagedPolicy *policy = g_new0(EppdManagedPolicy, 1);
  EppdEpp found;
  EppdEpp boost;

  policy->hardware = hardware;
  policy->journal = journal;
  policy->statistics = statistics;
  remember_facts(policy);
  found = eppd_cpufreq_policy_read_epp(hardware, NULL);
  boost = fit_epp(policy, boost_epp);
  eppd_policy_state_init(&policy->state, &found, &boost);
  policy->state.taken_over = eppd_journal_is_taken_over(journal, name_of(policy));
  return policy;
}

void
eppd_managed_policy_free(EppdManagedPolicy *policy)
{
  eppd_cpufreq_policy_free(policy->hardware);
  g_free(policy->driver);
  g_free(policy);
}
