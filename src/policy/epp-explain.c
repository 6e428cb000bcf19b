/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/epp-explain.h"

/* What the file holds. */
static void
add_current(GString *text, const EppdExplainInput *input)
{
  char buffer[EPPD_EPP_TEXT_SIZE];

  if (!input->online) {
    g_string_append_printf(text, "CPU %u is offline.", input->cpu);
    return;
  }
  if (!input->has_epp)
    g_string_append_printf(text, "CPU %u has no EPP in this mode of its driver", input->cpu);
  else if (input->current.kind == EPPD_EPP_UNKNOWN)
    g_string_append_printf(text, "CPU %u's EPP can't be read now", input->cpu);
  else
    g_string_append_printf(text, "CPU %u's EPP is %s", input->cpu,
                           eppd_epp_text(&input->current, buffer));
  if (input->driver)
    g_string_append_printf(text, " (driver %s)", input->driver);
  g_string_append_c(text, '.');
}

/* Where the base comes from. */
static void
add_base_origin(GString *text, const EppdExplainInput *input)
{
  char base[EPPD_EPP_TEXT_SIZE];
  char wanted[EPPD_EPP_TEXT_SIZE];
  const EppdPolicyState *state = input->state;
  const char *power = input->source == EPPD_POWER_SOURCE_BATTERY ? "battery" : "AC";

  if (state->base_is_foreign) {
    g_string_append_printf(
        text,
        " Another program set %s (%" G_GUINT64_FORMAT
        " foreign write%s so far): eppd keeps that until the next profile change, "
        "which brings %s back.",
        eppd_epp_text(&state->base.written, base), state->foreign_writes,
        state->foreign_writes == 1 ? "" : "s", eppd_epp_text(&state->wanted, wanted));
    return;
  }
  g_string_append_printf(text, " The table '%s' gives %s for the profile %s on %s.",
                         eppd_epp_table_kind_text(input->table),
                         eppd_epp_text(&state->base.written, base),
                         eppd_profile_text(input->profile), power);
}

/* Why the file does not hold the base; nothing where it does. */
static void
add_deviation(GString *text, const EppdExplainInput *input)
{
  char buffer[EPPD_EPP_TEXT_SIZE];
  const EppdPolicyState *state = input->state;
  const char *base = eppd_epp_text(&state->base.written, buffer);
  bool is_foreign = eppd_policy_state_is_foreign(state, &input->current);

  if (!input->online)
    g_string_append(text, " It gets that when it comes online.");
  else if (!input->has_epp)
    g_string_append(text, " It gets that when the driver is in active mode again.");
  else if (input->current.kind == EPPD_EPP_DYNAMIC || input->dynamic_epp_on)
    g_string_append(text, " The kernel's dynamic EPP manages it by its own rules, so eppd writes "
                          "nothing: DynamicEpp=take-over in eppd.conf would.");
  else if (input->governor_performance && (is_foreign || state->boosted))
    g_string_append_printf(text,
                           " The governor is performance, under which the kernel keeps EPP at "
                           "performance: %s follows when the governor changes.",
                           base);
  else if (state->restore_pending)
    g_string_append_printf(text,
                           " The kernel refused to take %s for now: eppd tries again when the "
                           "governor, the driver or the profile changes.",
                           base);
  else if (is_foreign && state->boosted)
    g_string_append(text,
                    " Another program wrote it over the boost: eppd leaves it alone until the "
                    "next profile change.");
  else if (state->boosted && input->boosted_for)
    g_string_append_printf(text,
                           " It is boosted for '%s', which ran there a moment ago, and %s comes "
                           "back when it no longer does.",
                           input->boosted_for, base);
  else if (state->boosted)
    g_string_append_printf(text,
                           " It is boosted: the core was busy a moment ago, and %s comes back "
                           "when it no longer is.",
                           base);
  else if (is_foreign)
    g_string_append(text, " Another program wrote it since: eppd leaves it alone until the next "
                          "profile change.");
}

static gint64
seconds_left(gint64 usec)
{
  return (usec + G_USEC_PER_SEC - 1) / G_USEC_PER_SEC;
}

/* Whether it can be boosted, and how busy it is. */
static void
add_boost(GString *text, const EppdExplainInput *input)
{
  if (input->online && eppd_policy_state_is_resting(input->state, input->now_usec))
    g_string_append_printf(text,
                           " Other programs wrote it too often, so it is left out of the boost for "
                           "%" G_GINT64_FORMAT " s more: find out which one does (eppctl status "
                           "counts the writes).",
                           seconds_left(input->state->rest_until_usec - input->now_usec));
  else
    g_string_append_printf(text, " Boost (%s)%s%s.", eppd_boost_status_text(input->boost_status),
                           input->boost_reason ? ": " : "",
                           input->boost_reason ? input->boost_reason : "");
  if (input->online && input->cpu_has_sample)
    g_string_append_printf(text, " The core was %u.%u %% busy at the last look.",
                           input->cpu_busy_permille / 10, input->cpu_busy_permille % 10);
}

char *
eppd_explain_policy(const EppdExplainInput *input)
{
  GString *text = g_string_new(NULL);

  add_current(text, input);
  add_base_origin(text, input);
  add_deviation(text, input);
  add_boost(text, input);
  return g_string_free(text, FALSE);
}
