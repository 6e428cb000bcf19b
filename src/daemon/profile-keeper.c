/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/profile-keeper.h"

#include "base/error.h"
#include "base/log.h"
#include "base/printable.h"
#include "daemon/cookie.h"
#include "daemon/state.h"

struct _EppdProfileKeeper {
  EppdClients *clients;
  char *state_dir;
  EppdState *state;           /* its profile is the last one that was chosen */
  bool is_saved;              /* the file says what the state does */
  EppdProfileDrivers drivers; /* none before set_drivers(): no profile is available */
  bool is_choice_used;        /* the state's profile is selected, and not the default */
  EppdProfile selected;       /* in effect while nothing is held */
  EppdProfileHolds *holds;
  bool firmware_leads; /* it chose over the holds, and is followed until those change */
  EppdProfileKeeperListener listener;
  gpointer data;
};

/* ---- what is ---- */

const EppdProfileDrivers *
eppd_profile_keeper_drivers(const EppdProfileKeeper *keeper)
{
  return &keeper->drivers;
}

EppdProfile
eppd_profile_keeper_active(const EppdProfileKeeper *keeper)
{
  return keeper->firmware_leads ? keeper->selected
                                : eppd_profile_holds_effective(keeper->holds, keeper->selected);
}

const GPtrArray *
eppd_profile_keeper_holds(const EppdProfileKeeper *keeper)
{
  return eppd_profile_holds_list(keeper->holds);
}

bool
eppd_profile_keeper_battery_aware(const EppdProfileKeeper *keeper)
{
  return keeper->state->battery_aware;
}

bool
eppd_profile_keeper_action(const EppdProfileKeeper *keeper, const char *name, bool *enabled)
{
  return eppd_state_action(keeper->state, name, enabled);
}

static bool
is_available(const EppdProfileKeeper *keeper, EppdProfile profile)
{
  return eppd_profile_is_available(&keeper->drivers, profile);
}

/* ---- what stays ---- */

/* Whatever could not be saved before is saved with it. */
static void
save_if(EppdProfileKeeper *keeper, bool changed)
{
  g_autoptr(GError) error = NULL;

  if (!changed && keeper->is_saved)
    return;
  keeper->is_saved = eppd_state_save(keeper->state, keeper->state_dir, &error);
  if (!keeper->is_saved)
    eppd_warning("state", "%s; ignoring, but the next start will not know of it", error->message);
}

void
eppd_profile_keeper_set_battery_aware(EppdProfileKeeper *keeper, bool battery_aware)
{
  save_if(keeper, eppd_state_set_battery_aware(keeper->state, battery_aware));
}

void
eppd_profile_keeper_set_action(EppdProfileKeeper *keeper, const char *name, bool enabled)
{
  save_if(keeper, eppd_state_set_action(keeper->state, name, enabled));
}

/* ---- what changes ---- */

static GPtrArray *
new_hold_list(void)
{
  return g_ptr_array_new_with_free_func((GDestroyNotify)eppd_profile_hold_free);
}

/* The listener may look at the keeper from within: all is as it will be by now. */
static void
tell_released(EppdProfileKeeper *keeper, const GPtrArray *released, const char *why)
{
  for (guint i = 0; i < released->len; i++) {
    const EppdProfileHold *hold = released->pdata[i];

    eppd_info("profile", "the hold of %s by '%s' ends: %s", eppd_profile_text(hold->profile),
              hold->app_id, why);
    keeper->listener.released(hold, keeper->data);
    eppd_clients_unref(keeper->clients, hold->owner);
  }
}

static void
tell(EppdProfileKeeper *keeper, const GPtrArray *released, bool profile_changed, const char *why)
{
  tell_released(keeper, released, why);
  if (profile_changed || released->len > 0)
    keeper->listener.changed(keeper->data);
}

static GPtrArray *
take_all(EppdProfileKeeper *keeper)
{
  GPtrArray *taken = new_hold_list();
  EppdProfileHold *hold;

  while ((hold = eppd_profile_holds_take_first(keeper->holds)))
    g_ptr_array_add(taken, hold);
  return taken;
}

/* @before was in effect when the holds were still there. */
static void
holds_ended(EppdProfileKeeper *keeper,
            const GPtrArray *released,
            EppdProfile before,
            const char *why)
{
  EppdProfile active;

  if (released->len > 0)
    keeper->firmware_leads = false;
  active = eppd_profile_keeper_active(keeper);
  if (active != before)
    keeper->listener.apply(active, false, keeper->data, NULL);
  tell(keeper, released, active != before, why);
}

