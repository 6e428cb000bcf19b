/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/client.h"
#include "ctl/command.h"
#include "ctl/fields.h"
#include "ctl/output.h"
#include "ctl/user-scope.h"
#include "ctl/verb.h"

#include "base/printable.h"
#include "games/boost-keys.h"
#include "policy/trigger.h"

#include <glib/gi18n.h>
#include <string.h>

/* A game must start, whatever becomes of the boost: how long it waits for the daemon's answers. */
#define HOLD_TIMEOUT_MS  5000
#define STATE_TIMEOUT_MS 1000
#define SCOPE_TIMEOUT_MS 3000

/* The daemon's own limit of names and reasons. */
#define TEXT_MAX 256

typedef struct {
  EppdClient client;
  char *app_id;
  char *reason;
  const char *trigger;     /* as asked for; NULL: not */
  guint threshold_percent; /* 0: not asked for */
  char *cgroup;            /* of the scope that the command runs in; NULL: none was made */
  char *scope_problem;     /* why none could be made */
  guint32 cookie;          /* 0: not held */
  bool is_probing;         /* whether the boost works was not known when we asked */
} Hold;

static void
hold_clear(Hold *hold)
{
  eppd_client_clear(&hold->client);
  g_free(hold->app_id);
  g_free(hold->reason);
  g_free(hold->cgroup);
  g_free(hold->scope_problem);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Hold, hold_clear)

static GVariant *
hold_parameters(const Hold *hold)
{
  GVariantDict options = G_VARIANT_DICT_INIT(NULL);

  if (hold->trigger)
    g_variant_dict_insert(&options, "trigger", "s", hold->trigger);
  if (hold->threshold_percent > 0)
    g_variant_dict_insert(&options, "threshold-percent", "u", hold->threshold_percent);
  if (hold->cgroup)
    g_variant_dict_insert(&options, "cgroup", "s", hold->cgroup);
  return g_variant_new("(ss@a{sv})", hold->app_id, hold->reason, g_variant_dict_end(&options));
}

static gboolean
hold_call(Hold *hold, GError **error)
{
  g_autoptr(GVariant) reply = NULL;

  reply = eppd_client_call(&hold->client, "HoldBoost", hold_parameters(hold), "(u)",
                           G_DBUS_CALL_FLAGS_NONE, HOLD_TIMEOUT_MS, error);
  if (!reply)
    return FALSE;
  g_variant_get(reply, "(u)", &hold->cookie);
  return TRUE;
}

/* The end of our bus name would release it too; this way the boost ends before we do. */
static void
hold_release(Hold *hold)
{
  g_autoptr(GVariant) reply = NULL;

  if (hold->cookie != 0)
    reply = eppd_client_call(&hold->client, "ReleaseBoost", g_variant_new("(u)", hold->cookie),
                             "()", G_DBUS_CALL_FLAGS_NO_AUTO_START, STATE_TIMEOUT_MS, NULL);
}

/* What the daemon has noted of our hold, an a{sv} owned by the caller; NULL if nobody knows. */
static GVariant *
hold_fields(Hold *hold)
{
  g_autoptr(GVariant) reply = NULL;
  g_autoptr(GVariant) holds = NULL;

  reply = eppd_client_call(&hold->client, "ListBoostHolds", NULL, "(aa{sv})",
                           G_DBUS_CALL_FLAGS_NONE, STATE_TIMEOUT_MS, NULL);
  holds = reply ? g_variant_get_child_value(reply, 0) : NULL;
  for (gsize i = 0; holds && i < g_variant_n_children(holds); i++) {
    g_autoptr(GVariant) fields = g_variant_get_child_value(holds, i);
    guint64 cookie = 0;

    if (eppd_field_number(fields, "cookie", &cookie) && cookie == hold->cookie)
      return g_steal_pointer(&fields);
  }
  return NULL;
}

/* ---- the scope, which trigger app needs ---- */

static void
enter_scope(Hold *hold)
{
  g_autoptr(GError) error = NULL;

  hold->cgroup = eppd_user_scope_enter(hold->app_id, SCOPE_TIMEOUT_MS, &error);
  if (!hold->cgroup)
    hold->scope_problem = g_strdup(error->message);
}

/* In a container, say, the daemon knows our cgroup by another name. */
static gboolean
hold_call_or_without_cgroup(Hold *hold, GError **error)
{
  g_autoptr(GError) local_error = NULL;

  if (hold_call(hold, &local_error))
    return TRUE;
  if (!hold->cgroup || !(g_error_matches(local_error, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS) ||
                         g_error_matches(local_error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED))) {
    g_propagate_error(error, g_steal_pointer(&local_error));
    return FALSE;
  }
  g_clear_pointer(&hold->cgroup, g_free);
  hold->scope_problem = g_strdup(local_error->message);
  return hold_call(hold, error);
}

