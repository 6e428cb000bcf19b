/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-policy.h"

#include "sim-parse.h"

#include <errno.h>
#include <string.h>

#define CPUFREQ_DIR    SIM_CPU_DIR "/cpufreq"
#define NAME_MAX_BYTES 15
#define CURRENT_KHZ    2000000

struct SimCpufreq {
  SimTree *tree;
  SimCpus *cpus;
  guint cpus_per_policy;
  guint n_groups;
  SimPolicy **policies; /* one a group of CPUs, NULL where there is none */
  const SimPolicyDriver *driver;
  gpointer data;
  bool core_boost; /* the global file */
};

typedef struct {
  SimPolicy *policy;
  const SimPolicyFile *file;
} OpenFile;

/* In the kernel's order of registration. */
static const char *const governors[] = {"conservative", "ondemand",    "userspace",
                                        "powersave",    "performance", "schedutil"};

static guint
limit(guint value, guint low, guint high)
{
  return value < low ? low : value > high ? high : value;
}

static guint
highest_khz(const SimPolicy *policy)
{
  const SimPolicyDriver *driver = policy->cpufreq->driver;

  return policy->core_boost ? driver->max_khz : driver->nominal_khz;
}

static guint
scaling_max_khz(const SimPolicy *policy)
{
  return limit(policy->max_request_khz, policy->cpufreq->driver->min_khz, highest_khz(policy));
}

static guint
scaling_min_khz(const SimPolicy *policy)
{
  const SimPolicyDriver *driver = policy->cpufreq->driver;
  guint wanted = policy->min_request_khz > 0 ? policy->min_request_khz : driver->default_min_khz;

  return MIN(limit(wanted, driver->min_khz, highest_khz(policy)), scaling_max_khz(policy));
}

static int
show_number(GString *text, guint number)
{
  g_string_append_printf(text, "%u\n", number);
  return 0;
}

static void
append_cpus(const SimPolicy *policy, bool online_only, GString *text)
{
  const char *separator = "";

  for (guint i = 0; i < policy->n_cpus; i++) {
    guint cpu = policy->first_cpu + i;

    if (online_only && !sim_cpus_is_online(policy->cpufreq->cpus, cpu))
      continue;
    g_string_append_printf(text, "%s%u", separator, cpu);
    separator = " ";
  }
  g_string_append_c(text, '\n');
}

static int
show_affected_cpus(const SimPolicy *policy, GString *text)
{
  append_cpus(policy, true, text);
  return 0;
}

static int
show_related_cpus(const SimPolicy *policy, GString *text)
{
  append_cpus(policy, false, text);
  return 0;
}

static int
show_driver(const SimPolicy *policy, GString *text)
{
  g_string_append_printf(text, "%s\n", policy->cpufreq->driver->name);
  return 0;
}

static int
show_governor(const SimPolicy *policy, GString *text)
{
  g_string_append_printf(text, "%s\n", policy->governor);
  return 0;
}

static bool
has_governor(const SimPolicyDriver *driver, const char *governor)
{
  return !driver->sets_policy || strcmp(governor, "performance") == 0 ||
         strcmp(governor, "powersave") == 0;
}

/* The governor's own name, whatever the case of @word; NULL: none. */
static const char *
find_governor(const SimPolicyDriver *driver, const char *word)
{
  for (gsize i = 0; i < G_N_ELEMENTS(governors); i++) {
    if (g_ascii_strcasecmp(governors[i], word) == 0 && has_governor(driver, governors[i]))
      return governors[i];
  }
  return NULL;
}

static int
store_governor(SimPolicy *policy, const char *text)
{
  const SimPolicyDriver *driver = policy->cpufreq->driver;
  g_autofree char *word = sim_scan_word(text, NAME_MAX_BYTES);
  const char *governor = word ? find_governor(driver, word) : NULL;
  int error = 0;

  if (!governor)
    return EINVAL;
  if (driver->set_governor)
    error = driver->set_governor(policy, governor, policy->cpufreq->data);
  if (error == 0)
    policy->governor = governor;
  return error;
}

