/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/agent.h"

#include "agent/cgroup-tree.h"
#include "agent/exec-command.h"
#include "agent/game-keeper.h"
#include "agent/gamemode.h"
#include "agent/launch-watch.h"
#include "agent/launcher-look.h"
#include "agent/name-watch.h"
#include "agent/process-search.h"
#include "agent/program-watch.h"
#include "agent/roster.h"
#include "agent/session-watch.h"
#include "agent/unit-watch.h"
#include "base/cgroup2.h"
#include "base/log.h"
#include "games/game-config.h"

#include <glib-unix.h>
#include <unistd.h>

#define TOPIC "agent"

/* How often the cgroups of launchers are looked into, while one runs and has a game that is opted
 * in. */
#define LAUNCHER_LOOK_SECONDS 5

/* Desktop entries come by the hundred when packages are installed: read when it has been quiet for
 * so long. */
#define RELOAD_QUIET_MS 500

/* A program that was opened has not yet become the process that it will be, and may soon be
 * another: when it is looked for. */
static const gint64 search_delays_usec[] = {10 * 1000, 100 * 1000, 1000 * 1000};

typedef struct {
  const char *config_file;
  GMainLoop *loop;
  int exit_status;
  uid_t uid;

  GDBusConnection *system_bus;
  GDBusConnection *session_bus; /* NULL: there is none */
  EppdGameConfig *config;
  EppdPathWatch *paths;
  EppdDesktopIndex *index;
  EppdProcessTable *processes;
  char *cgroup_root; /* NULL, and the next two, where there is no cgroup v2 */
  EppdAppUnits *units;
  EppdLauncherLook *launchers;

  EppdUnitWatch *unit_watch;
  EppdCgroupTree *cgroup_tree; /* where there is no user manager */
  EppdGamemode *gamemode;
  EppdLaunchWatch *launch_watch;
  EppdNameWatch *name_watch;
  EppdProgramWatch *program_watch;

  EppdHoldLink *boost;
  EppdHoldLink *profiles;
  EppdGameKeeper *keeper;
  EppdSessionWatch *session_watch; /* while something is refused */

  guint paths_source;
  guint review_source;
  guint reload_source;
  guint look_source;   /* while launchers run */
  guint search_source; /* while a program starts */
  guint n_searches;    /* of search_delays_usec, that are scheduled or done */
} Agent;

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

/* ---- review: what runs, and what is to be held ---- */

static void schedule_review(Agent *agent);

static gboolean
on_look_due(gpointer data)
{
  schedule_review(data);
  return G_SOURCE_CONTINUE;
}

/* The cgroups of launchers whose games are to be looked for. */
static GPtrArray *
launcher_cgroups(Agent *agent)
{
  GPtrArray *cgroups = g_ptr_array_new();
  const GPtrArray *units = eppd_app_units_list(agent->units);

  if (!eppd_roster_wants_processes(agent->index, &agent->config->settings))
    return cgroups;
  for (guint i = 0; i < units->len; i++) {
    const EppdAppUnit *unit = units->pdata[i];

    if (unit->is_populated && eppd_roster_is_launcher(unit, agent->index))
      g_ptr_array_add(cgroups, unit->cgroup);
  }
  return cgroups;
}

static void
look_into_launchers(Agent *agent)
{
  g_autoptr(GPtrArray) cgroups = launcher_cgroups(agent);

  eppd_launcher_look_at(agent->launchers, cgroups);
  if (cgroups->len > 0 && agent->look_source == 0)
    agent->look_source = g_timeout_add_seconds(LAUNCHER_LOOK_SECONDS, on_look_due, agent);
  else if (cgroups->len == 0 && agent->look_source != 0)
    g_clear_handle_id(&agent->look_source, g_source_remove);
}

