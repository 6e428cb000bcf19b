/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/machine.h"

#include "base/log.h"
#include "hardware/energy-perf-bias.h"
#include "policy/profile-drivers.h"

/* What a cpufreq driver is called by power-profiles-daemon. */
static const struct {
  const char *scaling_driver;
  const char *name;
} drivers[] = {
    {"amd-pstate-epp", EPPD_DRIVER_AMD_PSTATE},
    {"amd-pstate", EPPD_DRIVER_AMD_PSTATE},
    {"intel_pstate", EPPD_DRIVER_INTEL_PSTATE},
    {"intel_cpufreq", EPPD_DRIVER_INTEL_PSTATE},
};

struct _EppdMachine {
  EppdSysRoot *root;
  EppdJournal *journal;
  EppdStatistics *statistics;
  EppdEpp boost_epp;
  GPtrArray *policies;      /* EppdManagedPolicy */
  GHashTable *new_policies; /* those that the last rescan found new or changed: a set of
                               EppdManagedPolicy */
  EppdAmdPstate amd_pstate;
  GStrv blocked_drivers;
  const char *blocked; /* of those, the one that is there */
  const char *cpu_driver;
  bool has_bias; /* Intel's, on any CPU */
  bool is_armed;
  bool needs_rescan; /* the last one could not look… */
  bool all_new;      /* …and had to take all for new */
};

static const char *
driver_name(const char *scaling_driver)
{
  for (guint i = 0; i < G_N_ELEMENTS(drivers); i++) {
    if (g_strcmp0(drivers[i].scaling_driver, scaling_driver) == 0)
      return drivers[i].name;
  }
  return NULL;
}

static bool
is_blocked(const EppdMachine *machine, const char *driver)
{
  return driver && g_strv_contains((const char *const *)machine->blocked_drivers, driver);
}

/* The policies that we may touch. */
static GPtrArray *
scan(EppdMachine *machine, GError **error)
{
  g_autoptr(GPtrArray) found = eppd_cpufreq_policies_scan(machine->root, error);

  if (!found)
    return NULL;
  machine->blocked = NULL;
  for (guint i = found->len; i > 0; i--) {
    const char *driver = driver_name(eppd_cpufreq_policy_driver(found->pdata[i - 1]));

    if (!is_blocked(machine, driver))
      continue;
    machine->blocked = driver;
    g_ptr_array_remove_index(found, i - 1);
  }
  return g_steal_pointer(&found);
}

static void
look_for_drivers(EppdMachine *machine)
{
  machine->has_bias = !is_blocked(machine, EPPD_DRIVER_INTEL_PSTATE) &&
                      eppd_energy_perf_bias_is_present(machine->root);
  machine->cpu_driver = machine->has_bias ? EPPD_DRIVER_INTEL_PSTATE : NULL;
  for (guint i = 0; i < machine->policies->len; i++) {
    EppdManagedPolicy *policy = machine->policies->pdata[i];
    const char *driver =
        driver_name(eppd_cpufreq_policy_driver(eppd_managed_policy_hardware(policy)));

    if (driver && eppd_managed_policy_accepts_epp(policy)) {
      machine->cpu_driver = driver;
      return;
    }
  }
}

static guint
number_of(EppdManagedPolicy *policy)
{
  return eppd_cpufreq_policy_number(eppd_managed_policy_hardware(policy));
}