static int
show_governors(const SimPolicy *policy, GString *text)
{
  if (policy->cpufreq->driver->sets_policy) {
    g_string_append(text, "performance powersave\n");
    return 0;
  }
  for (gsize i = 0; i < G_N_ELEMENTS(governors); i++)
    g_string_append_printf(text, "%s ", governors[i]);
  g_string_append_c(text, '\n');
  return 0;
}

static int
show_lowest(const SimPolicy *policy, GString *text)
{
  return show_number(text, policy->cpufreq->driver->min_khz);
}

static int
show_highest(const SimPolicy *policy, GString *text)
{
  return show_number(text, highest_khz(policy));
}

static int
show_latency(const SimPolicy *policy, GString *text)
{
  return show_number(text, policy->cpufreq->driver->sets_policy ? 0 : 20000);
}

static int
show_min(const SimPolicy *policy, GString *text)
{
  return show_number(text, scaling_min_khz(policy));
}

static int
show_max(const SimPolicy *policy, GString *text)
{
  return show_number(text, scaling_max_khz(policy));
}

static int
show_current(const SimPolicy *policy, GString *text)
{
  return show_number(text, limit(CURRENT_KHZ, scaling_min_khz(policy), scaling_max_khz(policy)));
}

/* A request outside of the limits is none too big: it counts as far as it can. */
static int
store_request(const char *text, guint *request_khz)
{
  guint64 khz;
  int error = sim_parse_unsigned(text, 0, G_MAXUINT64, &khz);

  if (error)
    return error;
  /* Within the kernel it is a signed 32-bit number, and a negative one no request. */
  if ((gint32)(khz & G_MAXUINT32) < 0)
    return EINVAL;
  *request_khz = (guint)(khz & G_MAXUINT32);
  return 0;
}

static int
store_min(SimPolicy *policy, const char *text)
{
  return store_request(text, &policy->min_request_khz);
}

static int
store_max(SimPolicy *policy, const char *text)
{
  return store_request(text, &policy->max_request_khz);
}

static int
show_speed(const SimPolicy *policy, GString *text)
{
  if (strcmp(policy->governor, "userspace") != 0)
    g_string_append(text, "<unsupported>\n");
  else
    g_string_append_printf(text, "%u\n", scaling_min_khz(policy));
  return 0;
}

/* What it takes under the governor userspace is shown nowhere: nobody here sets it. */
static int
store_speed(SimPolicy *policy, const char *text)
{
  int khz;

  return strcmp(policy->governor, "userspace") == 0 ? sim_scan_int(text, &khz) : EINVAL;
}

static const SimPolicyFile common_files[] = {
    {"affected_cpus", show_affected_cpus, NULL},
    {"related_cpus", show_related_cpus, NULL},
    {"scaling_driver", show_driver, NULL},
    {"scaling_governor", show_governor, store_governor},
    {"scaling_available_governors", show_governors, NULL},
    {"cpuinfo_min_freq", show_lowest, NULL},
    {"cpuinfo_max_freq", show_highest, NULL},
    {"cpuinfo_transition_latency", show_latency, NULL},
    {"scaling_min_freq", show_min, store_min},
    {"scaling_max_freq", show_max, store_max},
    {"scaling_cur_freq", show_current, NULL},
    {"scaling_setspeed", show_speed, store_speed},
    {NULL},
};

static int
show_core_boost(const SimPolicy *policy, GString *text)
{
  return show_number(text, policy->core_boost);
}

static int
store_core_boost(SimPolicy *policy, const char *text)
{
  bool on;

  if (sim_parse_bool(text, &on) != 0 || !policy->cpufreq->core_boost)
    return EINVAL;
  policy->core_boost = on;
  return 0;
}

static const SimPolicyFile core_boost_files[] = {
    {"boost", show_core_boost, store_core_boost},
    {NULL},
};

static int
show_file(gpointer data, GString *text)
{
  const OpenFile *open_file = data;

  return open_file->policy->n_online == 0 ? EBUSY : open_file->file->show(open_file->policy, text);
}

