/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/managed-policy.h"

#include "base/error.h"
#include "base/log.h"
#include "daemon/cpufreq-settings.h"
#include "daemon/epp-writer.h"
#include "daemon/journal-page.h"
#include "policy/governor-trail.h"

struct _EppdManagedPolicy {
  EppdCpufreqPolicy *hardware;
  EppdPolicyState state;
  EppdEppWriter writer;
  EppdJournalPage *page; /* its driver is the last that could be read */
  EppdGovernorTrail governor;
  bool was_online;
  bool only_remember;  /* the kernel manages its EPP */
  bool was_plugged;    /* it, or a CPU of it, came or went since the last refresh */
  bool missed_profile; /* one was applied while it had no EPP file */
  bool said_adapted;
};

static const char *
name_of(const EppdManagedPolicy *policy)
{
  return eppd_cpufreq_policy_name(policy->hardware);
}

static void
look_at_governor(EppdManagedPolicy *policy)
{
  eppd_governor_trail_look(&policy->governor,
                           eppd_cpufreq_policy_governor_is_performance(policy->hardware));
}

void
eppd_managed_policy_refresh_governor(EppdManagedPolicy *policy)
{
  eppd_cpufreq_policy_refresh_governor(policy->hardware);
  look_at_governor(policy);
}

void
eppd_managed_policy_refresh_dynamic(EppdManagedPolicy *policy)
{
  EppdEpp found = eppd_cpufreq_policy_read_epp(policy->hardware, NULL);

  eppd_policy_state_note_found(&policy->state, &found);
}

static gboolean
carry_out(EppdManagedPolicy *policy, const EppdStep *step, const EppdEpp *found, GError **error)
{
  return eppd_epp_writer_carry_out(&policy->writer, &policy->state, step, found, error);
}

/* Where nothing of ours is left to restore, the journal is to say so. */
static void
unflag_if_settled(EppdManagedPolicy *policy)
{
  if (policy->state.boosted || policy->state.restore_pending)
    return;
  eppd_governor_trail_forget_boost(&policy->governor);
  eppd_journal_page_flag(policy->page, false);
}

static EppdOutcome
outcome_of(const GError *error)
{
  return g_error_matches(error, EPPD_ERROR, EPPD_ERROR_GONE) ? EPPD_OUTCOME_GONE
                                                             : EPPD_OUTCOME_REFUSED;
}

/* Tells of foreign writes, and gets a new base into the journal: before the next boost can hide it.
 */
static void
note_foreign(EppdManagedPolicy *policy, const EppdPolicyState *before, const EppdEpp *found)
{
  char buffer[EPPD_EPP_TEXT_SIZE];
  guint64 news = policy->state.foreign_writes - before->foreign_writes;

  policy->writer.statistics->foreign_writes += news;
  if (news > 0 && policy->state.kernel_managed) {
    eppd_notice(name_of(policy),
                "another program gave it to the kernel's dynamic EPP: not boosted while it is");
  } else if (news > 0 && found->kind == EPPD_EPP_OTHER) {
    eppd_notice(name_of(policy), "another program wrote '%s', which is no EPP: left to it",
                eppd_epp_text(found, buffer));
  } else if (news > 0) {
    eppd_notice(name_of(policy),
                "another program wrote its EPP: %s is its base until the next profile change",
                eppd_epp_text(&policy->state.base.written, buffer));
  }
  if (eppd_epp_equal(&policy->state.base.written, &before->base.written) &&
      policy->state.taken_over == before->taken_over)
    return;
  eppd_journal_page_commit(policy->page, &policy->state);
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
  note_foreign(policy, &before, &found);
  if (step.kind == EPPD_STEP_LEFT_TO_KERNEL && !before.kernel_managed)
    return EPPD_OUTCOME_REFUSED;
  if (step.kind != EPPD_STEP_BOOST)
    return EPPD_OUTCOME_DONE;

  /* What a crash could not mend is not begun. */
  if (!eppd_journal_page_flag(policy->page, true))
    return EPPD_OUTCOME_REFUSED;
  if (carry_out(policy, &step, &found, &error)) {
    /* A restore must know the boost by what it reads back as. */
    if (before.boost.readback.kind != policy->state.boost.readback.kind)
      eppd_journal_page_commit(policy->page, &policy->state);
    return EPPD_OUTCOME_DONE;
  }

  /* A refused boost over a pending restore leaves that pending. */
  if (!policy->state.boosted)
    eppd_journal_page_flag(policy->page, false);
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
  step = eppd_policy_state_idle_edge(
      &policy->state, &found,
      (policy->governor.left_in_boost && eppd_epp_may_be_left_over(&found)) ||
          eppd_cpufreq_policy_governor_is_performance(policy->hardware),
      now_usec);
  note_foreign(policy, &before, &found);

  if (step.kind == EPPD_STEP_BASE && !carry_out(policy, &step, &found, &error)) {
    /* Not lost: the journal still says boosted, and the governor, hotplug, time and exit try again.
     */
    eppd_log(before.restore_pending ? G_LOG_LEVEL_DEBUG : G_LOG_LEVEL_MESSAGE, name_of(policy),
             "its base EPP can't be restored yet: %s", error->message);
    return outcome_of(error);
  }
  unflag_if_settled(policy);
  return EPPD_OUTCOME_DONE;
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
  eppd_journal_page_note(policy->page, &policy->state);
  if (!wish->only_remember && step.kind == EPPD_STEP_BASE &&
      !carry_out(policy, &step, &found, error))
    return FALSE;
  /* Also where what was boosted turned out to hold the new base. */
  unflag_if_settled(policy);
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
  eppd_journal_page_note_take_over(policy->page, &policy->state, &fitted);
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
  eppd_journal_page_note(policy->page, &policy->state);
  if (step.kind == EPPD_STEP_DYNAMIC)
    eppd_journal_page_flag(policy->page, false);
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
    eppd_journal_page_note(policy->page, &policy->state);
    return TRUE;
  }

  settings = eppd_decide_profile_settings(wish->profile, eppd_journal_page_driver(policy->page),
                                          &wish->epp, &wish->scope);
  is_left = is_left_to_kernel(policy, wish);
  eppd_cpufreq_settings_apply_governor(policy->hardware, is_left ? NULL : settings.governor);
  look_at_governor(policy);
  eppd_governor_trail_forget_left(&policy->governor);
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
  if (!is_left)
    eppd_cpufreq_settings_apply_frequencies(policy->hardware, &settings);

  if (!ok)
    g_propagate_error(error, g_steal_pointer(&local_error));
  return ok;
}

