/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-amd-pstate.h"

#include "sim-parse.h"

#include <errno.h>
#include <string.h>

#define GLOBAL_DIR        SIM_CPU_DIR "/amd_pstate"
#define DYNAMIC_EPP       GLOBAL_DIR "/dynamic_epp"
#define LOWEST_KHZ        400000
#define NONLINEAR_KHZ     1700000
#define NOMINAL_KHZ       3300000
#define HIGHEST_KHZ       5000000
#define HIGHEST_PERF      196
#define EPP_PERFORMANCE   0x00
#define EPP_BALANCE_PERF  0x80
#define EPP_BALANCE_POWER 0xBF
#define EPP_POWER         0xFF

/* What `default` stands for: on a client machine the driver's own value, since 6.14; the battery's
 * default of 7.2 is the same. */
#define EPP_DEFAULT EPP_BALANCE_PERF

typedef enum { MODE_UNDEFINED, MODE_DISABLE, MODE_PASSIVE, MODE_ACTIVE, MODE_GUIDED } Mode;

static const char *const mode_names[] = {"undefined", "disable", "passive", "active", "guided"};

typedef enum {
  NAME_DEFAULT,
  NAME_PERFORMANCE,
  NAME_BALANCE_PERFORMANCE,
  NAME_BALANCE_POWER,
  NAME_POWER,
  NAME_CUSTOM,
  NAME_DYNAMIC,
} EppName;

static const char *const epp_names[] = {
    [NAME_DEFAULT] = "default",
    [NAME_PERFORMANCE] = "performance",
    [NAME_BALANCE_PERFORMANCE] = "balance_performance",
    [NAME_BALANCE_POWER] = "balance_power",
    [NAME_POWER] = "power",
    [NAME_CUSTOM] = "custom",
    [NAME_DYNAMIC] = "dynamic",
};

static const guint8 epp_values[] = {
    [NAME_DEFAULT] = EPP_DEFAULT,
    [NAME_PERFORMANCE] = EPP_PERFORMANCE,
    [NAME_BALANCE_PERFORMANCE] = EPP_BALANCE_PERF,
    [NAME_BALANCE_POWER] = EPP_BALANCE_POWER,
    [NAME_POWER] = EPP_POWER,
};

struct SimAmdPstate {
  SimTree *tree;
  SimCpufreq *cpufreq;
  SimPlatform *platform;
  const SimSupplies *supplies;
  SimKernelVersion kernel;
  Mode mode;
  bool dynamic_epp; /* the global file */
};

/* A policy's, in active mode. */
typedef struct {
  SimAmdPstate *pstate;
  SimPolicy *policy;
  guint8 epp;
  bool is_raw;  /* a number was written last */
  bool is_lost; /* the hardware no longer has it: after a suspend */
  guint n_requests;
  SimPlatformHandler *dynamic; /* NULL: it is not */
} Core;

/* The driver drops what the hardware has already. */
static void
request(Core *core, guint8 epp)
{
  if (core->epp == epp && !core->is_lost)
    return;
  core->epp = epp;
  core->is_lost = false;
  core->n_requests++;
}

static guint8
balanced_epp(const SimAmdPstate *pstate)
{
  return sim_supplies_are_feeding(pstate->supplies) ? EPP_PERFORMANCE : EPP_BALANCE_PERF;
}

static int
set_dynamic_profile(SimPlatformProfile profile, gpointer data)
{
  Core *core = data;

  if (profile == SIM_PLATFORM_LOW_POWER)
    request(core, EPP_POWER);
  else if (profile == SIM_PLATFORM_PERFORMANCE)
    request(core, EPP_PERFORMANCE);
  else
    request(core, balanced_epp(core->pstate));
  return 0;
}

static void
enter_dynamic(Core *core)
{
  g_autofree char *name = g_strdup_printf("amd-pstate-epp-cpu%u", core->policy->number);
  g_autofree char *parent = g_strdup_printf("/devices/system/cpu/cpu%u", core->policy->number);
  const SimPlatformOptions options = {
      .name = name,
      .parent = parent,
      .choices = SIM_PLATFORM_BIT(SIM_PLATFORM_LOW_POWER) |
                 SIM_PLATFORM_BIT(SIM_PLATFORM_BALANCED) |
                 SIM_PLATFORM_BIT(SIM_PLATFORM_PERFORMANCE),
      .profile = SIM_PLATFORM_BALANCED,
      .has_device = true,
      .set = set_dynamic_profile,
      .data = core,
  };

  request(core, balanced_epp(core->pstate));
  core->dynamic = sim_platform_register(core->pstate->platform, &options);
}