gboolean
eppd_profile_keeper_release(EppdProfileKeeper *keeper,
                            guint32 cookie,
                            const char *owner,
                            GError **error)
{
  EppdProfile before = eppd_profile_keeper_active(keeper);
  EppdProfileHold *hold = eppd_profile_holds_take(keeper->holds, cookie, owner, error);
  g_autoptr(GPtrArray) released = new_hold_list();

  if (!hold)
    return FALSE;
  g_ptr_array_add(released, hold);
  holds_ended(keeper, released, before, "released");
  return TRUE;
}

void
eppd_profile_keeper_drop_owner(EppdProfileKeeper *keeper, const char *owner)
{
  EppdProfile before = eppd_profile_keeper_active(keeper);
  g_autoptr(GPtrArray) released = new_hold_list();
  EppdProfileHold *hold;

  while ((hold = eppd_profile_holds_take_of_owner(keeper->holds, owner)))
    g_ptr_array_add(released, hold);
  holds_ended(keeper, released, before, "its owner left the bus");
}

void
eppd_profile_keeper_end_holds(EppdProfileKeeper *keeper)
{
  EppdProfile before = eppd_profile_keeper_active(keeper);
  g_autoptr(GPtrArray) released = take_all(keeper);

  if (released->len == 0)
    return;
  keeper->firmware_leads = false;
  if (keeper->selected != before)
    keeper->listener.apply(keeper->selected, false, keeper->data, NULL);
  /* To all others it is no news that there will be no eppd. */
  tell_released(keeper, released, "eppd ends");
}

/* Draws the hold's cookie. */
static gboolean
add_hold(EppdProfileKeeper *keeper, EppdProfileHold *hold, GError **error)
{
  g_autoptr(GError) refusal = NULL;

  do {
    g_clear_error(&refusal);
    hold->cookie = eppd_cookie_draw();
    if (eppd_profile_holds_add(keeper->holds, hold, &refusal))
      return TRUE;
  } while (g_error_matches(refusal, EPPD_ERROR, EPPD_ERROR_BUSY));
  g_propagate_error(error, g_steal_pointer(&refusal));
  return FALSE;
}

/* Adds the hold and carries out what it changes, or neither. */
static gboolean
put_in_effect(EppdProfileKeeper *keeper, EppdProfileHold *hold, GError **error)
{
  EppdProfile before = eppd_profile_keeper_active(keeper);
  bool firmware_led = keeper->firmware_leads;
  EppdProfile active;

  if (!eppd_clients_is_alive(keeper->clients, hold->owner)) {
    g_set_error_literal(error, EPPD_ERROR, EPPD_ERROR_GONE, "The caller has left the bus");
    return FALSE;
  }
  if (!add_hold(keeper, hold, error))
    return FALSE;
  keeper->firmware_leads = false;
  active = eppd_profile_keeper_active(keeper);
  if (active != before && !keeper->listener.apply(active, true, keeper->data, error)) {
    keeper->firmware_leads = firmware_led;
    eppd_profile_hold_free(eppd_profile_holds_take(keeper->holds, hold->cookie, hold->owner, NULL));
    return FALSE;
  }
  return TRUE;
}

gboolean
eppd_profile_keeper_hold(EppdProfileKeeper *keeper,
                         const char *owner,
                         uid_t uid,
                         const char *name,
                         const char *reason,
                         const char *app_id,
                         guint via,
                         guint32 *cookie,
                         GError **error)
{
  g_autofree char *reason_cut = eppd_utf8_cut(reason, EPPD_GIVEN_TEXT_MAX);
  g_autofree char *app_id_cut = eppd_utf8_cut(app_id, EPPD_GIVEN_TEXT_MAX);
  EppdProfileHold hold = {
      .owner = (char *)owner,
      .uid = uid,
      .reason = reason_cut,
      .app_id = app_id_cut,
      .via = via,
  };

  /* An unknown name is refused by the table, with the same words as balanced. */
  if (!eppd_profile_parse(name, &hold.profile))
    hold.profile = EPPD_PROFILE_BALANCED;
  if (!is_available(keeper, hold.profile)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID,
                "Cannot hold profile '%s' as it is not available", eppd_profile_text(hold.profile));
    return FALSE;
  }

  eppd_clients_ref(keeper->clients, owner);
  if (!put_in_effect(keeper, &hold, error)) {
    eppd_clients_unref(keeper->clients, owner);
    return FALSE;
  }
  eppd_info("profile", "'%s' (%s) holds %s: %s", app_id_cut, owner, eppd_profile_text(hold.profile),
            reason_cut);
  *cookie = hold.cookie;
  keeper->listener.changed(keeper->data);
  return TRUE;
}

/* @profile is in effect already; now it is so by choice. */
static void
remember_choice(EppdProfileKeeper *keeper, EppdProfile profile, const char *who)
{
  keeper->selected = profile;
  keeper->is_choice_used = true;
  eppd_info("profile", "%s chose %s", who, eppd_profile_text(profile));
  save_if(keeper, eppd_state_choose(keeper->state, profile, &keeper->drivers));
}

