/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/boost-holds.h"

#include "base/error.h"

struct _EppdBoostHolds {
  GPtrArray *list; /* EppdBoostHold, oldest first; a few dozen at most, so that a scan will do */
};

static void
free_hold(gpointer data)
{
  EppdBoostHold *hold = data;

  g_free(hold->owner);
  g_free(hold->app_id);
  g_free(hold->reason);
  g_free(hold->cgroup);
  g_free(hold);
}

static EppdBoostHold *
copy_hold(const EppdBoostHold *hold)
{
  EppdBoostHold *copy = g_new(EppdBoostHold, 1);

  *copy = *hold;
  copy->owner = g_strdup(hold->owner);
  copy->app_id = g_strdup(hold->app_id);
  copy->reason = g_strdup(hold->reason);
  copy->cgroup = g_strdup(hold->cgroup);
  return copy;
}

EppdBoostHolds *
eppd_boost_holds_new(void)
{
  EppdBoostHolds *holds = g_new0(EppdBoostHolds, 1);

  holds->list = g_ptr_array_new_with_free_func(free_hold);
  return holds;
}

void
eppd_boost_holds_free(EppdBoostHolds *holds)
{
  g_ptr_array_unref(holds->list);
  g_free(holds);
}

const EppdBoostHold *
eppd_boost_holds_lookup(const EppdBoostHolds *holds, guint32 cookie)
{
  for (guint i = 0; i < holds->list->len; i++) {
    const EppdBoostHold *hold = holds->list->pdata[i];

    if (hold->cookie == cookie)
      return hold;
  }
  return NULL;
}

const EppdBoostHold *
eppd_boost_holds_of_app(const EppdBoostHolds *holds, guint64 cgroup_id)
{
  for (guint i = 0; i < holds->list->len; i++) {
    const EppdBoostHold *hold = holds->list->pdata[i];

    if (hold->has_app_place && hold->cgroup_id == cgroup_id)
      return hold;
  }
  return NULL;
}

/* The oldest come first, so that none that has a place loses it. */
static void
share_app_places(EppdBoostHolds *holds)
{
  g_autoptr(GHashTable) watched = g_hash_table_new(g_int64_hash, g_int64_equal);

  for (guint i = 0; i < holds->list->len; i++) {
    EppdBoostHold *hold = holds->list->pdata[i];

    hold->has_app_place = hold->trigger == EPPD_TRIGGER_APP && hold->cgroup_id != 0 &&
                          (g_hash_table_size(watched) < EPPD_APP_RULES_MAX ||
                           g_hash_table_contains(watched, &hold->cgroup_id));
    if (hold->has_app_place)
      g_hash_table_add(watched, &hold->cgroup_id);
  }
}

static guint
count_of_user(const EppdBoostHolds *holds, uid_t uid)
{
  guint n = 0;

  for (guint i = 0; i < holds->list->len; i++) {
    const EppdBoostHold *hold = holds->list->pdata[i];

    if (hold->uid == uid)
      n++;
  }
  return n;
}

const EppdBoostHold *
eppd_boost_holds_add(EppdBoostHolds *holds, const EppdBoostHold *hold, GError **error)
{
  EppdBoostHold *copy;

  if (hold->cookie == 0 || eppd_boost_holds_lookup(holds, hold->cookie)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_BUSY, "The cookie %u can't be used", hold->cookie);
    return NULL;
  }
  if (count_of_user(holds, hold->uid) >= EPPD_BOOST_HOLDS_PER_USER) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_LIMIT,
                "User %u has %d boost holds already, and may not have more", hold->uid,
                EPPD_BOOST_HOLDS_PER_USER);
    return NULL;
  }

  copy = copy_hold(hold);
  g_ptr_array_add(holds->list, copy);
  share_app_places(holds);
  return copy;
}

gboolean
eppd_boost_holds_release(EppdBoostHolds *holds, guint32 cookie, const char *owner, GError **error)
{
  const EppdBoostHold *hold = eppd_boost_holds_lookup(holds, cookie);

  if (!hold) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "No boost hold with cookie %u", cookie);
    return FALSE;
  }
  if (g_strcmp0(hold->owner, owner) != 0) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_DENIED,
                "The boost hold with cookie %u is another client's", cookie);
    return FALSE;
  }
  eppd_boost_holds_drop(holds, cookie);
  return TRUE;
}

bool
eppd_boost_holds_drop(EppdBoostHolds *holds, guint32 cookie)
{
  const EppdBoostHold *hold = eppd_boost_holds_lookup(holds, cookie);

  if (!hold)
    return false;
  g_ptr_array_remove(holds->list, (gpointer)hold);
  share_app_places(holds);
  return true;
}

guint
eppd_boost_holds_count(const EppdBoostHolds *holds)
{
  return holds->list->len;
}

const GPtrArray *
eppd_boost_holds_list(const EppdBoostHolds *holds)
{
  return holds->list;
}

EppdTrigger
eppd_boost_hold_effective_trigger(const EppdBoostHold *hold,
                                  bool source_knows_apps,
                                  const char **why)
{
  const char *obstacle = NULL;

  if (hold->trigger == EPPD_TRIGGER_APP && hold->cgroup_id == 0)
    obstacle = "the trigger app needs the application's cgroup, and the hold names none";
  else if (hold->trigger == EPPD_TRIGGER_APP && !source_knows_apps)
    obstacle = "the trigger app needs a residency source that can tell applications apart";
  else if (hold->trigger == EPPD_TRIGGER_APP && !hold->has_app_place)
    obstacle = "the trigger app watches " G_STRINGIFY(
        EPPD_APP_RULES_MAX) " cgroups at a time, and "
                            "earlier holds name as many others";

  if (why)
    *why = obstacle;
  return obstacle ? EPPD_TRIGGER_CORE : hold->trigger;
}

/* An app hold's own threshold is a share of its tasks' time: it says nothing about a core. */
static guint
core_threshold_percent(const EppdBoostHold *hold, guint default_percent)
{
  return hold->trigger == EPPD_TRIGGER_CORE && hold->threshold_percent > 0 ? hold->threshold_percent
                                                                           : default_percent;
}

guint
eppd_boost_holds_core_threshold_percent(const EppdBoostHolds *holds,
                                        guint default_percent,
                                        bool app_as_core)
{
  guint lowest_percent = G_MAXUINT;

  for (guint i = 0; i < holds->list->len; i++) {
    const EppdBoostHold *hold = holds->list->pdata[i];

    if (eppd_boost_hold_effective_trigger(hold, !app_as_core, NULL) == EPPD_TRIGGER_CORE)
      lowest_percent = MIN(lowest_percent, core_threshold_percent(hold, default_percent));
  }
  return lowest_percent == G_MAXUINT ? 0 : lowest_percent;
}

guint
eppd_boost_holds_app_rules(const EppdBoostHolds *holds,
                           guint default_percent,
                           EppdAppRule rules[EPPD_APP_RULES_MAX])
{
  guint n_rules = 0;

  for (guint i = 0; i < holds->list->len; i++) {
    const EppdBoostHold *hold = holds->list->pdata[i];
    guint percent = hold->threshold_percent > 0 ? hold->threshold_percent : default_percent;
    guint r = 0;

    if (!hold->has_app_place)
      continue;
    while (r < n_rules && rules[r].cgroup_id != hold->cgroup_id)
      r++;
    if (r == n_rules)
      rules[n_rules++] = (EppdAppRule){hold->cgroup_id, 10 * percent};
    else
      rules[r].threshold_permille = MIN(rules[r].threshold_permille, 10 * percent);
  }
  return n_rules;
}