/* Whether the hold was to have trigger app, since the daemon's configuration says so, and lacks a
 * cgroup for it. */
static bool
is_in_want_of_scope(Hold *hold)
{
  g_autoptr(GVariant) fields = hold->trigger ? NULL : hold_fields(hold);
  g_autofree char *asked = NULL;
  g_autofree char *trigger = NULL;

  if (!fields)
    return false;
  asked = eppd_field_text(fields, "trigger-asked", "");
  trigger = eppd_field_text(fields, "trigger", "");
  return strcmp(asked, eppd_trigger_text(EPPD_TRIGGER_APP)) == 0 && strcmp(trigger, asked) != 0;
}

/* Only a hold of trigger app needs a scope: else the command stays where it was started. */
static gboolean
hold_take(Hold *hold, GError **error)
{
  if (g_strcmp0(hold->trigger, eppd_trigger_text(EPPD_TRIGGER_APP)) == 0)
    enter_scope(hold);
  if (!hold_call_or_without_cgroup(hold, error))
    return FALSE;
  if (!is_in_want_of_scope(hold))
    return TRUE;
  enter_scope(hold);
  if (!hold->cgroup)
    return TRUE;
  hold_release(hold);
  hold->cookie = 0;
  return hold_call_or_without_cgroup(hold, error);
}

/* ---- what does not work as asked ---- */

/* Why the hold's trigger is not the one asked for; NULL if it is, or nobody knows. */
static char *
trigger_problem(Hold *hold)
{
  g_autoptr(GVariant) fields = hold_fields(hold);
  g_autofree char *trigger = NULL;
  g_autofree char *why = NULL;

  if (!fields)
    return NULL;
  trigger = eppd_field_text(fields, "trigger", _("unknown"));
  why = eppd_field_text(fields, "trigger-why", "");
  if (!*why)
    return NULL;
  if (hold->scope_problem)
    return g_strdup_printf(_("the trigger is %s (%s: %s)"), trigger, why, hold->scope_problem);
  return g_strdup_printf(_("the trigger is %s (%s)"), trigger, why);
}

/* Why a hold that was taken does nothing for now; NULL if it does. While the daemon still tries the
 * residency sources, it can't tell: that is asked again. */
static char *
state_problem(Hold *hold)
{
  g_autoptr(GVariant) properties = NULL;
  g_autofree char *state = NULL;
  g_autofree char *reason = NULL;
  g_autofree char *source = NULL;

  properties = eppd_client_properties(&hold->client, STATE_TIMEOUT_MS, NULL);
  if (!properties)
    return NULL;
  source = eppd_field_text(properties, "ResidencySource", _("unknown"));
  hold->is_probing = strcmp(source, "probing") == 0;
  state = eppd_field_text(properties, "BoostState", _("unknown"));
  reason = eppd_field_text(properties, "BoostReason", "");
  if (hold->is_probing || strcmp(state, "armed") == 0 || strcmp(state, "kernel") == 0)
    return NULL;
  return *reason ? g_strdup_printf(_("the boost is %s for now: %s"), state, reason)
                 : g_strdup_printf(_("the boost is %s for now"), state);
}

static void
report_problems(Hold *hold)
{
  g_autofree char *trigger = trigger_problem(hold);
  g_autofree char *state = state_problem(hold);

  if (trigger || state)
    eppd_complain("%s%s%s", trigger ? trigger : "", trigger && state ? "; " : "",
                  state ? state : "");
}

static void
held_again(GObject *source, GAsyncResult *result, gpointer data)
{
  Hold *hold = data;
  g_autoptr(GVariant) reply = NULL;
  g_autoptr(GError) error = NULL;

  reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
  if (reply) {
    g_variant_get(reply, "(u)", &hold->cookie);
    return;
  }
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  error = eppd_client_explain_error(g_steal_pointer(&error));
  eppd_complain(_("the boost is no longer held: %s"), error->message);
}

/* Holds end with the daemon: one that starts while the command runs is asked again. */
static void
owner_changed(GDBusConnection *bus,
              const char *sender,
              const char *path,
              const char *interface,
              const char *signal,
              GVariant *parameters,
              gpointer data)
{
  Hold *hold = data;
  const char *owner;

  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(sss)")))
    return;
  g_variant_get(parameters, "(&s&s&s)", NULL, NULL, &owner);
  hold->cookie = 0;
  if (*owner)
    g_dbus_connection_call(bus, owner, EPPD_OBJECT_PATH, EPPD_INTERFACE, "HoldBoost",
                           hold_parameters(hold), G_VARIANT_TYPE("(u)"), G_DBUS_CALL_FLAGS_NONE,
                           EPPD_CALL_TIMEOUT_MS, NULL, held_again, hold);
}

