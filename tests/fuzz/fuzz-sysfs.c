/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes of any content: each adapter reads a tree of plain files, and writes what it may. */
#include "fuzz.h"

#include "base/text-file.h"
#include "hardware/amd-pstate.h"
#include "hardware/amdgpu.h"
#include "hardware/cpu-info.h"
#include "hardware/cpu-topology.h"
#include "hardware/cpufreq-policy.h"
#include "hardware/energy-perf-bias.h"
#include "hardware/intel-pstate.h"
#include "hardware/lap-mode.h"
#include "hardware/peripheral-charge.h"
#include "hardware/platform-profile.h"
#include "hardware/power-supply.h"
#include "scratch.h"

#define CPU     "sys/devices/system/cpu/"
#define POLICY  CPU "cpufreq/policy0/"
#define POLICY9 CPU "cpufreq/policy9/"
#define SUPPLY  "sys/class/power_supply/"
#define CLASS   "sys/class/platform-profile/platform-profile-"
#define DRM     "sys/class/drm/"

static const FuzzPlace places[] = {
    {"", POLICY "energy_performance_preference"},
    {"epp", POLICY "energy_performance_preference"},
    {"epps", POLICY "energy_performance_available_preferences"},
    {"governor", POLICY "scaling_governor"},
    {"driver", POLICY "scaling_driver"},
    {"affected", POLICY "affected_cpus"},
    {"related", POLICY "related_cpus"},
    {"boost", POLICY "boost"},
    {"min", POLICY "scaling_min_freq"},
    {"cpuinfo_min", POLICY "cpuinfo_min_freq"},
    {"affected9", POLICY9 "affected_cpus"},
    {"driver9", POLICY9 "scaling_driver"},
    {"status", CPU "amd_pstate/status"},
    {"dynamic_epp", CPU "amd_pstate/dynamic_epp"},
    {"epp_boost", "sys/module/amd_pstate/parameters/epp_boost"},
    {"no_turbo", CPU "intel_pstate/no_turbo"},
    {"turbo_pct", CPU "intel_pstate/turbo_pct"},
    {"siblings", CPU "cpu0/topology/thread_siblings_list"},
    {"epb0", CPU "cpu0/power/energy_perf_bias"},
    {"epb1", CPU "cpu1/power/energy_perf_bias"},
    {"cpuinfo", "proc/cpuinfo"},
    {"platform_profile", "sys/firmware/acpi/platform_profile"},
    {"platform_profile_choices", "sys/firmware/acpi/platform_profile_choices"},
    {"class0/profile", CLASS "0/profile"},
    {"class0/choices", CLASS "0/choices"},
    {"class1/profile", CLASS "1/profile"},
    {"class1/choices", CLASS "1/choices"},
    {"ac/type", SUPPLY "AC/type"},
    {"ac/online", SUPPLY "AC/online"},
    {"usb/type", SUPPLY "ucsi-source-psy-USBC000:001/type"},
    {"usb/online", SUPPLY "ucsi-source-psy-USBC000:001/online"},
    {"usb/role", SUPPLY "ucsi-source-psy-USBC000:001/device/typec/port0/power_role"},
    {"bat/type", SUPPLY "BAT0/type"},
    {"bat/scope", SUPPLY "BAT0/scope"},
    {"bat/charge_type", SUPPLY "BAT0/charge_type"},
    {"dytc_lapmode", "sys/devices/platform/thinkpad_acpi/dytc_lapmode"},
    {"panel/status", DRM "card0-eDP-1/status"},
    {"panel/savings", DRM "card0-eDP-1/amdgpu/panel_power_savings"},
    {"dpm", DRM "card0/device/power_dpm_force_performance_level"},
};

static void
write_epp(EppdCpufreqPolicy *policy, EppdEpp wanted)
{
  EppdEpp fitting = eppd_epp_fit(&wanted, eppd_cpufreq_policy_choices(policy), NULL);
  EppdEpp found;

  if (!eppd_cpufreq_policy_write_epp(policy, &fitting, NULL))
    return;
  found = eppd_cpufreq_policy_read_epp(policy, NULL);
  g_assert_true(eppd_epp_equal(&found, &fitting));
}

