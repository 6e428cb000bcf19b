/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/managed-policy.h"
#include "hardware/amd-pstate.h"
#include "hardware/file-watch.h"
#include "policy/power-source.h"

/* The machine as it is controlled: its policies, and the facts beside them. */
typedef struct _EppdMachine EppdMachine;

/* Borrows all but @blocked_drivers (names of --block-driver, or NULL), whose policies are not
 * looked at. Scans at once. */
EppdMachine *eppd_machine_new(EppdSysRoot *root,
                              EppdJournal *journal,
                              EppdStatistics *statistics,
                              const EppdEpp *boost_epp,
                              const char *const *blocked_drivers);
void eppd_machine_free(EppdMachine *machine);

/* EppdManagedPolicy, in the order of their numbers; owned by @machine. */
GPtrArray *eppd_machine_policies(EppdMachine *machine);
const EppdAmdPstate *eppd_machine_amd_pstate(const EppdMachine *machine);
/* The policy that @cpu belongs to; NULL if there is none. */
EppdManagedPolicy *eppd_machine_policy_of_cpu(EppdMachine *machine, guint cpu);

/* Looks for policies that came, went, or changed their driver; those that stay keep what is known
 * of them. The boost must be disarmed. @all_new: the driver's mode changed, so that even a policy
 * that looks the same may have been made anew. True if a profile must be applied to new ones: see
 * eppd_machine_apply(). Where nobody can look (no descriptor left) all stays as it is. */
bool eppd_machine_rescan(EppdMachine *machine, bool all_new);
/* Whether the last rescan could not look, or not at all policies: to be tried again. */
bool eppd_machine_needs_rescan(const EppdMachine *machine);
/* A CPU came or went: a rescan is due, which finds its policy new. */
void eppd_machine_note_hotplug(EppdMachine *machine, guint cpu);
/* Governors, amd-pstate's files and what reads dynamic. True if these or a driver tell that a
 * rescan is due. */
bool eppd_machine_refresh(EppdMachine *machine);
/* The same of three files alone, however many policies there are: before a profile is applied,
 * which looks at each policy itself. */
bool eppd_machine_refresh_mode(EppdMachine *machine);
/* Policy @number's governor was written. */
void eppd_machine_note_governor_write(EppdMachine *machine, guint number);

/* The CPU's half of a profile, by power-profiles-daemon's names (policy/profile-drivers.h):
 * amd_pstate or intel_pstate where a policy takes EPP in active mode, intel_pstate also where there
 * is EPB alone. NULL: none. As of the last rescan. */
const char *eppd_machine_cpu_driver(const EppdMachine *machine);
/* Whether any CPU has Intel's energy performance bias, as of the last rescan. */
bool eppd_machine_has_bias(const EppdMachine *machine);
/* The driver that --block-driver keeps us from; NULL: none that is there. */
const char *eppd_machine_blocked_driver(const EppdMachine *machine);

guint eppd_machine_count_with_epp(EppdMachine *machine);
guint eppd_machine_count_governor_performance(EppdMachine *machine);
/* Those that read dynamic (7.3+), as of the last look. */
guint eppd_machine_count_dynamic(EppdMachine *machine);
/* Policies whose base is due, was refused, and can be tried again. */
guint eppd_machine_count_pending(EppdMachine *machine);
/* Of those, the ones that no news tells when: the governor performance, which refuses, is watched.
 */
guint eppd_machine_count_to_retry(EppdMachine *machine);

/* Applies @wish to every policy; what holds it already is written only where a rescan found it new.
 * @strict: the first policy that refuses ends it, and is the error. Else each failure is logged,
 * and the others go on. The journal is committed. */
gboolean eppd_machine_apply(EppdMachine *machine,
                            const EppdPolicyWish *wish,
                            bool strict,
                            GError **error);
/* The same for those that the last rescans found new: what others wrote into the rest stays. Best
 * effort. */
void eppd_machine_apply_to_new(EppdMachine *machine, const EppdPolicyWish *wish);
/* Only while armed, or with something still to restore, is the journal kept up to date with each
 * change of a base: it is written for all policies at once. To be called before anything is
 * boosted, which nothing may be where this fails. */
gboolean eppd_machine_arm(EppdMachine *machine, GError **error);
void eppd_machine_disarm(EppdMachine *machine);
/* The end of a take-over of 7.3+: what was dynamic is so again. */
void eppd_machine_give_back(EppdMachine *machine);
void eppd_machine_set_boost_epp(EppdMachine *machine, const EppdEpp *boost_epp);
/* Adds the CPUs whose policies hold the boost value. */
void eppd_machine_boosted_cpus(EppdMachine *machine, EppdCpuList *cpus);
void eppd_machine_retry_pending(EppdMachine *machine, gint64 now_usec);

/* Watches governors (tag: the policy's number), the driver's mode files, whose tag is
 * EPPD_MACHINE_TAG_MODE, and the kernel's own boost. NULL with @error where there is nothing to
 * watch with. */
#define EPPD_MACHINE_TAG_MODE         G_MAXUINT
#define EPPD_MACHINE_TAG_KERNEL_BOOST (G_MAXUINT - 1)
EppdFileWatch *eppd_machine_watch_files(EppdMachine *machine, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdMachine, eppd_machine_free)
