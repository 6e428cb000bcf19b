/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/boost-decision.h"

#include "base/enum-text.h"

/* The constants of the kernel's epp_boost RFC: its boost can stand in only for one with these. */
#define RFC_THRESHOLD_PERCENT 50
#define RFC_SAMPLE_USEC       (10 * 1000)
#define RFC_HOLD_USEC         (300 * 1000)

#define WRITES_A_SAMPLE 10

static const char *const mode_texts[] = {
    [EPPD_BOOST_MODE_OFF] = "off",
    [EPPD_BOOST_MODE_OPT_IN] = "opt-in",
    [EPPD_BOOST_MODE_ALWAYS] = "always",
};

static const char *const backend_texts[] = {
    [EPPD_BACKEND_AUTO] = "auto",
    [EPPD_BACKEND_KERNEL] = "kernel",
    [EPPD_BACKEND_USER] = "user",
};

static const char *const status_texts[] = {
    [EPPD_BOOST_OFF] = "off",
    [EPPD_BOOST_IDLE] = "idle",
    [EPPD_BOOST_ARMED] = "armed",
    [EPPD_BOOST_BLOCKED] = "blocked",
    [EPPD_BOOST_SUPPRESSED] = "suppressed",
    [EPPD_BOOST_KERNEL] = "kernel",
};

bool
eppd_boost_mode_parse(const char *text, EppdBoostMode *mode)
{
  int value = 0;

  if (!eppd_enum_text_parse(mode_texts, G_N_ELEMENTS(mode_texts), text, &value))
    return false;
  *mode = (EppdBoostMode)value;
  return true;
}

bool
eppd_backend_parse(const char *text, EppdBackend *backend)
{
  int value = 0;

  if (!eppd_enum_text_parse(backend_texts, G_N_ELEMENTS(backend_texts), text, &value))
    return false;
  *backend = (EppdBackend)value;
  return true;
}

const char *
eppd_boost_status_text(EppdBoostStatus status)
{
  return eppd_enum_text(status_texts, G_N_ELEMENTS(status_texts), (int)status);
}

gint64
eppd_decide_sample_usec(const EppdBoostInput *input)
{
  gint64 write_usec = CLAMP(input->epp_write_usec, 0, EPPD_SLOW_EPP_WRITE_USEC);
  gint64 n_samples = (WRITES_A_SAMPLE * write_usec + input->sample_usec - 1) / input->sample_usec;

  /* In whole sample periods: what a write takes is measured ever better, and each other period
   * disarms and arms. */
  return MAX(n_samples, 1) * input->sample_usec;
}

gint64
eppd_decide_hold_usec(const EppdBoostInput *input)
{
  return MAX(input->hold_usec, 2 * eppd_decide_sample_usec(input));
}

/* "300 ms", or "0.5 ms" where a whole number would not do. Owned by the caller. */
static char *
format_ms(gint64 usec)
{
  if (usec % 1000 == 0)
    return g_strdup_printf("%" G_GINT64_FORMAT " ms", usec / 1000);
  return g_strdup_printf("%.1f ms", (double)usec / 1000);
}

static char *
slow_writes_reason(gint64 write_usec)
{
  g_autofree char *taken = format_ms(write_usec);
  g_autofree char *limit = format_ms(EPPD_SLOW_EPP_WRITE_USEC);

  return g_strdup_printf("slow EPP: one write of EPP takes %s on this machine, and a boost can "
                         "afford %s at most; profiles work all the same",
                         taken, limit);
}

/* Why there is no EPP to write. */
static char *
no_epp_reason(const EppdBoostInput *input)
{
  if (input->blocked_driver)
    return g_strdup_printf(
        "eppd was started with --block-driver %s, and touches no CPU of that driver",
        input->blocked_driver);
  if (input->amd_pstate_passive)
    return g_strdup("no CPU has an energy_performance_preference file: amd-pstate is not in active "
                    "mode; \"active\" written to /sys/devices/system/cpu/amd_pstate/status brings "
                    "it back, and the boost with it");
  return g_strdup("no CPU has an energy_performance_preference file: the cpufreq driver must be "
                  "amd-pstate or intel_pstate in active mode");
}

/* Why the kernel's dynamic EPP stands in the way of all policies; NULL if it does not. */
static char *
dynamic_epp_obstacle(const EppdBoostInput *input)
{
  if (!input->dynamic_epp_on && input->n_policies_dynamic < input->n_policies_with_epp)
    return NULL;
  if (!input->dynamic_epp_take_over)
    return g_strdup(
        "kernel dynamic EPP: the kernel manages EPP itself, and eppd does not fight it; "
        "DynamicEpp=take-over in eppd.conf lets eppd manage EPP instead");
  if (input->dynamic_epp_overruled)
    return g_strdup("kernel dynamic EPP: another program switched it on again after eppd had taken "
                    "over, and eppd does not fight it; \"eppctl reload\" takes over once more");
  return g_strdup("kernel dynamic EPP: it could not be taken over, the log says why; \"eppctl "
                  "reload\" tries again");
}