static int
store_file(gpointer data, const char *text)
{
  OpenFile *open_file = data;

  return open_file->policy->n_online == 0 ? EBUSY : open_file->file->store(open_file->policy, text);
}

static const SimFileOps read_only_ops = {show_file, NULL};
static const SimFileOps read_write_ops = {show_file, store_file};

static void
add_files(SimPolicy *policy, const SimPolicyFile *files)
{
  for (const SimPolicyFile *file = files; file && file->name; file++) {
    g_autofree char *path = g_strdup_printf(CPUFREQ_DIR "/policy%u/%s", policy->number, file->name);
    OpenFile *open_file = g_new(OpenFile, 1);

    *open_file = (OpenFile){policy, file};
    g_ptr_array_add(policy->files, open_file);
    sim_tree_add_file(policy->cpufreq->tree, path, file->store ? &read_write_ops : &read_only_ops,
                      open_file);
  }
}

static void
add_cpu_links(SimPolicy *policy)
{
  for (guint i = 0; i < policy->n_cpus; i++) {
    g_autofree char *link = g_strdup_printf(SIM_CPU_DIR "/cpu%u/cpufreq", policy->first_cpu + i);
    g_autofree char *target = g_strdup_printf("../cpufreq/policy%u", policy->number);

    sim_tree_add_link(policy->cpufreq->tree, link, target);
  }
}

static guint
count_online(const SimPolicy *policy)
{
  guint n_online = 0;

  for (guint i = 0; i < policy->n_cpus; i++)
    n_online += sim_cpus_is_online(policy->cpufreq->cpus, policy->first_cpu + i);
  return n_online;
}

/* @cpu is the first of its group to be there. */
static SimPolicy *
add_policy(SimCpufreq *cpufreq, guint cpu)
{
  const SimPolicyDriver *driver = cpufreq->driver;
  guint first_cpu = cpu - cpu % cpufreq->cpus_per_policy;
  SimPolicy *policy = g_new0(SimPolicy, 1);

  policy->cpufreq = cpufreq;
  policy->number = cpu;
  policy->first_cpu = first_cpu;
  policy->n_cpus = MIN(cpufreq->cpus_per_policy, sim_cpus_count(cpufreq->cpus) - first_cpu);
  policy->n_online = count_online(policy);
  policy->governor = find_governor(driver, driver->sets_policy ? "powersave" : "schedutil");
  policy->core_boost = !driver->has_core_boost || cpufreq->core_boost;
  policy->max_request_khz = G_MAXINT32;
  policy->files = g_ptr_array_new_with_free_func(g_free);
  if (driver->init)
    driver->init(policy, cpufreq->data);
  add_files(policy, common_files);
  if (driver->has_core_boost)
    add_files(policy, core_boost_files);
  add_files(policy, driver->files);
  add_files(policy, driver->more_files);
  add_cpu_links(policy);
  return policy;
}

static void
free_policy(SimPolicy *policy)
{
  g_ptr_array_unref(policy->files);
  g_free(policy->driver_data);
  g_free(policy);
}

static void
remove_policy(SimPolicy *policy)
{
  SimTree *tree = policy->cpufreq->tree;
  g_autofree char *path = g_strdup_printf(CPUFREQ_DIR "/policy%u", policy->number);

  if (policy->cpufreq->driver->exit)
    policy->cpufreq->driver->exit(policy, policy->cpufreq->data);
  sim_tree_remove(tree, path);
  for (guint i = 0; i < policy->n_cpus; i++) {
    g_autofree char *link = g_strdup_printf(SIM_CPU_DIR "/cpu%u/cpufreq", policy->first_cpu + i);

    sim_tree_remove(tree, link);
  }
  free_policy(policy);
}

static int
show_global_core_boost(gpointer data, GString *text)
{
  const SimCpufreq *cpufreq = data;

  return show_number(text, cpufreq->core_boost);
}