static void
leave_dynamic(Core *core)
{
  if (core->dynamic)
    sim_platform_unregister(g_steal_pointer(&core->dynamic));
}

static void
init_core(SimPolicy *policy, gpointer data)
{
  SimAmdPstate *pstate = data;
  Core *core = g_new0(Core, 1);

  core->pstate = pstate;
  core->policy = policy;
  core->epp = EPP_DEFAULT;
  policy->driver_data = core;
  if (pstate->dynamic_epp)
    enter_dynamic(core);
}

static void
exit_core(SimPolicy *policy, gpointer data)
{
  leave_dynamic(policy->driver_data);
}

static int
set_governor(SimPolicy *policy, const char *governor, gpointer data)
{
  Core *core = policy->driver_data;

  if (strcmp(governor, "performance") != 0)
    return 0; /* and EPP stays where it is */
  if (core->dynamic && core->pstate->kernel == SIM_KERNEL_7_1)
    return EBUSY;
  leave_dynamic(core);
  request(core, EPP_PERFORMANCE);
  return 0;
}

/* NULL: that value has no name. */
static const char *
name_of(guint8 epp)
{
  for (gsize i = NAME_PERFORMANCE; i < G_N_ELEMENTS(epp_values); i++) {
    if (epp_values[i] == epp)
      return epp_names[i];
  }
  return NULL;
}

static int
show_epp(const SimPolicy *policy, GString *text)
{
  const Core *core = policy->driver_data;
  const char *name = name_of(core->epp);

  if (!core->dynamic && core->is_raw)
    g_string_append_printf(text, "%u\n", core->epp);
  else if (name && core->dynamic && core->pstate->kernel == SIM_KERNEL_7_3)
    g_string_append_printf(text, "dynamic(profile:%s)\n", name);
  else if (name)
    g_string_append_printf(text, "%s\n", name);
  else if (core->pstate->kernel == SIM_KERNEL_7_3)
    g_string_append_printf(text, "%u\n", core->epp);
  else
    return EINVAL;
  return 0;
}

/* How many of the names that kernel knows. */
static gsize
count_names(const SimAmdPstate *pstate)
{
  switch (pstate->kernel) {
  case SIM_KERNEL_7_0:
    return NAME_POWER + 1;
  case SIM_KERNEL_7_1:
    return NAME_CUSTOM + 1;
  case SIM_KERNEL_7_3:
  default:
    return NAME_DYNAMIC + 1;
  }
}

static int
show_epp_names(const SimPolicy *policy, GString *text)
{
  const Core *core = policy->driver_data;

  if (sim_policy_is_performance(policy)) {
    g_string_append_printf(text, "%s\n", epp_names[NAME_PERFORMANCE]);
    return 0;
  }
  for (gsize i = 0; i < count_names(core->pstate); i++)
    g_string_append_printf(text, "%s ", epp_names[i]);
  g_string_append_c(text, '\n');
  return 0;
}

/* A number in any of C's bases, or a name. */
static int
parse_epp(const SimAmdPstate *pstate, const char *text, EppName *name, guint8 *epp)
{
  int known = sim_match(epp_names, count_names(pstate), text);
  guint64 number;

  if (pstate->kernel != SIM_KERNEL_7_0 && sim_parse_unsigned(text, 0, G_MAXUINT8, &number) == 0) {
    *name = NAME_CUSTOM;
    *epp = (guint8)number;
    return 0;
  }
  if (known < 0 || known == NAME_CUSTOM)
    return EINVAL;
  *name = (EppName)known;
  *epp = known == NAME_DYNAMIC ? balanced_epp(pstate) : epp_values[known];
  return 0;
}

static int
store_epp(SimPolicy *policy, const char *text)
{
  Core *core = policy->driver_data;
  EppName name;
  guint8 epp;

  if (core->dynamic && core->pstate->kernel == SIM_KERNEL_7_1)
    return EBUSY;
  if (parse_epp(core->pstate, text, &name, &epp) != 0)
    return EINVAL;
  if (sim_policy_is_performance(policy) && (name == NAME_DYNAMIC || epp > EPP_PERFORMANCE))
    return EBUSY;
  if (name == NAME_DYNAMIC) {
    if (!core->dynamic)
      enter_dynamic(core);
    return 0;
  }
  leave_dynamic(core);
  request(core, epp);
  core->is_raw = name == NAME_CUSTOM;
  return 0;
}

