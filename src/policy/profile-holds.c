/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/profile-holds.h"

#include "base/error.h"

struct _EppdProfileHolds {
  GPtrArray *list; /* EppdProfileHold, oldest first; a few dozen at most, so that a scan will do */
};

void
eppd_profile_hold_free(EppdProfileHold *hold)
{
  g_free(hold->owner);
  g_free(hold->reason);
  g_free(hold->app_id);
  g_free(hold);
}

EppdProfileHold *
eppd_profile_hold_copy(const EppdProfileHold *hold)
{
  EppdProfileHold *copy = g_new(EppdProfileHold, 1);

  *copy = *hold;
  copy->owner = g_strdup(hold->owner);
  copy->reason = g_strdup(hold->reason);
  copy->app_id = g_strdup(hold->app_id);
  return copy;
}

EppdProfileHolds *
eppd_profile_holds_new(void)
{
  EppdProfileHolds *holds = g_new0(EppdProfileHolds, 1);

  holds->list = g_ptr_array_new_with_free_func((GDestroyNotify)eppd_profile_hold_free);
  return holds;
}

void
eppd_profile_holds_free(EppdProfileHolds *holds)
{
  g_ptr_array_unref(holds->list);
  g_free(holds);
}

static bool
find_cookie(const EppdProfileHolds *holds, guint32 cookie, guint *index)
{
  for (guint i = 0; i < holds->list->len; i++) {
    const EppdProfileHold *hold = holds->list->pdata[i];

    if (hold->cookie == cookie) {
      *index = i;
      return true;
    }
  }
  return false;
}

static guint
count_of_user(const EppdProfileHolds *holds, uid_t uid)
{
  guint n = 0;

  for (guint i = 0; i < holds->list->len; i++) {
    const EppdProfileHold *hold = holds->list->pdata[i];

    if (hold->uid == uid)
      n++;
  }
  return n;
}

gboolean
eppd_profile_holds_add(EppdProfileHolds *holds, const EppdProfileHold *hold, GError **error)
{
  guint index;

  if (hold->profile != EPPD_PROFILE_PERFORMANCE && hold->profile != EPPD_PROFILE_POWER_SAVER) {
    g_set_error_literal(error, EPPD_ERROR, EPPD_ERROR_INVALID,
                        "Only profiles 'performance' and 'power-saver' can be a hold profile");
    return FALSE;
  }
  if (count_of_user(holds, hold->uid) >= EPPD_PROFILE_HOLDS_PER_USER) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_LIMIT,
                "User %u has %d profile holds already, and may not have more", hold->uid,
                EPPD_PROFILE_HOLDS_PER_USER);
    return FALSE;
  }
  if (hold->cookie == 0 || find_cookie(holds, hold->cookie, &index)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_BUSY, "The cookie %u can't be used", hold->cookie);
    return FALSE;
  }

  g_ptr_array_add(holds->list, eppd_profile_hold_copy(hold));
  return TRUE;
}

static bool
is_owned_by(const EppdProfileHold *hold, const char *owner)
{
  return g_strcmp0(hold->owner, owner) == 0;
}

EppdProfileHold *
eppd_profile_holds_take(EppdProfileHolds *holds, guint32 cookie, const char *owner, GError **error)
{
  guint index;

  if (!find_cookie(holds, cookie, &index) || !is_owned_by(holds->list->pdata[index], owner)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "No hold with cookie %u", cookie);
    return NULL;
  }
  return g_ptr_array_steal_index(holds->list, index);
}

EppdProfileHold *
eppd_profile_holds_take_of_owner(EppdProfileHolds *holds, const char *owner)
{
  for (guint i = 0; i < holds->list->len; i++) {
    if (is_owned_by(holds->list->pdata[i], owner))
      return g_ptr_array_steal_index(holds->list, i);
  }
  return NULL;
}

EppdProfileHold *
eppd_profile_holds_take_first(EppdProfileHolds *holds)
{
  return holds->list->len > 0 ? g_ptr_array_steal_index(holds->list, 0) : NULL;
}

const GPtrArray *
eppd_profile_holds_list(const EppdProfileHolds *holds)
{
  return holds->list;
}

EppdProfile
eppd_profile_holds_effective(const EppdProfileHolds *holds, EppdProfile selected)
{
  EppdProfile effective = selected;

  for (guint i = 0; i < holds->list->len; i++) {
    const EppdProfileHold *hold = holds->list->pdata[i];

    if (hold->profile == EPPD_PROFILE_POWER_SAVER)
      return EPPD_PROFILE_POWER_SAVER;
    effective = hold->profile;
  }
  return effective;
}