/* It sets that of every policy. */
static int
store_global_core_boost(gpointer data, const char *text)
{
  SimCpufreq *cpufreq = data;
  int error = sim_parse_bool(text, &cpufreq->core_boost);

  for (guint i = 0; error == 0 && i < cpufreq->n_groups; i++) {
    if (cpufreq->policies[i])
      cpufreq->policies[i]->core_boost = cpufreq->core_boost;
  }
  return error;
}

static const SimFileOps core_boost_ops = {show_global_core_boost, store_global_core_boost};

SimCpufreq *
sim_cpufreq_new(SimTree *tree, SimCpus *cpus, guint cpus_per_policy)
{
  SimCpufreq *cpufreq = g_new0(SimCpufreq, 1);

  cpufreq->tree = tree;
  cpufreq->cpus = cpus;
  cpufreq->cpus_per_policy = MAX(cpus_per_policy, 1);
  cpufreq->n_groups =
      (sim_cpus_count(cpus) + cpufreq->cpus_per_policy - 1) / cpufreq->cpus_per_policy;
  cpufreq->policies = g_new0(SimPolicy *, cpufreq->n_groups);
  cpufreq->core_boost = true;
  sim_tree_add_directory(tree, CPUFREQ_DIR);
  return cpufreq;
}

void
sim_cpufreq_free(SimCpufreq *cpufreq)
{
  for (guint i = 0; i < cpufreq->n_groups; i++) {
    if (cpufreq->policies[i])
      free_policy(cpufreq->policies[i]);
  }
  g_free(cpufreq->policies);
  g_free(cpufreq);
}

static void
unset_driver(SimCpufreq *cpufreq)
{
  for (guint i = 0; i < cpufreq->n_groups; i++) {
    if (cpufreq->policies[i])
      remove_policy(cpufreq->policies[i]);
    cpufreq->policies[i] = NULL;
  }
  sim_tree_remove(cpufreq->tree, CPUFREQ_DIR "/boost");
}

void
sim_cpufreq_set_driver(SimCpufreq *cpufreq, const SimPolicyDriver *driver, gpointer data)
{
  unset_driver(cpufreq);
  cpufreq->driver = driver;
  cpufreq->data = data;
  if (!driver)
    return;
  cpufreq->core_boost = true;
  if (driver->has_core_boost)
    sim_tree_add_file(cpufreq->tree, CPUFREQ_DIR "/boost", &core_boost_ops, cpufreq);
  for (guint cpu = 0; cpu < sim_cpus_count(cpufreq->cpus); cpu++) {
    SimPolicy **policy = &cpufreq->policies[cpu / cpufreq->cpus_per_policy];

    if (!*policy && sim_cpus_is_online(cpufreq->cpus, cpu))
      *policy = add_policy(cpufreq, cpu);
  }
}

void
sim_cpufreq_cpu_changed(SimCpufreq *cpufreq, guint cpu, bool online)
{
  SimPolicy **policy = &cpufreq->policies[cpu / cpufreq->cpus_per_policy];

  if (*policy)
    (*policy)->n_online = count_online(*policy);
  else if (online && cpufreq->driver)
    *policy = add_policy(cpufreq, cpu);
}

SimPolicy *
sim_cpufreq_policy(const SimCpufreq *cpufreq, guint number)
{
  guint group = number / cpufreq->cpus_per_policy;
  SimPolicy *policy = group < cpufreq->n_groups ? cpufreq->policies[group] : NULL;

  return policy && policy->number == number ? policy : NULL;
}

void
sim_cpufreq_foreach(SimCpufreq *cpufreq,
                    void (*function)(SimPolicy *policy, gpointer data),
                    gpointer data)
{
  for (guint i = 0; i < cpufreq->n_groups; i++) {
    if (cpufreq->policies[i])
      function(cpufreq->policies[i], data);
  }
}

bool
sim_policy_is_performance(const SimPolicy *policy)
{
  return strcmp(policy->governor, "performance") == 0;
}

const SimPolicyDriver *
sim_policy_driver(const SimPolicy *policy)
{
  return policy->cpufreq->driver;
}