static int
show_text(GString *text, const char *line)
{
  g_string_append_printf(text, "%s\n", line);
  return 0;
}

static int
show_max_freq(const SimPolicy *policy, GString *text)
{
  return show_text(text, G_STRINGIFY(HIGHEST_KHZ));
}

static int
show_nonlinear_freq(const SimPolicy *policy, GString *text)
{
  return show_text(text, G_STRINGIFY(NONLINEAR_KHZ));
}

static int
show_highest_perf(const SimPolicy *policy, GString *text)
{
  return show_text(text, G_STRINGIFY(HIGHEST_PERF));
}

static int
show_hw_prefcore(const SimPolicy *policy, GString *text)
{
  return show_text(text, "enabled");
}

static const SimPolicyFile files[] = {
    {"amd_pstate_max_freq", show_max_freq, NULL},
    {"amd_pstate_lowest_nonlinear_freq", show_nonlinear_freq, NULL},
    {"amd_pstate_highest_perf", show_highest_perf, NULL},
    {"amd_pstate_hw_prefcore", show_hw_prefcore, NULL},
    {"amd_pstate_prefcore_ranking", show_highest_perf, NULL},
    {NULL},
};

static const SimPolicyFile epp_files[] = {
    {"energy_performance_preference", show_epp, store_epp},
    {"energy_performance_available_preferences", show_epp_names, NULL},
    {NULL},
};

static const SimPolicyDriver active_driver = {
    .name = "amd-pstate-epp",
    .sets_policy = true,
    .has_core_boost = true,
    .min_khz = LOWEST_KHZ,
    .max_khz = HIGHEST_KHZ,
    .nominal_khz = NOMINAL_KHZ,
    .default_min_khz = NONLINEAR_KHZ,
    .files = files,
    .more_files = epp_files,
    .init = init_core,
    .exit = exit_core,
    .set_governor = set_governor,
};

/* In guided mode too. */
static const SimPolicyDriver passive_driver = {
    .name = "amd-pstate",
    .has_core_boost = true,
    .min_khz = LOWEST_KHZ,
    .max_khz = HIGHEST_KHZ,
    .nominal_khz = NOMINAL_KHZ,
    .default_min_khz = NONLINEAR_KHZ,
    .files = files,
};

static void
register_driver(SimAmdPstate *pstate)
{
  const SimPolicyDriver *driver = NULL;

  if (pstate->mode == MODE_ACTIVE)
    driver = &active_driver;
  else if (pstate->mode != MODE_DISABLE)
    driver = &passive_driver;
  sim_cpufreq_set_driver(pstate->cpufreq, driver, pstate);
}

static bool
is_passive_driver(Mode mode)
{
  return mode == MODE_PASSIVE || mode == MODE_GUIDED;
}

static int
show_status(gpointer data, GString *text)
{
  const SimAmdPstate *pstate = data;

  return show_text(text, mode_names[pstate->mode]);
}

static int
store_status(gpointer data, const char *text)
{
  g_autofree char *mode = g_strndup(text, strcspn(text, "\n"));

  return sim_amd_pstate_set_mode(data, mode);
}

static int
show_dynamic_epp(gpointer data, GString *text)
{
  const SimAmdPstate *pstate = data;

  return show_text(text, pstate->dynamic_epp ? "enabled" : "disabled");
}

/* Assumed: EINVAL outside of active mode. What it is already is EINVAL too. */
static int
store_dynamic_epp(gpointer data, const char *text)
{
  SimAmdPstate *pstate = data;
  bool on;

  if (sim_parse_bool(text, &on) != 0 || on == pstate->dynamic_epp || pstate->mode != MODE_ACTIVE)
    return EINVAL;
  pstate->dynamic_epp = on;
  register_driver(pstate);
  return 0;
}

static const SimFileOps status_ops = {show_status, store_status};
static const SimFileOps dynamic_epp_ops = {show_dynamic_epp, store_dynamic_epp};

