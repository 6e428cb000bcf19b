/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-machine.h"

#include "sim-acpi-cpufreq.h"
#include "sim-amd-pstate.h"
#include "sim-cpu.h"
#include "sim-epp-boost.h"
#include "sim-intel-pstate.h"
#include "sim-parse.h"
#include "sim-platform-profile.h"
#include "sim-policy.h"
#include "sim-power-supply.h"
#include "sim-powercap.h"

#include <errno.h>
#include <string.h>

struct SimMachine {
  SimTree *tree;
  bool has_platform_class;
  SimSupplies *supplies;
  SimPlatform *platform;
  SimCpus *cpus;
  SimCpufreq *cpufreq;
  SimAmdPstate *amd;     /* NULL: another driver */
  SimIntelPstate *intel; /* likewise */
  SimEppBoost *epp_boost;
  SimPowercap *powercap; /* NULL: none */
};

static void
on_power_changed(gpointer data)
{
  SimMachine *machine = data;

  if (machine->amd)
    sim_amd_pstate_power_changed(machine->amd);
}

static void
on_cpu_changed(guint cpu, bool online, gpointer data)
{
  SimMachine *machine = data;

  sim_cpufreq_cpu_changed(machine->cpufreq, cpu, online);
}

/* What any machine has; libudev finds no device at all where one of the directories is missing. */
static void
add_skeleton(SimTree *tree)
{
  static const char *const directories[] = {"/sys/bus/platform/devices", "/sys/class/drm",
                                            "/sys/class/platform-profile", "/sys/devices/platform",
                                            "/sys/module"};
  g_autofree char *boot_id = g_uuid_string_random();

  for (gsize i = 0; i < G_N_ELEMENTS(directories); i++)
    sim_tree_add_directory(tree, directories[i]);
  /* A laptop's. */
  sim_tree_add_text(tree, "/sys/firmware/acpi/pm_profile", "2");
  /* Each start is a boot. */
  sim_tree_add_text(tree, "/proc/sys/kernel/random/boot_id", boot_id);
}

static void
add_cpus(SimMachine *machine, const SimMachineOptions *options)
{
  bool is_amd = g_strcmp0(options->driver, "amd-pstate") == 0;
  SimCpusOptions cpus = {.n_cpus = options->n_cpus, .has_epb = options->has_epb};

  cpus.vendor = is_amd ? "AuthenticAMD" : "GenuineIntel";
  cpus.flags = "fpu tsc msr constant_tsc aperfmperf";
  if (is_amd && options->has_cppc)
    cpus.flags = "fpu tsc msr constant_tsc aperfmperf cppc";
  else if (g_strcmp0(options->driver, "intel_pstate") == 0)
    cpus.flags = "fpu tsc msr constant_tsc aperfmperf hwp hwp_epp";
  machine->cpus = sim_cpus_new(machine->tree, &cpus);
  machine->cpufreq =
      sim_cpufreq_new(machine->tree, machine->cpus, is_amd ? 1 : options->cpus_per_policy);
  sim_cpus_set_changed(machine->cpus, on_cpu_changed, machine);
}

static void
add_driver(SimMachine *machine, const SimMachineOptions *options)
{
  if (g_strcmp0(options->driver, "amd-pstate") == 0)
    machine->amd = sim_amd_pstate_new(machine->tree, machine->cpufreq, machine->platform,
                                      machine->supplies, options->kernel, options->mode);
  else if (g_strcmp0(options->driver, "intel_pstate") == 0)
    machine->intel = sim_intel_pstate_new(machine->tree, machine->cpufreq, options->mode);
  else if (g_strcmp0(options->driver, "acpi-cpufreq") == 0)
    sim_cpufreq_set_driver(machine->cpufreq, &sim_acpi_cpufreq_driver, NULL);
}

static void
add_power(SimMachine *machine, const SimMachineOptions *options)
{
  machine->supplies = sim_supplies_new(machine->tree);
  sim_supplies_add(machine->supplies, "AC", "Mains");
  if (options->has_battery)
    sim_supplies_add(machine->supplies, "BAT0", "Battery");
  sim_supplies_set_changed(machine->supplies, on_power_changed, machine);
  if (options->has_powercap)
    machine->powercap = sim_powercap_new(machine->tree);
}

