/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/cpu-list.h"
#include "base/sys-root.h"
#include "policy/epp.h"

/* One /sys/devices/system/cpu/cpufreq/policyN. What a profile switches stays open
 * (hardware/attribute.h): an edge costs one pread and one pwrite. */
typedef struct _EppdCpufreqPolicy EppdCpufreqPolicy;

/* The number of a policy by its name: "policy" and N as the kernel writes it, below EPPD_CPU_MAX
 * ("policy007" and "policy+7" are no policies). */
bool eppd_cpufreq_policy_parse_name(const char *name, guint *number);

/* The numbers of the policies, ascending: a GArray of guint, owned by the caller. Directories named
 * policyN alone count. Empty where there is no cpufreq; NULL with @error where there is and it
 * can't be read (EPPD_ERROR_LIMIT: no descriptor is left). */
GArray *eppd_cpufreq_policy_numbers(EppdSysRoot *root, GError **error);

/* All policies, ascending by number. A policy whose files are odd is still there, with what could
 * be read. No cpufreq directory: an empty array. NULL with @error as above, also where the
 * descriptors did not do for all of them: what is there can't be told then. Owned by the caller;
 * frees the policies with it. */
GPtrArray *eppd_cpufreq_policies_scan(EppdSysRoot *root, GError **error);

EppdCpufreqPolicy *eppd_cpufreq_policy_new(EppdSysRoot *root, guint number);
void eppd_cpufreq_policy_free(EppdCpufreqPolicy *policy);

/* Reads all but the EPP again (CPUs, driver, governor, choices), and opens the EPP file again. */
void eppd_cpufreq_policy_refresh(EppdCpufreqPolicy *policy);
/* The same with what @fresh, of the same number, has just read; frees that. True if its directory
 * is another than the last one seen: the kernel removed the policy meanwhile and made it anew. */
bool eppd_cpufreq_policy_take(EppdCpufreqPolicy *policy, EppdCpufreqPolicy *fresh);
/* Reads the governor again. */
void eppd_cpufreq_policy_refresh_governor(EppdCpufreqPolicy *policy);

/* Whether scaling_driver reads another name now than at the last refresh; false if it can't be
 * read. */
bool eppd_cpufreq_policy_has_new_driver(const EppdCpufreqPolicy *policy);
/* Whether the kernel has made it anew since the last refresh. */
bool eppd_cpufreq_policy_is_remade(const EppdCpufreqPolicy *policy);
/* Whether it is offline now, whatever it was at the last refresh: a policy that goes refuses writes
 * before anything tells of it. */
bool eppd_cpufreq_policy_went_offline(const EppdCpufreqPolicy *policy);

guint eppd_cpufreq_policy_number(const EppdCpufreqPolicy *policy);
/* "policyN" */
const char *eppd_cpufreq_policy_name(const EppdCpufreqPolicy *policy);
/* affected_cpus (online), or related_cpus where that is missing or empty; the policy's own number
 * where neither can be read. */
const EppdCpuList *eppd_cpufreq_policy_cpus(const EppdCpufreqPolicy *policy);
/* Whether any of its CPUs is online (affected_cpus is there and not empty). */
bool eppd_cpufreq_policy_is_online(const EppdCpufreqPolicy *policy);
/* Whether the last look met an error that says nothing of that (EIO, EINVAL), so that it seems
 * offline: no uevent will tell otherwise. */
bool eppd_cpufreq_policy_is_unclear(const EppdCpufreqPolicy *policy);
/* NULL where unreadable. */
const char *eppd_cpufreq_policy_driver(const EppdCpufreqPolicy *policy);
const char *eppd_cpufreq_policy_governor(const EppdCpufreqPolicy *policy);
bool eppd_cpufreq_policy_governor_is_performance(const EppdCpufreqPolicy *policy);
/* Whether it has an EPP file to be used: none in passive mode. */
bool eppd_cpufreq_policy_has_epp(const EppdCpufreqPolicy *policy);
/* Names listed; accepts_raw by list ("custom") or driver (intel_pstate). */
const EppdEppChoices *eppd_cpufreq_policy_choices(const EppdCpufreqPolicy *policy);
/* The path of scaling_governor, for watching. */
const char *eppd_cpufreq_policy_governor_path(const EppdCpufreqPolicy *policy);

/* What the EPP file holds; UNKNOWN with @error (may be NULL) where it can't be read. */
EppdEpp eppd_cpufreq_policy_read_epp(EppdCpufreqPolicy *policy, GError **error);
/* One pwrite. The error's code tells BUSY (governor, dynamic EPP), INVALID, GONE, and its message
 * names the file. */
gboolean eppd_cpufreq_policy_write_epp(EppdCpufreqPolicy *policy,
                                       const EppdEpp *epp,
                                       GError **error);

/* The rest of a profile; each writes only a value that differs. GONE where there is no such file.
 * Core boost: 0 or 1. */
gboolean eppd_cpufreq_policy_write_governor(EppdCpufreqPolicy *policy,
                                            const char *governor,
                                            GError **error);
gboolean eppd_cpufreq_policy_write_core_boost(EppdCpufreqPolicy *policy, int on, GError **error);
/* scaling_min_freq from the text of @source_file ("cpuinfo_min_freq",
 * "amd_pstate_lowest_nonlinear_freq"), which is read once a refresh: it belongs to the hardware. */
gboolean eppd_cpufreq_policy_write_min_freq_from(EppdCpufreqPolicy *policy,
                                                 const char *source_file,
                                                 GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdCpufreqPolicy, eppd_cpufreq_policy_free)