/* NULL: there is no such policy, or it has no EPP. */
static Core *
find_core(const SimAmdPstate *pstate, guint number)
{
  SimPolicy *policy =
      pstate->mode == MODE_ACTIVE ? sim_cpufreq_policy(pstate->cpufreq, number) : NULL;

  return policy ? policy->driver_data : NULL;
}

SimAmdPstate *
sim_amd_pstate_new(SimTree *tree,
                   SimCpufreq *cpufreq,
                   SimPlatform *platform,
                   const SimSupplies *supplies,
                   SimKernelVersion kernel,
                   const char *mode)
{
  int number = sim_match(mode_names, G_N_ELEMENTS(mode_names), mode);
  SimAmdPstate *pstate;

  if (number <= MODE_UNDEFINED)
    return NULL;
  pstate = g_new0(SimAmdPstate, 1);
  pstate->tree = tree;
  pstate->cpufreq = cpufreq;
  pstate->platform = platform;
  pstate->supplies = supplies;
  pstate->kernel = kernel;
  pstate->mode = (Mode)number;
  sim_tree_add_file(tree, GLOBAL_DIR "/status", &status_ops, pstate);
  sim_tree_add_text(tree, GLOBAL_DIR "/prefcore", "enabled");
  if (kernel == SIM_KERNEL_7_1)
    sim_tree_add_file(tree, DYNAMIC_EPP, &dynamic_epp_ops, pstate);
  register_driver(pstate);
  return pstate;
}

void
sim_amd_pstate_free(SimAmdPstate *pstate)
{
  g_free(pstate);
}

/* The kernel compares only as much as was written, of six or seven bytes: "passiv" will do. */
int
sim_amd_pstate_set_mode(SimAmdPstate *pstate, const char *mode)
{
  gsize length = strlen(mode);
  Mode old = pstate->mode;

  if (length < strlen("active") || length > strlen("passive"))
    return EINVAL;
  for (gsize i = 0; i < G_N_ELEMENTS(mode_names); i++) {
    if (strncmp(mode_names[i], mode, length) != 0)
      continue;
    if (i == MODE_UNDEFINED || i == old)
      return 0;
    pstate->mode = (Mode)i;
    if (!is_passive_driver(old) || !is_passive_driver(pstate->mode))
      register_driver(pstate);
    return 0;
  }
  return EINVAL;
}

int
sim_amd_pstate_enter_dynamic(SimAmdPstate *pstate, guint policy)
{
  Core *core = find_core(pstate, policy);

  return core ? store_epp(core->policy, epp_names[NAME_DYNAMIC]) : ENODEV;
}

static void
power_changed(SimPolicy *policy, gpointer data)
{
  Core *core = policy->driver_data;

  if (core->dynamic && sim_platform_handler_profile(core->dynamic) == SIM_PLATFORM_BALANCED)
    request(core, balanced_epp(core->pstate));
}

void
sim_amd_pstate_power_changed(SimAmdPstate *pstate)
{
  if (pstate->mode == MODE_ACTIVE)
    sim_cpufreq_foreach(pstate->cpufreq, power_changed, NULL);
}

static void
lose(SimPolicy *policy, gpointer data)
{
  Core *core = policy->driver_data;

  core->is_lost = true;
}

void
sim_amd_pstate_suspend(SimAmdPstate *pstate)
{
  if (pstate->mode == MODE_ACTIVE)
    sim_cpufreq_foreach(pstate->cpufreq, lose, NULL);
}

static void
restore(SimPolicy *policy, gpointer data)
{
  const bool *epp_performance = data;
  Core *core = policy->driver_data;

  request(core, *epp_performance ? EPP_PERFORMANCE : core->epp);
}

void
sim_amd_pstate_resume(SimAmdPstate *pstate, bool epp_performance)
{
  if (pstate->mode == MODE_ACTIVE)
    sim_cpufreq_foreach(pstate->cpufreq, restore, &epp_performance);
}

int
sim_amd_pstate_set_epp(SimAmdPstate *pstate, guint policy, guint8 epp)
{
  Core *core = find_core(pstate, policy);

  if (!core)
    return ENODEV;
  core->epp = epp;
  core->is_raw = false;
  return 0;
}

guint
sim_amd_pstate_requests(const SimAmdPstate *pstate, guint policy)
{
  const Core *core = find_core(pstate, policy);

  return core ? core->n_requests : 0;
}