static EppdManagedPolicy *
find_number(GPtrArray *policies, guint number)
{
  guint low = 0;
  guint high = policies->len;

  while (low < high) {
    guint middle = low + (high - low) / 2;

    if (number_of(policies->pdata[middle]) < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low < policies->len && number_of(policies->pdata[low]) == number ? policies->pdata[low]
                                                                          : NULL;
}

/* The old list's policy of that number, taken out of its hands. */
static EppdManagedPolicy *
take_number(GPtrArray *policies, guint number)
{
  EppdManagedPolicy *policy = find_number(policies, number);
  guint index;

  if (!policy)
    return NULL;
  g_ptr_array_find(policies, policy, &index);
  return g_ptr_array_steal_index(policies, index);
}

/* Puts those @found, which it frees, in the place of what is known. */
static void
merge(EppdMachine *machine, GPtrArray *found, bool all_new)
{
  g_autoptr(GPtrArray) old = g_steal_pointer(&machine->policies);

  machine->policies = g_ptr_array_new_with_free_func((GDestroyNotify)eppd_managed_policy_free);
  g_ptr_array_set_free_func(found, NULL);
  for (guint i = 0; i < found->len; i++) {
    EppdCpufreqPolicy *hardware = found->pdata[i];
    EppdManagedPolicy *policy = take_number(old, eppd_cpufreq_policy_number(hardware));

    if (!policy) {
      policy = eppd_managed_policy_new(hardware, machine->journal, machine->statistics,
                                       &machine->boost_epp);
      g_hash_table_add(machine->new_policies, policy);
    } else {
      if (eppd_managed_policy_refresh(policy, hardware) || all_new)
        g_hash_table_add(machine->new_policies, policy);
    }
    g_ptr_array_add(machine->policies, policy);
  }
  for (guint i = 0; i < old->len; i++)
    g_hash_table_remove(machine->new_policies, old->pdata[i]);
}

static void
say_that_it_cannot_look(EppdMachine *machine, const char *why)
{
  eppd_log(machine->needs_rescan ? G_LOG_LEVEL_DEBUG : G_LOG_LEVEL_WARNING, "machine",
           "can't look for CPUs: %s; ignoring, what is known stays and is looked at again later",
           why);
}

static bool
any_is_unclear(const EppdMachine *machine)
{
  for (guint i = 0; i < machine->policies->len; i++) {
    if (eppd_cpufreq_policy_is_unclear(eppd_managed_policy_hardware(machine->policies->pdata[i])))
      return true;
  }
  return false;
}

bool
eppd_machine_rescan(EppdMachine *machine, bool all_new)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) found = scan(machine, &error);

  machine->all_new |= all_new;
  if (!found) {
    say_that_it_cannot_look(machine, error->message);
    machine->needs_rescan = true;
    return false;
  }
  merge(machine, found, machine->all_new);
  machine->needs_rescan = any_is_unclear(machine);
  machine->all_new = false;
  eppd_amd_pstate_read(machine->root, &machine->amd_pstate);
  /* To ask costs a write: only where the answer may be another. */
  if (g_hash_table_size(machine->new_policies) > 0 || machine->policies->len == 0)
    look_for_drivers(machine);
  return g_hash_table_size(machine->new_policies) > 0;
}

/* Whether the driver is another than @before told. */
static bool
is_other_mode(EppdMachine *machine, const EppdAmdPstate *before)
{
  if (before->present != machine->amd_pstate.present ||
      before->active != machine->amd_pstate.active)
    return true;
  /* Modes change for all policies at once: one tells for them all. */
  return machine->policies->len > 0 &&
         eppd_cpufreq_policy_has_new_driver(
             eppd_managed_policy_hardware(machine->policies->pdata[0]));
}

static bool
has_cpu(EppdManagedPolicy *policy, guint cpu)
{
  return eppd_cpu_list_contains(eppd_cpufreq_policy_cpus(eppd_managed_policy_hardware(policy)),
                                cpu);
}

EppdManagedPolicy *
eppd_machine_policy_of_cpu(EppdMachine *machine, guint cpu)
{
  /* Nearly always it is the one of its number: a storm of hotplug asks for every CPU. */
  EppdManagedPolicy *namesake = find_number(machine->policies, cpu);

  if (namesake && has_cpu(namesake, cpu))
    return namesake;
  for (guint i = 0; i < machine->policies->len; i++) {
    if (has_cpu(machine->policies->pdata[i], cpu))
      return machine->policies->pdata[i];
  }
  return NULL;
}

bool
eppd_machine_needs_rescan(const EppdMachine *machine)
{
  return machine->needs_rescan;
}

void
eppd_machine_note_hotplug(EppdMachine *machine, guint cpu)
{
  EppdManagedPolicy *policy = eppd_machine_policy_of_cpu(machine, cpu);

  if (policy)
    eppd_managed_policy_note_hotplug(policy);
}

bool
eppd_machine_refresh(EppdMachine *machine)
{
  EppdAmdPstate before = machine->amd_pstate;

  eppd_amd_pstate_refresh(machine->root, &machine->amd_pstate);
  for (guint i = 0; i < machine->policies->len; i++) {
    eppd_managed_policy_refresh_governor(machine->policies->pdata[i]);
    /* A kernel with the global file has no `dynamic` of single policies. */
    if (machine->amd_pstate.active && !machine->amd_pstate.has_dynamic_epp)
      eppd_managed_policy_refresh_dynamic(machine->policies->pdata[i]);
  }
  return is_other_mode(machine, &before);
}

bool
eppd_machine_refresh_mode(EppdMachine *machine)
{
  EppdAmdPstate before = machine->amd_pstate;

  eppd_amd_pstate_refresh_mode(machine->root, &machine->amd_pstate);
  return is_other_mode(machine, &before);
}

void
eppd_machine_note_governor_write(EppdMachine *machine, guint number)
{
  EppdManagedPolicy *policy = find_number(machine->policies, number);

  if (policy)
    eppd_managed_policy_note_governor_write(policy);
}

GPtrArray *
eppd_machine_policies(EppdMachine *machine)
{
  return machine->policies;
}