static void
review(Agent *agent)
{
  g_autoptr(GPtrArray) processes = NULL;
  g_autoptr(GPtrArray) no_units = g_ptr_array_new();
  g_autoptr(GPtrArray) games = NULL;
  EppdRosterInput input = {
      .units = no_units, .index = agent->index, .settings = &agent->config->settings};

  if (agent->units) {
    look_into_launchers(agent);
    input.units = eppd_app_units_list(agent->units);
  }
  processes = eppd_process_table_list(agent->processes);
  for (guint i = 0; i < processes->len; i++)
    eppd_process_update_cgroup(((EppdTrackedProcess *)processes->pdata[i])->process);
  input.processes = processes;
  games = eppd_roster_games(&input);
  eppd_game_keeper_update(agent->keeper, games);
  if (games->len == 0)
    g_clear_pointer(&agent->session_watch, eppd_session_watch_free);
}

static gboolean
on_review_due(gpointer data)
{
  Agent *agent = data;

  agent->review_source = 0;
  review(agent);
  return G_SOURCE_REMOVE;
}

/* Once for all that comes at once. */
static void
schedule_review(Agent *agent)
{
  if (agent->review_source == 0)
    agent->review_source = g_idle_add_full(G_PRIORITY_DEFAULT, on_review_due, agent, NULL);
}

/* ---- processes ---- */

static void
track(Agent *agent, pid_t pid, EppdOrigin origin, const EppdGameIdentity *identity)
{
  g_autoptr(GError) error = NULL;
  EppdProcess *process = eppd_process_look(pid, agent->uid, &error);

  if (!process) {
    eppd_info(TOPIC, "ignoring a game: %s", error->message);
    return;
  }
  eppd_process_table_add(agent->processes, process, origin, identity);
  schedule_review(agent);
}

static void
on_gamemode_changed(pid_t pid, bool registered, gpointer data)
{
  Agent *agent = data;

  if (registered)
    track(agent, pid, EPPD_ORIGIN_REGISTERED, NULL);
  else
    eppd_process_table_remove(agent->processes, pid, EPPD_ORIGIN_REGISTERED);
  schedule_review(agent);
}

static void
on_launched(pid_t pid, const EppdGameIdentity *identity, gpointer data)
{
  Agent *agent = data;

  if (eppd_desktop_index_find(agent->index, identity))
    track(agent, pid, EPPD_ORIGIN_LAUNCHED, identity);
}

static void
on_name_appeared(const char *id, pid_t pid, gpointer data)
{
  g_autoptr(EppdGameIdentity) identity = eppd_game_identity_new(EPPD_IDENTITY_DESKTOP_ID, id);

  if (identity)
    track(data, pid, EPPD_ORIGIN_LAUNCHED, identity);
}

/* All that runs and nobody told of. */
static void
search_processes(Agent *agent)
{
  eppd_process_search(agent->index, agent->uid, agent->processes);
  schedule_review(agent);
}

static void schedule_search(Agent *agent, gint64 delay_usec);

static gboolean
on_search_due(gpointer data)
{
  Agent *agent = data;
  gint64 now_usec = g_get_monotonic_time();
  /* Before the search, so that nothing that starts in between is missed. */
  gint64 next_usec = eppd_program_watch_resume(agent->program_watch, now_usec);

  agent->search_source = 0;
  search_processes(agent);
  if (agent->n_searches < G_N_ELEMENTS(search_delays_usec))
    schedule_search(agent, search_delays_usec[agent->n_searches++]);
  else if (next_usec >= 0)
    schedule_search(agent, next_usec - now_usec);
  return G_SOURCE_REMOVE;
}

static void
schedule_search(Agent *agent, gint64 delay_usec)
{
  g_clear_handle_id(&agent->search_source, g_source_remove);
  agent->search_source = g_timeout_add((guint)(delay_usec / 1000 + 1), on_search_due, agent);
}

static void
on_program_opened(gpointer data)
{
  Agent *agent = data;

  agent->n_searches = 0;
  schedule_search(agent, search_delays_usec[agent->n_searches++]);
}

