/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-cpu.h"

#include "sim-device.h"
#include "sim-parse.h"

#include <errno.h>

#define BIAS_NORMAL 6
#define BIAS_MAX    15

typedef struct {
  SimCpus *cpus;
  SimDevice *device;
  guint number;
  guint bias;
  bool online;
  bool frozen; /* by the suspend */
} SimCpu;

struct SimCpus {
  SimTree *tree;
  SimCpusOptions options;
  SimCpu *cpu;
  bool suspended;
  SimCpusChanged changed;
  gpointer data;
};

/* The kernel's list format, "0-2,5". */
static void
append_list(const SimCpus *cpus, bool (*is_in)(const SimCpu *cpu), GString *text)
{
  guint n_cpus = cpus->options.n_cpus;
  const char *separator = "";

  for (guint first = 0; first < n_cpus; first++) {
    guint last = first;

    if (!is_in(&cpus->cpu[first]))
      continue;
    while (last + 1 < n_cpus && is_in(&cpus->cpu[last + 1]))
      last++;
    g_string_append_printf(text, "%s%u", separator, first);
    if (last > first)
      g_string_append_printf(text, "-%u", last);
    separator = ",";
    first = last;
  }
  g_string_append_c(text, '\n');
}

static bool
is_online(const SimCpu *cpu)
{
  return cpu->online;
}

static bool
is_offline(const SimCpu *cpu)
{
  return !cpu->online;
}

static int
show_online_list(gpointer data, GString *text)
{
  append_list(data, is_online, text);
  return 0;
}

static int
show_offline_list(gpointer data, GString *text)
{
  append_list(data, is_offline, text);
  return 0;
}

static const SimFileOps online_list_ops = {show_online_list, NULL};
static const SimFileOps offline_list_ops = {show_offline_list, NULL};

/* Two threads a core, numbered as on AMD and Intel systems: n and n + half. */
static guint
core_of(const SimCpu *cpu)
{
  guint n_cpus = cpu->cpus->options.n_cpus;

  return n_cpus % 2 == 0 ? cpu->number % (n_cpus / 2) : cpu->number;
}

static int
show_siblings(gpointer data, GString *text)
{
  const SimCpu *cpu = data;
  guint n_cpus = cpu->cpus->options.n_cpus;
  guint first = core_of(cpu);
  guint second = n_cpus % 2 == 0 ? first + n_cpus / 2 : first;
  bool has_first = cpu->cpus->cpu[first].online;

  if (has_first)
    g_string_append_printf(text, "%u", first);
  if (second != first && cpu->cpus->cpu[second].online)
    g_string_append_printf(text, "%s%u", !has_first ? "" : second == first + 1 ? "-" : ",", second);
  g_string_append_c(text, '\n');
  return 0;
}

static int
show_core(gpointer data, GString *text)
{
  g_string_append_printf(text, "%u\n", core_of(data));
  return 0;
}

static int
show_package(gpointer data, GString *text)
{
  g_string_append(text, "0\n");
  return 0;
}

static int
show_package_cpus(gpointer data, GString *text)
{
  const SimCpu *cpu = data;

  return show_online_list(cpu->cpus, text);
}

static const struct {
  const char *name;
  SimFileOps ops;
} topology_files[] = {
    {"thread_siblings_list", {show_siblings, NULL}},
    {"core_cpus_list", {show_siblings, NULL}},
    {"core_id", {show_core, NULL}},
    {"physical_package_id", {show_package, NULL}},
    {"die_id", {show_package, NULL}},
    {"package_cpus_list", {show_package_cpus, NULL}},
    {"core_siblings_list", {show_package_cpus, NULL}},
};

static int
show_bias(gpointer data, GString *text)
{
  const SimCpu *cpu = data;

  g_string_append_printf(text, "%u\n", cpu->bias);
  return 0;
}