const EppdAmdPstate *
eppd_machine_amd_pstate(const EppdMachine *machine)
{
  return &machine->amd_pstate;
}

const char *
eppd_machine_cpu_driver(const EppdMachine *machine)
{
  return machine->cpu_driver;
}

bool
eppd_machine_has_bias(const EppdMachine *machine)
{
  return machine->has_bias;
}

const char *
eppd_machine_blocked_driver(const EppdMachine *machine)
{
  return machine->blocked;
}

/* How many policies with an EPP file satisfy @test (NULL: all of them). */
static guint
count_with_epp(EppdMachine *machine, bool (*test)(const EppdCpufreqPolicy *hardware))
{
  guint n = 0;

  for (guint i = 0; i < machine->policies->len; i++) {
    EppdCpufreqPolicy *hardware = eppd_managed_policy_hardware(machine->policies->pdata[i]);

    if (eppd_cpufreq_policy_is_online(hardware) && eppd_cpufreq_policy_has_epp(hardware) &&
        (!test || test(hardware)))
      n++;
  }
  return n;
}

guint
eppd_machine_count_with_epp(EppdMachine *machine)
{
  return count_with_epp(machine, NULL);
}

guint
eppd_machine_count_governor_performance(EppdMachine *machine)
{
  return count_with_epp(machine, eppd_cpufreq_policy_governor_is_performance);
}

guint
eppd_machine_count_dynamic(EppdMachine *machine)
{
  guint n = 0;

  for (guint i = 0; i < machine->policies->len; i++) {
    EppdManagedPolicy *policy = machine->policies->pdata[i];
    EppdCpufreqPolicy *hardware = eppd_managed_policy_hardware(policy);

    n += eppd_cpufreq_policy_is_online(hardware) && eppd_cpufreq_policy_has_epp(hardware) &&
         eppd_managed_policy_state(policy)->kernel_managed;
  }
  return n;
}

guint
eppd_machine_count_pending(EppdMachine *machine)
{
  guint n = 0;

  for (guint i = 0; i < machine->policies->len; i++)
    n += eppd_managed_policy_is_pending(machine->policies->pdata[i]);
  return n;
}

guint
eppd_machine_count_to_retry(EppdMachine *machine)
{
  guint n = 0;

  for (guint i = 0; i < machine->policies->len; i++) {
    EppdManagedPolicy *policy = machine->policies->pdata[i];

    n += eppd_managed_policy_is_pending(policy) &&
         !eppd_cpufreq_policy_governor_is_performance(eppd_managed_policy_hardware(policy));
  }
  return n;
}

static void
commit_journal(EppdMachine *machine)
{
  g_autoptr(GError) error = NULL;

  if (!eppd_journal_commit(machine->journal, &error))
    eppd_warning("journal", "%s; ignoring, nothing is boosted until it can be written",
                 error->message);
}

gboolean
eppd_machine_arm(EppdMachine *machine, GError **error)
{
  machine->is_armed = eppd_journal_commit(machine->journal, error);
  return machine->is_armed;
}

void
eppd_machine_disarm(EppdMachine *machine)
{
  machine->is_armed = false;
}

/* A kill in between must leave nothing static that nobody gives back. */
static void
prepare_take_over(EppdMachine *machine, const EppdPolicyWish *wish)
{
  bool any = false;

  if (!wish->take_over || wish->only_remember)
    return;
  for (guint i = 0; i < machine->policies->len; i++)
    any |= eppd_managed_policy_prepare_take_over(machine->policies->pdata[i], wish);
  if (any)
    commit_journal(machine);
}

void
eppd_machine_give_back(EppdMachine *machine)
{
  for (guint i = 0; i < machine->policies->len; i++) {
    EppdManagedPolicy *policy = machine->policies->pdata[i];

    if (eppd_managed_policy_state(policy)->taken_over &&
        eppd_cpufreq_policy_is_online(eppd_managed_policy_hardware(policy)))
      eppd_managed_policy_give_back(policy);
  }
}

static gboolean
apply(EppdMachine *machine, const EppdPolicyWish *wish, bool only_new, bool strict, GError **error)
{
  g_autoptr(GError) policy_error = NULL;

  prepare_take_over(machine, wish);
  for (guint i = 0; i < machine->policies->len && !policy_error; i++) {
    EppdManagedPolicy *policy = machine->policies->pdata[i];
    bool is_new = g_hash_table_contains(machine->new_policies, policy);
    bool was_refused = eppd_managed_policy_state(policy)->restore_pending;

    if (only_new && !is_new)
      continue;
    if (eppd_managed_policy_apply(policy, wish, is_new, &policy_error) || strict)
      continue;
    /* Each power source, profile and resume would say it again, for as long as it lasts. */
    eppd_log(was_refused ? G_LOG_LEVEL_DEBUG : G_LOG_LEVEL_WARNING,
             eppd_cpufreq_policy_name(eppd_managed_policy_hardware(policy)),
             "%s; ignoring, the others go on", policy_error->message);
    g_clear_error(&policy_error);
  }
  if (!policy_error)
    g_hash_table_remove_all(machine->new_policies);
  /* Else a crash would leave nothing that the journal must know the base of. */
  if (machine->is_armed || eppd_journal_has_policies(machine->journal))
    commit_journal(machine);
  if (!policy_error)
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&policy_error));
  return FALSE;
}