static void
add_platform(SimMachine *machine, const SimMachineOptions *options)
{
  machine->platform = sim_platform_new(machine->tree);
  machine->has_platform_class = options->has_platform_class;
  if (options->platform_choices)
    sim_platform_add_firmware(machine->platform, options->platform_choices,
                              machine->has_platform_class);
  if (options->platform_choices2)
    sim_platform_add_firmware(machine->platform, options->platform_choices2,
                              machine->has_platform_class);
}

SimMachine *
sim_machine_new(const SimMachineOptions *options, SimTree *tree)
{
  SimMachine *machine = g_new0(SimMachine, 1);

  machine->tree = tree;
  add_skeleton(tree);
  add_power(machine, options);
  add_platform(machine, options);
  add_cpus(machine, options);
  add_driver(machine, options);
  machine->epp_boost = sim_epp_boost_new(tree);
  if (options->has_epp_boost)
    sim_epp_boost_add(machine->epp_boost);
  return machine;
}

void
sim_machine_free(SimMachine *machine)
{
  sim_tree_remove(machine->tree, "/sys");
  sim_tree_remove(machine->tree, "/proc");
  g_clear_pointer(&machine->powercap, sim_powercap_free);
  sim_epp_boost_free(machine->epp_boost);
  sim_cpufreq_free(machine->cpufreq);
  g_clear_pointer(&machine->amd, sim_amd_pstate_free);
  g_clear_pointer(&machine->intel, sim_intel_pstate_free);
  sim_cpus_free(machine->cpus);
  sim_platform_free(machine->platform);
  sim_supplies_free(machine->supplies);
  g_free(machine);
}

static bool
say(char **error, const char *what)
{
  *error = g_strdup(what);
  return false;
}

/* What a write that stands for the command gave. */
static bool
check(int errnum, char **error)
{
  return errnum == 0 || say(error, g_strerror(errnum));
}

static bool
parse_number(const char *word, guint max, guint *number, char **error)
{
  guint64 value;

  if (sim_parse_unsigned(word, 10, max, &value) != 0) {
    *error = g_strdup_printf("'%s' is no number of 0 to %u", word, max);
    return false;
  }
  *number = (guint)value;
  return true;
}

static bool
command_cpu(SimMachine *machine, char **words, char **error)
{
  bool online = strcmp(words[2], "online") == 0;
  guint cpu;

  if (!online && strcmp(words[2], "offline") != 0)
    return say(error, "a CPU goes online or offline");
  return parse_number(words[1], G_MAXINT, &cpu, error) &&
         check(sim_cpus_set_online(machine->cpus, cpu, online), error);
}

static bool
command_mode(SimMachine *machine, char **words, char **error)
{
  if (machine->amd)
    return check(sim_amd_pstate_set_mode(machine->amd, words[1]), error);
  if (machine->intel)
    return check(sim_intel_pstate_set_mode(machine->intel, words[1]), error);
  return say(error, "the driver has no modes");
}

static bool
set_supply(SimSupplies *supplies, char **words)
{
  g_autofree char *text = g_strjoinv(" ", words + 4);

  return sim_supplies_set(supplies, words[1], words[3], text);
}

static bool
command_supply(SimMachine *machine, char **words, char **error)
{
  SimSupplies *supplies = machine->supplies;
  guint n_words = g_strv_length(words);
  const char *verb = words[2];
  guint online;

  if (strcmp(verb, "remove") == 0 && n_words == 3)
    return sim_supplies_remove(supplies, words[1]) || say(error, "there is no such supply");
  if (strcmp(verb, "add") == 0 && n_words == 4)
    return sim_supplies_add(supplies, words[1], words[3]) || say(error, "it can't be added");
  if (strcmp(verb, "online") == 0 && n_words == 4)
    return parse_number(words[3], 2, &online, error) &&
           (sim_supplies_set_online(supplies, words[1], words[3]) ||
            say(error, "there is no such supply, or it has no such file"));
  if (strcmp(verb, "set") == 0 && n_words >= 5)
    return set_supply(supplies, words) || say(error, "there is no such supply or file");
  return say(error, "supply NAME online 0|1|2, add TYPE, remove, set FILE TEXT");
}