static int
store_bias(gpointer data, const char *text)
{
  static const char *const names[] = {"performance", "balance-performance", "normal",
                                      "balance-power", "power"};
  static const guint values[] = {0, 4, BIAS_NORMAL, 8, BIAS_MAX};
  int name = sim_match(names, G_N_ELEMENTS(names), text);
  SimCpu *cpu = data;
  guint64 number;

  if (name >= 0)
    cpu->bias = values[name];
  else if (sim_parse_unsigned(text, 0, BIAS_MAX, &number) == 0)
    cpu->bias = (guint)number;
  else
    return EINVAL;
  return 0;
}

static const SimFileOps bias_ops = {show_bias, store_bias};

/* These are of a CPU that is online. */
static void
add_online_files(SimCpu *cpu)
{
  for (gsize i = 0; i < G_N_ELEMENTS(topology_files); i++) {
    g_autofree char *name = g_strconcat("topology/", topology_files[i].name, NULL);
    g_autofree char *path = sim_device_file(cpu->device, name);

    sim_tree_add_file(cpu->cpus->tree, path, &topology_files[i].ops, cpu);
  }
  if (cpu->cpus->options.has_epb) {
    g_autofree char *path = sim_device_file(cpu->device, "power/energy_perf_bias");

    sim_tree_add_file(cpu->cpus->tree, path, &bias_ops, cpu);
  }
}

static void
remove_online_files(SimCpu *cpu)
{
  g_autofree char *topology = sim_device_file(cpu->device, "topology");
  g_autofree char *bias = sim_device_file(cpu->device, "power/energy_perf_bias");

  sim_tree_remove(cpu->cpus->tree, topology);
  sim_tree_remove(cpu->cpus->tree, bias);
}

static void
set_online(SimCpu *cpu, bool online)
{
  SimCpus *cpus = cpu->cpus;

  cpu->online = online;
  if (online)
    add_online_files(cpu);
  if (cpus->changed)
    cpus->changed(cpu->number, online, cpus->data);
  if (!online)
    remove_online_files(cpu);
}

static int
show_online(gpointer data, GString *text)
{
  const SimCpu *cpu = data;

  g_string_append(text, cpu->online ? "1\n" : "0\n");
  return 0;
}

static int
store_online(gpointer data, const char *text)
{
  SimCpu *cpu = data;
  bool online;
  int error = sim_parse_bool(text, &online);

  return error ? error : sim_cpus_set_online(cpu->cpus, cpu->number, online);
}

static const SimFileOps online_ops = {show_online, store_online};

static int
show_cpuinfo(gpointer data, GString *text)
{
  const SimCpus *cpus = data;

  for (guint i = 0; i < cpus->options.n_cpus; i++) {
    if (!cpus->cpu[i].online)
      continue;
    g_string_append_printf(text,
                           "processor\t: %u\n"
                           "vendor_id\t: %s\n"
                           "model name\t: Simulated CPU\n"
                           "physical id\t: 0\n"
                           "core id\t\t: %u\n"
                           "flags\t\t: %s\n\n",
                           i, cpus->options.vendor, core_of(&cpus->cpu[i]), cpus->options.flags);
  }
  return 0;
}

static const SimFileOps cpuinfo_ops = {show_cpuinfo, NULL};

static void
add_cpu(SimCpus *cpus, guint number)
{
  g_autofree char *devpath = g_strdup_printf("/devices/system/cpu/cpu%u", number);
  static const char *const properties[] = {"DRIVER=processor", NULL};
  SimCpu *cpu = &cpus->cpu[number];
  g_autofree char *power = NULL;

  *cpu = (SimCpu){.cpus = cpus, .number = number, .bias = BIAS_NORMAL, .online = true};
  cpu->device = sim_device_add(cpus->tree, devpath, "cpu", SIM_SUBSYSTEM_BUS);
  sim_device_set_properties(cpu->device, properties);
  power = sim_device_file(cpu->device, "power");
  sim_tree_add_directory(cpus->tree, power);
  add_online_files(cpu);
  /* CPU 0 of an x86 machine can't go. */
  if (number > 0) {
    g_autofree char *online = sim_device_file(cpu->device, "online");

    sim_tree_add_file(cpus->tree, online, &online_ops, cpu);
  }
}

