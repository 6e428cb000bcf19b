/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/game-keeper.h"

#include "agent/hold-link.h"
#include "agent/roster.h"
#include "agent/session-watch.h"
#include "base/log.h"

/* One game that runs. */
typedef struct {
  char *app_id;
  pid_t pid; /* of the process whose end is the game's; 0: there is none */
  guint64 start_ticks;
  guint run; /* of the unit */
  GVariant *boost_parameters;
  EppdLinkHold *boost;
  GVariant *profile_parameters; /* NULL: it wants none, and the next is NULL too */
  EppdLinkHold *profile;
  bool is_wanted; /* while an update runs */
} Held;

struct _EppdGameKeeper {
  GDBusConnection *bus;
  EppdHoldLink *boost;
  EppdHoldLink *profiles;
  GHashTable *games;               /* key → Held */
  EppdSessionWatch *session_watch; /* since something was refused */
};

static const EppdHoldService boost_service = {
    .topic = "boost",
    .name = "org.eppd.Eppd1",
    .path = "/org/eppd/Eppd1",
    .interface = "org.eppd.Eppd1",
    .hold_method = "HoldBoost",
    .release_method = "ReleaseBoost",
};

static const EppdHoldService profile_service = {
    .topic = "profile",
    .name = "org.freedesktop.UPower.PowerProfiles",
    .path = "/org/freedesktop/UPower/PowerProfiles",
    .interface = "org.freedesktop.UPower.PowerProfiles",
    .hold_method = "HoldProfile",
    .release_method = "ReleaseProfile",
    .released_signal = "ProfileReleased",
    .probe_property = "ActiveProfile",
};

static void
release_boost(Held *held)
{
  g_clear_pointer(&held->boost, eppd_hold_link_release);
  g_clear_pointer(&held->boost_parameters, g_variant_unref);
}

static void
release_profile(Held *held)
{
  g_clear_pointer(&held->profile, eppd_hold_link_release);
  g_clear_pointer(&held->profile_parameters, g_variant_unref);
}

static void
held_free(gpointer data)
{
  Held *held = data;

  release_boost(held);
  release_profile(held);
  g_free(held->app_id);
  g_free(held);
}

/* ---- what is asked for ---- */

static GVariant *
boost_parameters(const EppdGame *game)
{
  GVariantBuilder options;

  g_variant_builder_init(&options, G_VARIANT_TYPE_VARDICT);
  if (game->cgroup)
    g_variant_builder_add(&options, "{sv}", "cgroup", g_variant_new_string(game->cgroup));
  if (game->process)
    g_variant_builder_add(&options, "{sv}", "pidfd", g_variant_new_handle(0));
  if (game->keys.has_trigger)
    g_variant_builder_add(&options, "{sv}", "trigger",
                          g_variant_new_string(eppd_trigger_text(game->keys.trigger)));
  if (game->keys.threshold_percent > 0)
    g_variant_builder_add(&options, "{sv}", "threshold-percent",
                          g_variant_new_uint32(game->keys.threshold_percent));
  return g_variant_ref_sink(g_variant_new("(ssa{sv})", game->app_id, game->why, &options));
}

/* NULL where the game wants no profile. */
static GVariant *
profile_parameters(const EppdGame *game)
{
  if (!game->keys.has_profile)
    return NULL;
  return g_variant_ref_sink(
      g_variant_new("(sss)", eppd_profile_text(game->keys.profile), game->why, game->app_id));
}

static bool
is_same_process(const Held *held, const EppdProcess *process)
{
  return process ? held->pid == process->pid && held->start_ticks == process->start_ticks
                 : held->pid == 0;
}

static void
hold_boost(EppdGameKeeper *keeper, Held *held, const EppdGame *game)
{
  g_autoptr(GVariant) parameters = boost_parameters(game);
  EppdLinkHold *boost;

  if (held->boost && is_same_process(held, game->process) && held->run == game->run &&
      g_variant_equal(held->boost_parameters, parameters))
    return;
  boost = eppd_hold_link_take(keeper->boost, game->app_id, parameters,
                              game->process ? game->process->pidfd : -1, false);
  release_boost(held);
  held->boost = boost;
  held->boost_parameters = g_steal_pointer(&parameters);
  held->pid = game->process ? game->process->pid : 0;
  held->start_ticks = game->process ? game->process->start_ticks : 0;
  held->run = game->run;
}

static void
hold_profile(EppdGameKeeper *keeper, Held *held, const EppdGame *game)
{
  g_autoptr(GVariant) parameters = profile_parameters(game);
  bool is_dropped = held->profile && eppd_hold_link_is_dropped(held->profile);

  if (parameters && held->profile && g_variant_equal(held->profile_parameters, parameters))
    return;
  release_profile(held);
  if (!parameters)
    return;
  held->profile = eppd_hold_link_take(keeper->profiles, game->app_id, parameters, -1, is_dropped);
  held->profile_parameters = g_steal_pointer(&parameters);
}

static void
take(EppdGameKeeper *keeper, const EppdGame *game)
{
  Held *held = g_hash_table_lookup(keeper->games, game->key);

  if (!held) {
    held = g_new0(Held, 1);
    held->app_id = g_strdup(game->app_id);
    g_hash_table_insert(keeper->games, g_strdup(game->key), held);
    eppd_info("games", "'%s' runs, and is held for: %s", game->app_id, game->why);
  }
  held->is_wanted = true;
  hold_boost(keeper, held, game);
  hold_profile(keeper, held, game);
}

static gboolean
drop_unwanted(gpointer key, gpointer value, gpointer data)
{
  Held *held = value;
  bool is_wanted = held->is_wanted;

  held->is_wanted = false;
  if (!is_wanted)
    eppd_info("games", "'%s' is no longer held for", held->app_id);
  return !is_wanted;
}

/* ---- what is refused ---- */

static void
on_session_changed(gpointer data)
{
  EppdGameKeeper *keeper = data;

  eppd_hold_link_retry(keeper->boost);
  eppd_hold_link_retry(keeper->profiles);
}

static void
on_refused(gpointer data)
{
  EppdGameKeeper *keeper = data;

  if (keeper->session_watch)
    return;
  keeper->session_watch = eppd_session_watch_new(keeper->bus, on_session_changed, keeper);
  /* It may have become active since polkit was asked: of that nobody tells any more. */
  on_session_changed(keeper);
}

EppdGameKeeper *
eppd_game_keeper_new(GDBusConnection *system_bus)
{
  EppdGameKeeper *keeper = g_new0(EppdGameKeeper, 1);

  keeper->bus = g_object_ref(system_bus);
  keeper->boost = eppd_hold_link_new(system_bus, &boost_service, on_refused, keeper);
  keeper->profiles = eppd_hold_link_new(system_bus, &profile_service, on_refused, keeper);
  keeper->games = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, held_free);
  return keeper;
}

void
eppd_game_keeper_free(EppdGameKeeper *keeper)
{
  g_hash_table_unref(keeper->games);
  g_clear_pointer(&keeper->session_watch, eppd_session_watch_free);
  eppd_hold_link_free(keeper->boost);
  eppd_hold_link_free(keeper->profiles);
  g_object_unref(keeper->bus);
  g_free(keeper);
}

void
eppd_game_keeper_update(EppdGameKeeper *keeper, const GPtrArray *games)
{
  for (guint i = 0; i < games->len; i++)
    take(keeper, games->pdata[i]);
  g_hash_table_foreach_remove(keeper->games, drop_unwanted, NULL);
  if (games->len == 0)
    g_clear_pointer(&keeper->session_watch, eppd_session_watch_free);
}