gboolean
eppd_machine_apply(EppdMachine *machine, const EppdPolicyWish *wish, bool strict, GError **error)
{
  return apply(machine, wish, false, strict, error);
}

void
eppd_machine_apply_to_new(EppdMachine *machine, const EppdPolicyWish *wish)
{
  apply(machine, wish, true, false, NULL);
}

void
eppd_machine_set_boost_epp(EppdMachine *machine, const EppdEpp *boost_epp)
{
  machine->boost_epp = *boost_epp;
  for (guint i = 0; i < machine->policies->len; i++)
    eppd_managed_policy_set_boost(machine->policies->pdata[i], boost_epp);
}

void
eppd_machine_boosted_cpus(EppdMachine *machine, EppdCpuList *cpus)
{
  for (guint i = 0; i < machine->policies->len; i++) {
    EppdManagedPolicy *policy = machine->policies->pdata[i];
    const EppdCpuList *own = eppd_cpufreq_policy_cpus(eppd_managed_policy_hardware(policy));

    for (guint c = 0; eppd_managed_policy_state(policy)->boosted && c < own->n_cpus; c++)
      eppd_cpu_list_add(cpus, own->cpus[c]);
  }
}

void
eppd_machine_retry_pending(EppdMachine *machine, gint64 now_usec)
{
  for (guint i = 0; i < machine->policies->len; i++)
    eppd_managed_policy_retry(machine->policies->pdata[i], now_usec);
}

EppdFileWatch *
eppd_machine_watch_files(EppdMachine *machine, GError **error)
{
  g_autoptr(EppdFileWatch) watch = eppd_file_watch_new(error);
  g_autofree char *mode_path = eppd_amd_pstate_status_path(machine->root);
  g_autofree char *intel_mode_path =
      eppd_sys_root_path(machine->root, "/sys/devices/system/cpu/intel_pstate/status");
  g_autofree char *boost_path =
      eppd_sys_root_path(machine->root, "%s", EPPD_AMD_PSTATE_KERNEL_BOOST_FILE);
  g_autofree char *dynamic_path =
      eppd_sys_root_path(machine->root, "%s", EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE);

  if (!watch)
    return NULL;
  /* Files that are not there have nothing to tell. */
  eppd_file_watch_add(watch, mode_path, EPPD_MACHINE_TAG_MODE, NULL);
  eppd_file_watch_add(watch, intel_mode_path, EPPD_MACHINE_TAG_MODE, NULL);
  eppd_file_watch_add(watch, boost_path, EPPD_MACHINE_TAG_KERNEL_BOOST, NULL);
  eppd_file_watch_add(watch, dynamic_path, EPPD_MACHINE_TAG_MODE, NULL);
  for (guint i = 0; i < machine->policies->len; i++) {
    EppdCpufreqPolicy *hardware = eppd_managed_policy_hardware(machine->policies->pdata[i]);

    eppd_file_watch_add(watch, eppd_cpufreq_policy_governor_path(hardware),
                        eppd_cpufreq_policy_number(hardware), NULL);
  }
  return g_steal_pointer(&watch);
}

EppdMachine *
eppd_machine_new(EppdSysRoot *root,
                 EppdJournal *journal,
                 EppdStatistics *statistics,
                 const EppdEpp *boost_epp,
                 const char *const *blocked_drivers)
{
  static const char *const none[] = {NULL};
  EppdMachine *machine = g_new0(EppdMachine, 1);

  machine->blocked_drivers = g_strdupv((char **)(blocked_drivers ? blocked_drivers : none));
  machine->root = root;
  machine->journal = journal;
  machine->statistics = statistics;
  machine->boost_epp = *boost_epp;
  machine->policies = g_ptr_array_new_with_free_func((GDestroyNotify)eppd_managed_policy_free);
  machine->new_policies = g_hash_table_new(NULL, NULL);
  eppd_machine_rescan(machine, true);
  return machine;
}

void
eppd_machine_free(EppdMachine *machine)
{
  g_hash_table_unref(machine->new_policies);
  g_ptr_array_unref(machine->policies);
  g_strfreev(machine->blocked_drivers);
  g_free(machine);
}
