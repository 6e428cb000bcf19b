/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/bpf/app-watch.h"

#include "base/error.h"
#include "residency/bpf/bpf-error.h"
#include "residency/bpf/eppd-residency.h"

#include "eppd-residency.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

G_STATIC_ASSERT(EPPD_APP_RULES_MAX == EPPD_APPS_MAX);

struct _EppdAppWatch {
  struct eppd_residency *skeleton;
  struct bpf_link *switch_link;
  struct bpf_link *tick_link;
  EppdAppRule rules[EPPD_APP_RULES_MAX];
  guint n_rules;
  guint32 generation; /* of the rules that were written last */
};

static void
set_generation(EppdAppWatch *watch, guint32 generation)
{
  __atomic_store_n(&watch->skeleton->bss->rules.generation, generation, __ATOMIC_SEQ_CST);
}

static void
forget_rules(EppdAppWatch *watch)
{
  int numbers = bpf_map__fd(watch->skeleton->maps.app_numbers);

  set_generation(watch, 0);
  for (guint i = 0; i < watch->n_rules; i++) {
    __u64 cgroup = watch->rules[i].cgroup_id;

    bpf_map_delete_elem(numbers, &cgroup);
  }
  watch->n_rules = 0;
}

static gboolean
write_rules(EppdAppWatch *watch, const EppdAppRule *rules, guint n_rules, GError **error)
{
  int numbers = bpf_map__fd(watch->skeleton->maps.app_numbers);

  for (guint i = 0; i < n_rules; i++) {
    __u64 cgroup = rules[i].cgroup_id;
    __u32 number = i;
    int result = bpf_map_update_elem(numbers, &cgroup, &number, BPF_ANY);

    if (result < 0)
      return eppd_error_set_errno(error, -result, "Could not hand over the applications");
    watch->rules[watch->n_rules++] = rules[i];
    watch->skeleton->bss->rules.cgroup[i] = cgroup;
    watch->skeleton->bss->rules.threshold_permille[i] = rules[i].threshold_permille;
  }
  watch->generation = watch->generation == G_MAXUINT32 ? 1 : watch->generation + 1;
  set_generation(watch, watch->generation);
  return TRUE;
}

static gboolean
attach_one(struct bpf_program *program, struct bpf_link **link, GError **error)
{
  if (*link)
    return TRUE;
  eppd_bpf_error_listen();
  *link = bpf_program__attach(program);
  if (!*link)
    eppd_bpf_error_set(error, -errno, "Could not attach the BPF program for applications");
  return *link != NULL;
}

static bool
are_equal(const EppdAppWatch *watch, const EppdAppRule *rules, guint n_rules)
{
  if (n_rules != watch->n_rules)
    return false;
  for (guint i = 0; i < n_rules; i++) {
    if (rules[i].cgroup_id != watch->rules[i].cgroup_id ||
        rules[i].threshold_permille != watch->rules[i].threshold_permille)
      return false;
  }
  return true;
}

static void
stop(EppdAppWatch *watch)
{
  bpf_link__destroy(g_steal_pointer(&watch->switch_link));
  bpf_link__destroy(g_steal_pointer(&watch->tick_link));
  forget_rules(watch);
}

gboolean
eppd_app_watch_set(EppdAppWatch *watch, const EppdAppRule *rules, guint n_rules, GError **error)
{
  if (are_equal(watch, rules, n_rules))
    return TRUE;
  if (n_rules == 0) {
    stop(watch);
    return TRUE;
  }
  forget_rules(watch);
  if (!write_rules(watch, rules, n_rules, error) ||
      !attach_one(watch->skeleton->progs.on_switch_app, &watch->switch_link, error) ||
      !attach_one(watch->skeleton->progs.on_tick_app, &watch->tick_link, error)) {
    stop(watch);
    return FALSE;
  }
  return TRUE;
}

EppdAppWatch *
eppd_app_watch_new(struct eppd_residency *skeleton)
{
  EppdAppWatch *watch = g_new0(EppdAppWatch, 1);

  watch->skeleton = skeleton;
  return watch;
}

void
eppd_app_watch_free(EppdAppWatch *watch)
{
  if (!watch)
    return;
  stop(watch);
  g_free(watch);
}