static void
on_process_ended(const char *cgroup, gpointer data)
{
  Agent *agent = data;

  if (agent->launchers)
    eppd_launcher_look_again(agent->launchers, cgroup);
  /* It may have handed over to another one of the same command. */
  on_program_opened(agent);
  schedule_review(agent);
}

/* ---- units ---- */

static void
on_units_changed(gpointer data)
{
  schedule_review(data);
}

static void
on_unit(const char *name, const char *cgroup, gpointer data)
{
  Agent *agent = data;

  if (eppd_app_units_set(agent->units, name, cgroup))
    schedule_review(agent);
}

static void
on_cgroup_found(const char *cgroup, bool is_there, gpointer data)
{
  on_unit(cgroup, is_there ? cgroup : NULL, data);
}

static void
watch_cgroup_tree(Agent *agent)
{
  if (!agent->cgroup_tree)
    agent->cgroup_tree =
        eppd_cgroup_tree_new(agent->cgroup_root, agent->uid, agent->paths, on_cgroup_found, agent);
}

/* What the one has found stays while the other takes over. */
static void
on_manager(bool is_there, gpointer data)
{
  Agent *agent = data;

  if (is_there)
    g_clear_pointer(&agent->cgroup_tree, eppd_cgroup_tree_free);
  else
    watch_cgroup_tree(agent);
}

/* ---- configuration and desktop entries ---- */

/* Their names on the bus, and the files of their programs. */
static void
watch_opted_in(Agent *agent)
{
  const GPtrArray *entries = eppd_desktop_index_list(agent->index);
  g_autoptr(GPtrArray) ids = g_ptr_array_new();
  g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);

  for (guint i = 0; i < entries->len; i++) {
    const EppdIndexedEntry *indexed = entries->pdata[i];
    g_autoptr(EppdGameRule) rule =
        eppd_game_rule_decide(indexed->entry, false, &agent->config->settings);
    char *file;

    if (!rule->opted_in)
      continue;
    if (indexed->entry->dbus_activatable)
      g_ptr_array_add(ids, indexed->id);
    file = indexed->command ? eppd_exec_command_file((const char *const *)indexed->command) : NULL;
    if (file)
      g_ptr_array_add(files, file);
  }
  if (agent->name_watch)
    eppd_name_watch_set(agent->name_watch, ids);
  eppd_program_watch_set(agent->program_watch, files);
}

static void
load_entries(Agent *agent)
{
  g_clear_handle_id(&agent->reload_source, g_source_remove);
  eppd_desktop_index_load(agent->index, &agent->config->settings);
  watch_opted_in(agent);
  search_processes(agent);
}

static gboolean
on_reload_due(gpointer data)
{
  Agent *agent = data;

  agent->reload_source = 0;
  eppd_info(TOPIC, "reading the desktop entries again");
  load_entries(agent);
  return G_SOURCE_REMOVE;
}

static void
on_entries_changed(gpointer data)
{
  Agent *agent = data;

  g_clear_handle_id(&agent->reload_source, g_source_remove);
  agent->reload_source = g_timeout_add(RELOAD_QUIET_MS, on_reload_due, agent);
}

static gboolean
on_hangup(gpointer data)
{
  Agent *agent = data;

  if (!agent->config)
    return G_SOURCE_CONTINUE;
  eppd_info(TOPIC, "reading the configuration again");
  eppd_game_config_free(agent->config);
  agent->config = eppd_game_config_load(agent->config_file);
  load_entries(agent);
  return G_SOURCE_CONTINUE;
}

/* ---- holds ---- */

static void
on_session_changed(gpointer data)
{
  Agent *agent = data;

  eppd_hold_link_retry(agent->boost);
  eppd_hold_link_retry(agent->profiles);
}

static void
on_refused(gpointer data)
{
  Agent *agent = data;

  if (!agent->session_watch)
    agent->session_watch = eppd_session_watch_new(agent->system_bus, on_session_changed, agent);
}

/* ---- start and stop ---- */

static void
stop(Agent *agent, int exit_status)
{
  if (!g_main_loop_is_running(agent->loop))
    return;
  agent->exit_status = exit_status;
  g_main_loop_quit(agent->loop);
}