static bool
command_platform(SimMachine *machine, char **words, char **error)
{
  g_autofree char *rest = g_strjoinv(" ", words + 2);

  if (strcmp(words[1], "firmware") == 0)
    return sim_platform_press_key(machine->platform, rest) ||
           say(error, "the firmware has no such profile");
  if (strcmp(words[1], "add") == 0)
    return sim_platform_add_firmware(machine->platform, rest, machine->has_platform_class) ||
           say(error, "these are no profiles");
  if (strcmp(words[1], "remove") == 0 && !words[2])
    return sim_platform_remove_firmware(machine->platform) || say(error, "there is no handler");
  return say(error, "platform firmware PROFILE, add CHOICES, remove");
}

static bool
command_suspend(SimMachine *machine, char **words, char **error)
{
  if (!check(sim_cpus_suspend(machine->cpus), error))
    return false;
  if (machine->amd)
    sim_amd_pstate_suspend(machine->amd);
  return true;
}

static bool
command_resume(SimMachine *machine, char **words, char **error)
{
  bool epp_performance = words[1] != NULL;

  if (epp_performance && strcmp(words[1], "epp-performance") != 0)
    return say(error, "resume takes epp-performance or nothing");
  if (!check(sim_cpus_resume(machine->cpus), error))
    return false;
  if (machine->amd)
    sim_amd_pstate_resume(machine->amd, epp_performance);
  if (machine->intel && epp_performance)
    sim_intel_pstate_lose_epp(machine->intel);
  return true;
}

static bool
command_epp_boost(SimMachine *machine, char **words, char **error)
{
  if (strcmp(words[1], "add") == 0)
    return sim_epp_boost_add(machine->epp_boost) || say(error, "it is there");
  if (strcmp(words[1], "remove") == 0)
    return sim_epp_boost_remove(machine->epp_boost) || say(error, "it is not there");
  return say(error, "epp_boost add or remove");
}

static bool
command_dynamic(SimMachine *machine, char **words, char **error)
{
  guint policy;

  if (!machine->amd)
    return say(error, "the driver is not amd-pstate");
  return parse_number(words[1], G_MAXINT, &policy, error) &&
         check(sim_amd_pstate_enter_dynamic(machine->amd, policy), error);
}

static bool
command_epp(SimMachine *machine, char **words, char **error)
{
  guint policy;
  guint epp;

  if (!machine->amd)
    return say(error, "the driver is not amd-pstate");
  return parse_number(words[1], G_MAXINT, &policy, error) &&
         parse_number(words[2], G_MAXUINT8, &epp, error) &&
         check(sim_amd_pstate_set_epp(machine->amd, policy, (guint8)epp), error);
}

static bool
command_powercap(SimMachine *machine, char **words, char **error)
{
  guint64 energy_uj;

  if (!machine->powercap)
    return say(error, "there is no powercap");
  if (strcmp(words[1], "use") != 0 ||
      sim_parse_unsigned(words[2], 10, SIM_POWERCAP_MAX_UJ, &energy_uj) != 0)
    return say(error, "powercap use UJ");
  sim_powercap_use(machine->powercap, energy_uj);
  return true;
}

static bool
command_set(SimMachine *machine, char **words, char **error)
{
  g_autofree char *text = g_strjoinv(" ", words + 2);

  return sim_tree_set_text(machine->tree, words[1], text) ||
         say(error, "there is no such constant file");
}

static const struct {
  const char *name;
  guint min_words; /* with the name */
  guint max_words;
  bool (*run)(SimMachine *machine, char **words, char **error);
} commands[] = {
    {"cpu", 3, 3, command_cpu},
    {"mode", 2, 2, command_mode},
    {"supply", 3, G_MAXUINT, command_supply},
    {"platform", 2, G_MAXUINT, command_platform},
    {"suspend", 1, 1, command_suspend},
    {"resume", 1, 2, command_resume},
    {"epp_boost", 2, 2, command_epp_boost},
    {"dynamic", 2, 2, command_dynamic},
    {"epp", 3, 3, command_epp},
    {"powercap", 3, 3, command_powercap},
    {"set", 3, G_MAXUINT, command_set},
};

bool
sim_machine_command(SimMachine *machine, const char *command, char **error)
{
  g_auto(GStrv) words = g_strsplit(command, " ", -1);
  guint n_words = g_strv_length(words);

  for (gsize i = 0; n_words > 0 && i < G_N_ELEMENTS(commands); i++) {
    if (strcmp(commands[i].name, words[0]) != 0)
      continue;
    if (n_words < commands[i].min_words || n_words > commands[i].max_words)
      return say(error, "too few or too many words");
    return commands[i].run(machine, words, error);
  }
  return say(error, "no such command");
}