static void
add_lists(SimCpus *cpus)
{
  guint last = cpus->options.n_cpus - 1;
  g_autofree char *all = last == 0 ? g_strdup("0") : g_strdup_printf("0-%u", last);
  g_autofree char *max = g_strdup_printf("%u", last);

  sim_tree_add_file(cpus->tree, SIM_CPU_DIR "/online", &online_list_ops, cpus);
  sim_tree_add_file(cpus->tree, SIM_CPU_DIR "/offline", &offline_list_ops, cpus);
  sim_tree_add_text(cpus->tree, SIM_CPU_DIR "/present", all);
  sim_tree_add_text(cpus->tree, SIM_CPU_DIR "/possible", all);
  sim_tree_add_text(cpus->tree, SIM_CPU_DIR "/kernel_max", max);
  sim_tree_add_text(cpus->tree, SIM_CPU_DIR "/isolated", "");
  /* What the kernel prints where no CPU is without a tick. */
  sim_tree_add_text(cpus->tree, SIM_CPU_DIR "/nohz_full", "(null)");
}

SimCpus *
sim_cpus_new(SimTree *tree, const SimCpusOptions *options)
{
  SimCpus *cpus = g_new0(SimCpus, 1);

  cpus->tree = tree;
  cpus->options = *options;
  cpus->cpu = g_new0(SimCpu, options->n_cpus);
  add_lists(cpus);
  for (guint i = 0; i < options->n_cpus; i++)
    add_cpu(cpus, i);
  sim_tree_add_file(tree, "/proc/cpuinfo", &cpuinfo_ops, cpus);
  return cpus;
}

void
sim_cpus_free(SimCpus *cpus)
{
  for (guint i = 0; i < cpus->options.n_cpus; i++)
    sim_device_free(cpus->cpu[i].device);
  g_free(cpus->cpu);
  g_free(cpus);
}

void
sim_cpus_set_changed(SimCpus *cpus, SimCpusChanged changed, gpointer data)
{
  cpus->changed = changed;
  cpus->data = data;
}

guint
sim_cpus_count(const SimCpus *cpus)
{
  return cpus->options.n_cpus;
}

bool
sim_cpus_is_online(const SimCpus *cpus, guint cpu)
{
  return cpu < cpus->options.n_cpus && cpus->cpu[cpu].online;
}

int
sim_cpus_set_online(SimCpus *cpus, guint cpu, bool online)
{
  if (cpu == 0 || cpu >= cpus->options.n_cpus)
    return EINVAL;
  if (cpus->suspended)
    return EBUSY;
  if (cpus->cpu[cpu].online == online)
    return 0;
  set_online(&cpus->cpu[cpu], online);
  sim_device_uevent(cpus->cpu[cpu].device, online ? "online" : "offline");
  return 0;
}

int
sim_cpus_suspend(SimCpus *cpus)
{
  if (cpus->suspended)
    return EBUSY;
  cpus->suspended = true;
  for (guint i = 1; i < cpus->options.n_cpus; i++) {
    cpus->cpu[i].frozen = cpus->cpu[i].online;
    if (cpus->cpu[i].frozen)
      set_online(&cpus->cpu[i], false);
  }
  return 0;
}

int
sim_cpus_resume(SimCpus *cpus)
{
  if (!cpus->suspended)
    return EBUSY;
  cpus->suspended = false;
  for (guint i = 1; i < cpus->options.n_cpus; i++) {
    if (cpus->cpu[i].frozen)
      set_online(&cpus->cpu[i], true);
  }
  return 0;
}
