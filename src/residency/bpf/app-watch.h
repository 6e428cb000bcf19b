/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/app-rule.h"

struct eppd_residency;

/* The BPF programs that add up for how long applications run on each CPU, and the rules that they
 * go by. They are attached only while there is a rule. */
typedef struct _EppdAppWatch EppdAppWatch;

/* @skeleton is loaded, with these programs; borrowed. */
EppdAppWatch *eppd_app_watch_new(struct eppd_residency *skeleton);
void eppd_app_watch_free(EppdAppWatch *watch);

/* @rules are those from now on, at most EPPD_APP_RULES_MAX, each of another cgroup. Where they
 * differ from those that there were, all CPUs' windows start anew. On failure nothing is watched.
 */
gboolean eppd_app_watch_set(EppdAppWatch *watch,
                            const EppdAppRule *rules,
                            guint n_rules,
                            GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdAppWatch, eppd_app_watch_free)