static void
use_policy(EppdCpufreqPolicy *policy)
{
  const EppdCpuList *cpus = eppd_cpufreq_policy_cpus(policy);
  g_autoptr(GError) error = NULL;
  EppdEpp epp = eppd_cpufreq_policy_read_epp(policy, &error);

  g_assert_cmpint(epp.kind == EPPD_EPP_UNKNOWN, ==, error != NULL);
  g_assert_cmpuint(cpus->n_cpus, >=, 1);
  g_assert_nonnull(eppd_cpufreq_policy_name(policy));
  g_assert_false(eppd_cpufreq_policy_has_new_driver(policy));
  write_epp(policy, eppd_epp_named(EPPD_EPP_BALANCE_PERFORMANCE));
  write_epp(policy, eppd_epp_raw(17));
  eppd_cpufreq_policy_went_offline(policy);
  eppd_cpufreq_policy_write_governor(policy, "powersave", NULL);
  eppd_cpufreq_policy_refresh_governor(policy);
  eppd_cpufreq_policy_governor_is_performance(policy);
  eppd_cpufreq_policy_write_core_boost(policy, 1, NULL);
  eppd_cpufreq_policy_write_min_freq_from(policy, "cpuinfo_min_freq", NULL);
  eppd_cpufreq_policy_refresh(policy);
}

static void
use_policies(EppdSysRoot *root)
{
  g_autoptr(GPtrArray) policies = eppd_cpufreq_policies_scan(root, NULL);

  for (guint i = 0; i < policies->len; i++)
    use_policy(policies->pdata[i]);
}

static void
use_cpus(EppdSysRoot *root)
{
  g_auto(EppdCpuList) siblings = {0};
  g_autofree char *vendor = eppd_cpu_info_value(root, "vendor_id");
  EppdAmdPstate pstate = {0};

  g_assert_cmpint(eppd_amdgpu_is_amd_machine(root), ==, g_strcmp0(vendor, "AuthenticAMD") == 0);
  eppd_amd_pstate_read(root, &pstate);
  eppd_amd_pstate_write_kernel_boost(root, !pstate.kernel_boost_on, NULL);
  eppd_amd_pstate_write_dynamic_epp(root, !pstate.dynamic_epp_on, NULL);
  eppd_amd_pstate_refresh(root, &pstate);
  eppd_amd_pstate_refresh_mode(root, &pstate);
  eppd_intel_pstate_turbo_is_off(root);
  eppd_cpu_topology_siblings(root, 0, &siblings);
  g_assert_true(eppd_cpu_list_contains(&siblings, 0));
  if (eppd_energy_perf_bias_is_present(root))
    eppd_energy_perf_bias_write_all(root, 6, NULL);
}

static void
use_platform(EppdSysRoot *root)
{
  g_autoptr(EppdPlatformProfile) platform = eppd_platform_profile_new(root);
  guint choices = eppd_platform_profile_choices(platform);
  EppdPlatformChoice choice;

  if (eppd_platform_profile_read(platform, &choice, NULL))
    g_assert_cmpuint(choice, <=, EPPD_PLATFORM_CUSTOM);
  for (choice = EPPD_PLATFORM_LOW_POWER; choice <= EPPD_PLATFORM_MAX_POWER; choice++) {
    EppdPlatformChoice found;

    if (!eppd_platform_profile_write(platform, choice, NULL))
      continue;
    g_assert_true(eppd_platform_profile_read(platform, &found, NULL));
    g_assert_cmpint(found, ==, choice);
  }
  if (eppd_platform_choices_are_usable(choices)) {
    for (EppdProfile profile = 0; profile < EPPD_N_PROFILES; profile++)
      g_assert_true(choices & (1u << eppd_platform_choice_for(choices, profile)));
  }
  eppd_platform_profile_refresh(platform);
}

static void
use_files(GPtrArray *paths)
{
  for (guint i = 0; i < paths->len; i++) {
    g_autofree char *text = eppd_text_file_read_line(paths->pdata[i], NULL);

    g_assert_true(!text || *text);
  }
}

static void
use_devices(EppdSysRoot *root)
{
  g_autoptr(GPtrArray) panels = eppd_amdgpu_panel_files(root);
  g_autoptr(GPtrArray) levels = eppd_amdgpu_dpm_files(root);
  g_autoptr(GPtrArray) chargers = eppd_peripheral_charge_files(root);
  bool on_lap;
  int lap = eppd_lap_mode_open(root, &on_lap);

  use_files(panels);
  use_files(levels);
  use_files(chargers);
  if (lap >= 0)
    close(lap);
  g_assert_cmpuint(eppd_power_supply_read(root), <, EPPD_N_POWER_SOURCES);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(fuzz_scratch());

  fuzz_clear();
  fuzz_write_files(data, size, places, G_N_ELEMENTS(places));
  use_policies(root);
  use_cpus(root);
  use_platform(root);
  use_devices(root);
  return 0;
}