/* Why the machine does not let anyone boost; NULL if it does. Owned by the caller. */
static char *
machine_obstacle(const EppdBoostInput *input)
{
  char buffer[EPPD_EPP_TEXT_SIZE];

  char *dynamic_epp;

  if (input->n_policies_with_epp == 0)
    return no_epp_reason(input);
  if ((dynamic_epp = dynamic_epp_obstacle(input)))
    return dynamic_epp;
  if (input->n_policies_governor_performance >= input->n_policies_with_epp)
    return g_strdup("the governor is performance on every policy: all cores already run at full "
                    "performance, there is nothing to boost");
  if (eppd_epp_equal(&input->wanted_epp, &input->boost_epp))
    return g_strdup_printf("the profile %s already gives every core EPP %s, there is nothing to "
                           "boost; another profile leaves room for it",
                           eppd_profile_text(input->profile),
                           eppd_epp_text(&input->boost_epp, buffer));
  if (input->epp_write_usec > EPPD_SLOW_EPP_WRITE_USEC)
    return slow_writes_reason(input->epp_write_usec);
  return NULL;
}

/* Why the user's own settings say no for now; NULL if they don't. Owned by the caller. */
static char *
suppression(const EppdBoostInput *input)
{
  if (input->sleeping)
    return g_strdup("the machine is about to sleep: the boost comes back when it wakes up");
  if (input->suppress_in & (1u << input->profile))
    return g_strdup_printf("no boost in the profile %s (SuppressIn= in eppd.conf): another profile "
                           "brings it back",
                           eppd_profile_text(input->profile));
  if (input->source == EPPD_POWER_SOURCE_BATTERY && !input->on_battery)
    return g_strdup("no boost on battery (OnBattery=false in eppd.conf): it comes back with the "
                    "charger");
  return NULL;
}

/* Why the kernel's own boost can't work here, or would mean something else; NULL if it would do the
 * same. A phrase, owned by the caller. */
static char *
kernel_obstacle(const EppdBoostInput *input)
{
  char buffer[EPPD_EPP_TEXT_SIZE];

  if (!input->amd_pstate_active)
    return g_strdup("amd-pstate is not in active mode");
  if (!input->has_cppc_flag)
    return g_strdup("this CPU takes no EPP by MSR (no cppc flag in /proc/cpuinfo)");
  if (!input->has_kernel_boost)
    return g_strdup("this kernel has no epp_boost parameter");
  if (input->kernel_boost_problem)
    return g_strdup(input->kernel_boost_problem);
  if (input->app_threshold_percent > 0)
    return g_strdup("it does not know the trigger app, which a hold asks for");
  if (input->threshold_percent != RFC_THRESHOLD_PERCENT)
    return g_strdup_printf("its threshold is fixed at 50 %%, not %u %%", input->threshold_percent);
  if (input->sample_usec != RFC_SAMPLE_USEC)
    return g_strdup("its sample period is fixed at 10 ms (SampleMs=)");
  if (input->hold_usec != RFC_HOLD_USEC)
    return g_strdup("its hold is fixed at 300 ms (HoldMs=)");
  if (input->boost_epp.kind != EPPD_EPP_PERFORMANCE)
    return g_strdup_printf("its boost value is fixed at performance, not %s (Epp=)",
                           eppd_epp_text(&input->boost_epp, buffer));
  if (input->siblings)
    return g_strdup("it does not boost siblings (Siblings=true)");
  return NULL;
}

static char *
who_asks(const EppdBoostInput *input)
{
  if (input->n_holds == 0)
    return g_strdup("always on (Mode=always)");
  return g_strdup_printf("%u hold%s", input->n_holds, input->n_holds == 1 ? "" : "s");
}

static char *
busy_core(const EppdBoostInput *input)
{
  if (input->app_threshold_percent == 0)
    return g_strdup_printf("a core that is at least %u %% busy", input->threshold_percent);
  if (input->threshold_percent == 0)
    return g_strdup_printf("a core on which a holder's application runs at least %u %% of the time",
                           input->app_threshold_percent);
  return g_strdup_printf("a core that is at least %u %% busy, or on which a holder's application "
                         "runs at least %u %% of the time",
                         input->threshold_percent, input->app_threshold_percent);
}

