/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-intel-pstate.h"

#include "sim-parse.h"

#include <errno.h>
#include <string.h>

#define GLOBAL_DIR  SIM_CPU_DIR "/intel_pstate"
#define HWP_BOOST   GLOBAL_DIR "/hwp_dynamic_boost"
#define LOWEST_KHZ  400000
#define BASE_KHZ    2400000
#define HIGHEST_KHZ 5000000
#define EPP_DEFAULT 0x80
#define TURBO_PCT   "30"
#define LOWEST_PCT  8

static const char *const epp_names[] = {"default", "performance", "balance_performance",
                                        "balance_power", "power"};
static const guint8 epp_values[] = {EPP_DEFAULT, 0x00, 0x80, 0xC0, 0xFF};

struct SimIntelPstate {
  SimTree *tree;
  SimCpufreq *cpufreq;
  bool is_active; /* else passive: with HWP it can't be off */
  guint no_turbo;
  guint min_percent;
  guint max_percent;
  guint hwp_boost;
};

/* A policy's. */
typedef struct {
  guint8 epp;
  guint8 epp_of_powersave; /* put back when the governor leaves performance */
} Core;

static void
init_core(SimPolicy *policy, gpointer data)
{
  Core *core = g_new0(Core, 1);

  core->epp = EPP_DEFAULT;
  policy->driver_data = core;
}

/* Unlike amd-pstate it puts back what was there, unless EPP was set meanwhile. */
static int
set_governor(SimPolicy *policy, const char *governor, gpointer data)
{
  Core *core = policy->driver_data;
  bool is_performance = strcmp(governor, "performance") == 0;

  if (is_performance == sim_policy_is_performance(policy))
    return 0;
  if (is_performance) {
    core->epp_of_powersave = core->epp;
    core->epp = 0;
  } else if (core->epp == 0) {
    core->epp = core->epp_of_powersave;
  }
  return 0;
}

static int
show_epp(const SimPolicy *policy, GString *text)
{
  const Core *core = policy->driver_data;

  for (gsize i = 1; i < G_N_ELEMENTS(epp_values); i++) {
    if (epp_values[i] == core->epp) {
      g_string_append_printf(text, "%s\n", epp_names[i]);
      return 0;
    }
  }
  g_string_append_printf(text, "%u\n", core->epp);
  return 0;
}

/* A name, or a decimal number: else its errno. */
static int
parse_epp(const char *text, guint8 *epp)
{
  g_autofree char *word = sim_scan_word(text, 20);
  int name = word ? sim_match(epp_names, G_N_ELEMENTS(epp_names), word) : -1;
  guint64 number = 0;
  int error = 0;

  if (!word)
    return EINVAL;
  if (name < 0)
    error = sim_parse_unsigned(text, 10, G_MAXUINT32, &number);
  if (error || number > G_MAXUINT8)
    return error ? error : EINVAL;
  *epp = name < 0 ? (guint8)number : epp_values[name];
  return 0;
}

static int
store_epp(SimPolicy *policy, const char *text)
{
  Core *core = policy->driver_data;
  guint8 epp;
  int error = parse_epp(text, &epp);

  if (error)
    return error;
  /* The driver sets no policy in passive mode, whose governor may have that name too. */
  if (epp > 0 && sim_policy_is_performance(policy) && sim_policy_driver(policy)->sets_policy)
    return EBUSY;
  core->epp = epp;
  return 0;
}

/* Whatever the governor. */
static int
show_epp_names(const SimPolicy *policy, GString *text)
{
  for (gsize i = 0; i < G_N_ELEMENTS(epp_names); i++)
    g_string_append_printf(text, "%s ", epp_names[i]);
  g_string_append_c(text, '\n');
  return 0;
}

static int
show_base(const SimPolicy *policy, GString *text)
{
  g_string_append(text, G_STRINGIFY(BASE_KHZ) "\n");
  return 0;
}

static const SimPolicyFile files[] = {
    {"energy_performance_preference", show_epp, store_epp},
    {"energy_performance_available_preferences", show_epp_names, NULL},
    {"base_frequency", show_base, NULL},
    {NULL},
};

static const SimPolicyDriver active_driver = {
    .name = "intel_pstate",
    .sets_policy = true,
    .min_khz = LOWEST_KHZ,
    .max_khz = HIGHEST_KHZ,
    .nominal_khz = HIGHEST_KHZ,
    .files = files,
    .init = init_core,
    .set_governor = set_governor,
};

static const SimPolicyDriver passive_driver = {
    .name = "intel_cpufreq",
    .min_khz = LOWEST_KHZ,
    .max_khz = HIGHEST_KHZ,
    .nominal_khz = HIGHEST_KHZ,
    .files = files,
    .init = init_core,
};

static int
show_status(gpointer data, GString *text)
{
  const SimIntelPstate *pstate = data;

  g_string_append(text, pstate->is_active ? "active\n" : "passive\n");
  return 0;
}