void
eppd_managed_policy_note_governor_write(EppdManagedPolicy *policy)
{
  eppd_governor_trail_note_write(&policy->governor,
                                 eppd_cpufreq_policy_governor_is_performance(policy->hardware));
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
  bool governor_left = eppd_governor_trail_take(&policy->governor, policy->state.boosted);

  if (policy->only_remember || !policy->was_online ||
      !eppd_cpufreq_policy_has_epp(policy->hardware))
    return;
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
  eppd_journal_page_note(policy->page, &policy->state);
}

static void
remember_facts(EppdManagedPolicy *policy)
{
  const char *driver = eppd_cpufreq_policy_driver(policy->hardware);

  /* That of an offline policy can't be read, and is the same when it comes back. */
  if (driver)
    eppd_journal_page_set_driver(policy->page, driver);
  policy->was_online = eppd_cpufreq_policy_is_online(policy->hardware);
  look_at_governor(policy);
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
  eppd_readbacks_forget(&policy->writer.readbacks);
  eppd_governor_trail_forget_left(&policy->governor);
  eppd_governor_trail_forget_boost(&policy->governor);
  eppd_journal_page_note(policy->page, &policy->state);
  if (was_due)
    eppd_journal_page_flag(policy->page, false);
}

bool
eppd_managed_policy_refresh(EppdManagedPolicy *policy, EppdCpufreqPolicy *fresh)
{
  g_autofree char *driver_before = g_strdup(eppd_journal_page_driver(policy->page));
  bool was_new = policy->was_plugged || !policy->was_online;
  bool is_remade = eppd_cpufreq_policy_take(policy->hardware, fresh);

  was_new |= policy->missed_profile && eppd_cpufreq_policy_has_epp(policy->hardware);
  policy->was_plugged = false;
  remember_facts(policy);
  is_remade |=
      driver_before && g_strcmp0(driver_before, eppd_journal_page_driver(policy->page)) != 0;
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
  policy->writer = (EppdEppWriter){.hardware = hardware, .statistics = statistics};
  policy->page = eppd_journal_page_new(journal, name_of(policy));
  remember_facts(policy);
  found = eppd_cpufreq_policy_read_epp(hardware, NULL);
  boost = fit_epp(policy, boost_epp);
  eppd_policy_state_init(&policy->state, &found, &boost);
  policy->state.taken_over = eppd_journal_page_is_taken_over(policy->page);
  return policy;
}

void
eppd_managed_policy_free(EppdManagedPolicy *policy)
{
  eppd_journal_page_free(policy->page);
  eppd_cpufreq_policy_free(policy->hardware);
  g_free(policy);
}