static void
chosen_by_user(EppdProfileKeeper *keeper, EppdProfile profile)
{
  EppdProfile before = eppd_profile_keeper_active(keeper);
  g_autoptr(GPtrArray) released = take_all(keeper);

  keeper->firmware_leads = false;
  remember_choice(keeper, profile, "the user");
  tell(keeper, released, profile != before, "a profile was chosen");
}

gboolean
eppd_profile_keeper_select(EppdProfileKeeper *keeper, const char *name, GError **error)
{
  g_autofree char *shown = eppd_utf8_cut(name, EPPD_GIVEN_TEXT_MAX);
  EppdProfile profile;

  if (!eppd_profile_parse(name, &profile)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_FAILED, "Invalid profile name '%s'", shown);
    return FALSE;
  }
  if (!is_available(keeper, profile)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_FAILED, "Cannot switch to unavailable profile '%s'",
                shown);
    return FALSE;
  }
  if (!keeper->listener.apply(profile, true, keeper->data, error))
    return FALSE;
  chosen_by_user(keeper, profile);
  return TRUE;
}

void
eppd_profile_keeper_follow(EppdProfileKeeper *keeper, EppdProfile profile)
{
  EppdProfile before = eppd_profile_keeper_active(keeper);

  if (!is_available(keeper, profile)) {
    eppd_info("profile", "the firmware chose %s, which no driver does; ignoring",
              eppd_profile_text(profile));
    return;
  }
  keeper->listener.apply(profile, false, keeper->data, NULL);
  keeper->firmware_leads = eppd_profile_keeper_holds(keeper)->len > 0;
  remember_choice(keeper, profile, "the firmware");
  if (profile != before)
    keeper->listener.changed(keeper->data);
}

static GPtrArray *
take_unavailable(EppdProfileKeeper *keeper)
{
  const GPtrArray *list = eppd_profile_keeper_holds(keeper);
  GPtrArray *taken = new_hold_list();
  guint i = 0;

  while (i < list->len) {
    const EppdProfileHold *hold = list->pdata[i];

    if (is_available(keeper, hold->profile))
      i++;
    else
      g_ptr_array_add(taken,
                      eppd_profile_holds_take(keeper->holds, hold->cookie, hold->owner, NULL));
  }
  return taken;
}

static bool
are_same(const EppdProfileDrivers *drivers, const EppdProfileDrivers *others)
{
  return g_strcmp0(drivers->cpu, others->cpu) == 0 &&
         g_strcmp0(drivers->platform, others->platform) == 0;
}

void
eppd_profile_keeper_set_drivers(EppdProfileKeeper *keeper,
                                const EppdProfileDrivers *drivers,
                                EppdProfile default_profile)
{
  EppdProfile before = eppd_profile_keeper_active(keeper);
  bool are_new = !are_same(drivers, &keeper->drivers);
  g_autoptr(GPtrArray) released = NULL;
  EppdProfile active;

  keeper->drivers = *drivers;
  if (eppd_state_matches(keeper->state, drivers))
    keeper->is_choice_used = true;
  keeper->selected = keeper->is_choice_used ? keeper->state->profile : default_profile;
  if (!is_available(keeper, keeper->selected))
    keeper->selected = EPPD_PROFILE_BALANCED;
  released = take_unavailable(keeper);
  if (released->len > 0)
    keeper->firmware_leads = false;

  active = eppd_profile_keeper_active(keeper);
  if (are_new || active != before)
    keeper->listener.apply(active, false, keeper->data, NULL);
  tell(keeper, released, active != before, "no driver does this profile any more");
}

EppdProfileKeeper *
eppd_profile_keeper_new(EppdClients *clients,
                        const char *state_dir,
                        const char *import_file,
                        const EppdProfileKeeperListener *listener,
                        gpointer data)
{
  EppdProfileKeeper *keeper = g_new0(EppdProfileKeeper, 1);

  keeper->clients = clients;
  keeper->state_dir = g_strdup(state_dir);
  keeper->state = eppd_state_load(state_dir, import_file);
  keeper->selected = EPPD_PROFILE_BALANCED;
  keeper->holds = eppd_profile_holds_new();
  keeper->listener = *listener;
  keeper->data = data;
  keeper->is_saved = true;
  save_if(keeper, keeper->state->is_imported);
  return keeper;
}

void
eppd_profile_keeper_free(EppdProfileKeeper *keeper)
{
  const GPtrArray *holds = eppd_profile_keeper_holds(keeper);

  for (guint i = 0; i < holds->len; i++) {
    const EppdProfileHold *hold = holds->pdata[i];

    eppd_clients_unref(keeper->clients, hold->owner);
  }
  eppd_profile_holds_free(keeper->holds);
  eppd_state_free(keeper->state);
  g_free(keeper->state_dir);
  g_free(keeper);
}