static gboolean
on_stop_signal(gpointer data)
{
  eppd_info(TOPIC, "told to stop");
  stop(data, 0);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_paths_readable(int fd, GIOCondition condition, gpointer data)
{
  eppd_path_watch_dispatch(((Agent *)data)->paths);
  return G_SOURCE_CONTINUE;
}

static EppdDesktopDirs *
find_directories(void)
{
  g_autoptr(GError) error = NULL;
  EppdDesktopDirs *dirs = eppd_desktop_dirs_new(g_getenv("HOME"), g_getenv("XDG_DATA_HOME"),
                                                g_getenv("XDG_DATA_DIRS"), &error);

  if (!dirs)
    eppd_warning(TOPIC, "no desktop entries: %s; ignoring", error->message);
  return dirs;
}

static void
start_units(Agent *agent)
{
  static const EppdUnitListener listener = {.manager = on_manager, .unit = on_unit};
  g_autoptr(GError) error = NULL;

  agent->cgroup_root = eppd_cgroup2_root(&error);
  if (!agent->cgroup_root) {
    eppd_warning(TOPIC, "applications are known by their processes alone: %s", error->message);
    return;
  }
  agent->units = eppd_app_units_new(agent->cgroup_root, agent->paths, on_units_changed, agent);
  agent->launchers = eppd_launcher_look_new(agent->cgroup_root, agent->uid, agent->processes);
  if (agent->session_bus)
    agent->unit_watch = eppd_unit_watch_new(agent->session_bus, &listener, agent);
  else
    watch_cgroup_tree(agent);
}

static void
start_session(Agent *agent)
{
  if (!agent->session_bus)
    return;
  agent->gamemode = eppd_gamemode_new(agent->session_bus, on_gamemode_changed, agent);
  agent->launch_watch = eppd_launch_watch_new(agent->session_bus, on_launched, agent);
  agent->name_watch = eppd_name_watch_new(agent->session_bus, on_name_appeared, agent);
}

static void
start(Agent *agent)
{
  g_autoptr(GError) error = NULL;

  agent->paths = eppd_path_watch_new(&error);
  if (!agent->paths) {
    eppd_warning(TOPIC, "could not start: %s", error->message);
    stop(agent, 1);
    return;
  }
  agent->paths_source =
      g_unix_fd_add(eppd_path_watch_fd(agent->paths), G_IO_IN, on_paths_readable, agent);
  agent->config = eppd_game_config_load(agent->config_file);
  agent->index =
      eppd_desktop_index_new(find_directories(), agent->paths, on_entries_changed, agent);
  agent->program_watch =
      eppd_program_watch_new(agent->paths, on_program_opened, on_entries_changed, agent);
  agent->processes = eppd_process_table_new(on_process_ended, agent);
  agent->boost = eppd_hold_link_new(agent->system_bus, &boost_service, on_refused, agent);
  agent->profiles = eppd_hold_link_new(agent->system_bus, &profile_service, on_refused, agent);
  agent->keeper = eppd_game_keeper_new(agent->boost, agent->profiles);
  start_session(agent);
  start_units(agent);
  load_entries(agent);
  eppd_info(TOPIC, "started");
}

static void
on_session_bus_closed(GDBusConnection *bus, gboolean vanished, GError *error, gpointer data)
{
  eppd_notice(TOPIC, "the session bus went away, and the session with it");
  stop(data, 0);
}

static void
on_system_bus_closed(GDBusConnection *bus, gboolean vanished, GError *error, gpointer data)
{
  eppd_warning(TOPIC, "the system bus went away");
  stop(data, 1);
}

static void
on_session_bus(GObject *source, GAsyncResult *result, gpointer data)
{
  Agent *agent = data;
  g_autoptr(GError) error = NULL;

  agent->session_bus = g_bus_get_finish(result, &error);
  if (agent->session_bus) {
    g_dbus_connection_set_exit_on_close(agent->session_bus, FALSE);
    g_signal_connect(agent->session_bus, "closed", G_CALLBACK(on_session_bus_closed), agent);
  } else {
    eppd_warning(TOPIC, "no session bus, so nobody tells of GameMode and launched programs: %s",
                 error->message);
  }
  start(agent);
}

static void
on_system_bus(GObject *source, GAsyncResult *result, gpointer data)
{
  Agent *agent = data;
  g_autoptr(GError) error = NULL;

  agent->system_bus = g_bus_get_finish(result, &error);
  if (!agent->system_bus) {
    eppd_warning(TOPIC, "could not reach the system bus: %s", error->message);
    stop(agent, 1);
    return;
  }
  g_dbus_connection_set_exit_on_close(agent->system_bus, FALSE);
  g_signal_connect(agent->system_bus, "closed", G_CALLBACK(on_system_bus_closed), agent);
  g_bus_get(G_BUS_TYPE_SESSION, NULL, on_session_bus, agent);
}

static void
close_bus(Agent *agent, GDBusConnection **bus)
{
  if (!*bus)
    return;
  g_signal_handlers_disconnect_by_data(*bus, agent);
  /* What was released last goes out before the connection. */
  g_dbus_connection_flush_sync(*bus, NULL, NULL);
  g_clear_object(bus);
}

static void
tear_down(Agent *agent)
{
  g_clear_pointer(&agent->keeper, eppd_game_keeper_free);
  g_clear_pointer(&agent->session_watch, eppd_session_watch_free);
  g_clear_pointer(&agent->boost, eppd_hold_link_free);
  g_clear_pointer(&agent->profiles, eppd_hold_link_free);
  g_clear_pointer(&agent->unit_watch, eppd_unit_watch_free);
  g_clear_pointer(&agent->cgroup_tree, eppd_cgroup_tree_free);
  g_clear_pointer(&agent->gamemode, eppd_gamemode_free);
  g_clear_pointer(&agent->launch_watch, eppd_launch_watch_free);
  g_clear_pointer(&agent->name_watch, eppd_name_watch_free);
  g_clear_pointer(&agent->program_watch, eppd_program_watch_free);
  g_clear_pointer(&agent->launchers, eppd_launcher_look_free);
  g_clear_pointer(&agent->units, eppd_app_units_free);
  g_clear_pointer(&agent->processes, eppd_process_table_free);
  g_clear_pointer(&agent->index, eppd_desktop_index_free);
  g_clear_handle_id(&agent->paths_source, g_source_remove);
  g_clear_handle_id(&agent->review_source, g_source_remove);
  g_clear_handle_id(&agent->reload_source, g_source_remove);
  g_clear_handle_id(&agent->look_source, g_source_remove);
  g_clear_handle_id(&agent->search_source, g_source_remove);
  g_clear_pointer(&agent->paths, eppd_path_watch_free);
  g_clear_pointer(&agent->config, eppd_game_config_free);
  g_clear_pointer(&agent->cgroup_root, g_free);
  close_bus(agent, &agent->session_bus);
  close_bus(agent, &agent->system_bus);
}

int
eppd_agent_run(const char *config_file)
{
  Agent agent = {.config_file = config_file, .uid = getuid()};
  guint signals[3];

  agent.loop = g_main_loop_new(NULL, FALSE);
  signals[0] = g_unix_signal_add(SIGTERM, on_stop_signal, &agent);
  signals[1] = g_unix_signal_add(SIGINT, on_stop_signal, &agent);
  signals[2] = g_unix_signal_add(SIGHUP, on_hangup, &agent);
  g_bus_get(G_BUS_TYPE_SYSTEM, NULL, on_system_bus, &agent);

  g_main_loop_run(agent.loop);

  tear_down(&agent);
  for (guint i = 0; i < G_N_ELEMENTS(signals); i++)
    g_source_remove(signals[i]);
  g_main_loop_unref(agent.loop);
  return agent.exit_status;
}