static void
properties_changed(GDBusConnection *bus,
                   const char *sender,
                   const char *path,
                   const char *interface,
                   const char *signal,
                   GVariant *parameters,
                   gpointer data)
{
  Hold *hold = data;
  g_autofree char *problem = NULL;

  if (!hold->is_probing)
    return;
  problem = state_problem(hold);
  if (problem)
    eppd_complain("%s", problem);
}

static void
watch_daemon(Hold *hold)
{
  if (!hold->client.bus)
    return;
  g_dbus_connection_signal_subscribe(
      hold->client.bus, EPPD_BUS_NAME, "org.freedesktop.DBus.Properties", "PropertiesChanged",
      EPPD_OBJECT_PATH, EPPD_INTERFACE, G_DBUS_SIGNAL_FLAGS_NONE, properties_changed, hold, NULL);
  g_dbus_connection_signal_subscribe(
      hold->client.bus, "org.freedesktop.DBus", "org.freedesktop.DBus", "NameOwnerChanged",
      "/org/freedesktop/DBus", EPPD_BUS_NAME, G_DBUS_SIGNAL_FLAGS_NONE, owner_changed, hold, NULL);
}

static int
run_command(Hold *hold, char **argv)
{
  g_autoptr(GError) error = NULL;
  int wait_status = 0;
  gboolean ran = eppd_command_run(argv, &wait_status, &error);

  hold_release(hold);
  if (ran)
    return eppd_command_exit_code(wait_status);
  eppd_complain("%s", error->message);
  return eppd_command_error_code(error);
}

static bool
set_options(Hold *hold, const char *trigger_text, const char *threshold_text)
{
  EppdBoostKeys keys = {0};
  EppdTrigger trigger;

  if (trigger_text) {
    if (!eppd_trigger_parse(trigger_text, &trigger)) {
      eppd_complain(_("run: --trigger %s is neither core nor app"), trigger_text);
      return false;
    }
    hold->trigger = eppd_trigger_text(trigger);
  }
  if (threshold_text && !eppd_boost_keys_parse(&keys, EPPD_BOOST_KEY_THRESHOLD, threshold_text)) {
    eppd_complain(_("run: --threshold %s: expected %s"), threshold_text,
                  eppd_boost_key_expected(EPPD_BOOST_KEY_THRESHOLD));
    return false;
  }
  hold->threshold_percent = keys.threshold_percent;
  return true;
}

static int
hold_and_run(Hold *hold, char **argv, bool strict)
{
  g_autoptr(GError) error = NULL;
  gboolean held = hold_take(hold, &error);

  if (!held && strict)
    return eppd_fail(error);
  watch_daemon(hold);
  if (held)
    report_problems(hold);
  else
    eppd_complain(_("running %s without the boost: %s"), argv[0], error->message);
  return run_command(hold, argv);
}

int
eppd_verb_run(int argc, char **argv)
{
  g_autofree char *trigger = NULL;
  g_autofree char *threshold = NULL;
  g_autofree char *app_id = NULL;
  g_autofree char *reason = NULL;
  gboolean strict = FALSE;
  /* Texts are taken as file names: another would fail in a locale that can't spell them. */
  const GOptionEntry entries[] = {
      {"trigger", 't', 0, G_OPTION_ARG_FILENAME, &trigger, _("What makes a CPU busy: core or app"),
       "TRIGGER"},
      {"threshold", 'T', 0, G_OPTION_ARG_FILENAME, &threshold,
       _("How busy a CPU is when it is boosted, 1..100 percent"), "N"},
      {"app-id", 'i', 0, G_OPTION_ARG_FILENAME, &app_id, _("The application (else: COMMAND)"),
       "ID"},
      {"reason", 'r', 0, G_OPTION_ARG_FILENAME, &reason, _("Shown by `eppctl holds`"), "TEXT"},
      {"strict", 0, 0, G_OPTION_ARG_NONE, &strict, _("Do not run COMMAND if the boost is refused"),
       NULL},
      {NULL},
  };
  const EppdVerbUsage usage = {
      entries,
      "COMMAND...",
      _("Runs COMMAND with the boost held until it ends. Its exit code is passed on; 127: it was "
        "not "
        "found, 126: it can't be executed. If eppd is not there, COMMAND runs all the same."),
      1,
      -1,
  };
  g_auto(Hold) hold = {0};

  if (!eppd_verb_parse(&usage, &argc, &argv))
    return EPPD_EXIT_USAGE;
  if (!set_options(&hold, trigger, threshold))
    return EPPD_EXIT_USAGE;
  hold.app_id = eppd_utf8_cut(app_id ? app_id : argv[1], TEXT_MAX);
  hold.reason = eppd_utf8_cut(reason ? reason : "eppctl run", TEXT_MAX);
  return hold_and_run(&hold, argv + 1, strict);
}