static int
store_status(gpointer data, const char *text)
{
  g_autofree char *mode = g_strndup(text, strcspn(text, "\n"));

  return sim_intel_pstate_set_mode(data, mode);
}

static int
show_number(GString *text, guint number)
{
  g_string_append_printf(text, "%u\n", number);
  return 0;
}

static int
show_no_turbo(gpointer data, GString *text)
{
  return show_number(text, ((SimIntelPstate *)data)->no_turbo);
}

static int
show_min_percent(gpointer data, GString *text)
{
  return show_number(text, ((SimIntelPstate *)data)->min_percent);
}

static int
show_max_percent(gpointer data, GString *text)
{
  return show_number(text, ((SimIntelPstate *)data)->max_percent);
}

static int
show_hwp_boost(gpointer data, GString *text)
{
  return show_number(text, ((SimIntelPstate *)data)->hwp_boost);
}

static int
store_no_turbo(gpointer data, const char *text)
{
  SimIntelPstate *pstate = data;
  int number;
  int error = sim_scan_int(text, &number);

  if (error == 0)
    pstate->no_turbo = number > 0;
  return error;
}

static int
store_percent(const char *text, guint min, guint max, guint *percent)
{
  int number;
  int error = sim_scan_int(text, &number);

  if (error == 0)
    *percent = (guint)CLAMP(number, (int)min, (int)max);
  return error;
}

static int
store_min_percent(gpointer data, const char *text)
{
  SimIntelPstate *pstate = data;

  return store_percent(text, LOWEST_PCT, pstate->max_percent, &pstate->min_percent);
}

static int
store_max_percent(gpointer data, const char *text)
{
  SimIntelPstate *pstate = data;

  return store_percent(text, pstate->min_percent, 100, &pstate->max_percent);
}

static int
store_hwp_boost(gpointer data, const char *text)
{
  SimIntelPstate *pstate = data;
  guint64 number;
  int error = sim_parse_unsigned(text, 10, G_MAXUINT32, &number);

  if (error == 0)
    pstate->hwp_boost = number > 0;
  return error;
}

static const struct {
  const char *path;
  SimFileOps ops;
} global_files[] = {
    {GLOBAL_DIR "/status", {show_status, store_status}},
    {GLOBAL_DIR "/no_turbo", {show_no_turbo, store_no_turbo}},
    {GLOBAL_DIR "/min_perf_pct", {show_min_percent, store_min_percent}},
    {GLOBAL_DIR "/max_perf_pct", {show_max_percent, store_max_percent}},
};

static const SimFileOps hwp_boost_ops = {show_hwp_boost, store_hwp_boost};

/* Its file is that of the active mode. */
static void
register_driver(SimIntelPstate *pstate)
{
  sim_tree_remove(pstate->tree, HWP_BOOST);
  if (pstate->is_active)
    sim_tree_add_file(pstate->tree, HWP_BOOST, &hwp_boost_ops, pstate);
  sim_cpufreq_set_driver(pstate->cpufreq, pstate->is_active ? &active_driver : &passive_driver,
                         pstate);
}

SimIntelPstate *
sim_intel_pstate_new(SimTree *tree, SimCpufreq *cpufreq, const char *mode)
{
  SimIntelPstate *pstate;

  if (strcmp(mode, "active") != 0 && strcmp(mode, "passive") != 0)
    return NULL;
  pstate = g_new0(SimIntelPstate, 1);
  pstate->tree = tree;
  pstate->cpufreq = cpufreq;
  pstate->is_active = strcmp(mode, "active") == 0;
  pstate->min_percent = LOWEST_PCT;
  pstate->max_percent = 100;
  for (gsize i = 0; i < G_N_ELEMENTS(global_files); i++)
    sim_tree_add_file(tree, global_files[i].path, &global_files[i].ops, pstate);
  sim_tree_add_text(tree, GLOBAL_DIR "/turbo_pct", TURBO_PCT);
  register_driver(pstate);
  return pstate;
}

void
sim_intel_pstate_free(SimIntelPstate *pstate)
{
  g_free(pstate);
}

int
sim_intel_pstate_set_mode(SimIntelPstate *pstate, const char *mode)
{
  bool active = strcmp(mode, "active") == 0;

  /* HWP can't be switched off again. */
  if (strcmp(mode, "off") == 0)
    return EBUSY;
  if (!active && strcmp(mode, "passive") != 0)
    return EINVAL;
  if (active == pstate->is_active)
    return 0;
  pstate->is_active = active;
  register_driver(pstate);
  return 0;
}

static void
lose(SimPolicy *policy, gpointer data)
{
  Core *core = policy->driver_data;

  core->epp = 0;
}

void
sim_intel_pstate_lose_epp(SimIntelPstate *pstate)
{
  sim_cpufreq_foreach(pstate->cpufreq, lose, NULL);
}