/* Who takes no part in an armed boost, and who takes part besides us; "" where nobody does. */
static char *
exceptions(const EppdBoostInput *input)
{
  GString *text = g_string_new(NULL);

  if (input->n_policies_governor_performance > 0)
    g_string_append_printf(
        text,
        "; not on %u of %u policies, where the governor is performance and cores "
        "are at full performance anyway",
        input->n_policies_governor_performance, input->n_policies_with_epp);
  if (input->n_policies_dynamic > 0)
    g_string_append_printf(text,
                           "; not on %u of %u policies, which the kernel's dynamic EPP manages",
                           input->n_policies_dynamic, input->n_policies_with_epp);
  if (input->kernel_boost_besides)
    g_string_append_printf(text, "; the kernel's own epp_boost boosts besides: %s",
                           input->kernel_boost_besides);
  else if (input->kernel_boost_problem && input->backend != EPPD_BACKEND_USER)
    g_string_append_printf(text, "; not by the kernel's own epp_boost: %s",
                           input->kernel_boost_problem);
  if (input->hwp_boost_on)
    g_string_append(text,
                    "; the kernel's hwp_dynamic_boost is on and left alone: it raises minimum "
                    "frequencies after I/O, and no EPP");
  return g_string_free(text, FALSE);
}

static char *
armed_reason(const EppdBoostInput *input)
{
  char buffer[EPPD_EPP_TEXT_SIZE];
  gint64 sample_usec = eppd_decide_sample_usec(input);
  g_autofree char *who = who_asks(input);
  g_autofree char *core = busy_core(input);
  g_autofree char *hold = format_ms(eppd_decide_hold_usec(input));
  g_autofree char *period = format_ms(sample_usec);
  g_autofree char *taken = format_ms(input->epp_write_usec);
  g_autofree char *others = exceptions(input);
  g_autofree char *slow = NULL;

  if (sample_usec > input->sample_usec)
    slow = g_strdup_printf("; looks every %s, since a write of EPP takes %s here", period, taken);
  return g_strdup_printf("%s; %s gets %s until %s after%s%s", who, core,
                         eppd_epp_text(&input->boost_epp, buffer), hold, slow ? slow : "", others);
}

static char *
kernel_reason(const EppdBoostInput *input)
{
  g_autofree char *who = who_asks(input);

  return g_strdup_printf("%s; the kernel's own epp_boost does it, by the same rules", who);
}

/* Nobody looks at the machine while nothing is wanted, so of what would stand in the way only what
 * can't change unnoticed is told. */
static char *
idle_reason(const EppdBoostInput *input)
{
  g_autofree char *obstacle =
      input->n_policies_with_epp == 0 ? machine_obstacle(input) : suppression(input);

  if (obstacle)
    return g_strdup_printf("no program holds the boost, and one that did would have to wait: %s",
                           obstacle);
  return g_strdup("no program holds the boost: \"eppctl run -- COMMAND\" starts one that does");
}

EppdBoostStatus
eppd_decide_boost(const EppdBoostInput *input, char **reason)
{
  g_autofree char *obstacle = NULL;

  if (input->mode == EPPD_BOOST_MODE_OFF) {
    *reason = g_strdup("the boost is switched off (Mode=off in eppd.conf)");
    return EPPD_BOOST_OFF;
  }
  if (input->n_holds == 0 && input->mode != EPPD_BOOST_MODE_ALWAYS) {
    *reason = idle_reason(input);
    return EPPD_BOOST_IDLE;
  }
  if ((*reason = machine_obstacle(input)))
    return EPPD_BOOST_BLOCKED;
  if ((*reason = suppression(input)))
    return EPPD_BOOST_SUPPRESSED;

  obstacle = input->backend == EPPD_BACKEND_USER ? NULL : kernel_obstacle(input);
  if (input->backend != EPPD_BACKEND_USER && !obstacle) {
    *reason = kernel_reason(input);
    return EPPD_BOOST_KERNEL;
  }
  if (input->backend == EPPD_BACKEND_KERNEL) {
    *reason = g_strdup_printf("Backend=kernel, and the kernel's own boost can't do it: %s; "
                              "Backend=auto lets eppd boost instead",
                              obstacle);
    return EPPD_BOOST_BLOCKED;
  }
  if (!input->residency_ready) {
    *reason = g_strdup_printf("no way to see how busy the cores are: %s",
                              input->residency_problem ? input->residency_problem
                                                       : "the residency source is not ready yet");
    return EPPD_BOOST_BLOCKED;
  }
  if (input->journal_problem) {
    *reason = g_strdup_printf("after a crash the boost could not be taken back: %s; eppd boosts as "
                              "soon as that file can be written",
                              input->journal_problem);
    return EPPD_BOOST_BLOCKED;
  }
  *reason = armed_reason(input);
  return EPPD_BOOST_ARMED;
}
