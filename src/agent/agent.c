/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/agent.h"

#include "agent/buses.h"
#include "agent/exec-command.h"
#include "agent/game-keeper.h"
#include "agent/gamemode.h"
#include "agent/launch-watch.h"
#include "agent/launcher-look.h"
#include "agent/name-watch.h"
#include "agent/process-search.h"
#include "agent/roster.h"
#include "agent/unit-finder.h"
#include "base/cgroup2.h"
#include "base/log.h"
#include "games/game-config.h"

#include <glib-unix.h>
#include <unistd.h>

#define TOPIC "agent"

/* Desktop entries come by the hundred when packages are installed: read when it has been quiet for
 * so long. */
#define RELOAD_QUIET_MS 500

typedef struct {
  const char *config_file;
  GMainLoop *loop;
  int exit_status;
  uid_t uid;

  EppdBuses *buses;
  EppdGameConfig *config;
  EppdPathWatch *paths;
  EppdDesktopIndex *index;
  EppdProcessTable *processes;
  EppdProcessSearch *search;
  EppdUnitFinder *units; /* NULL, and the next, where there is no cgroup v2 */
  EppdLauncherLook *launchers;
  EppdGamemode *gamemode; /* NULL, and the next two, where there is no session bus */
  EppdLaunchWatch *launch_watch;
  EppdNameWatch *name_watch;
  EppdGameKeeper *keeper;

  guint paths_source;
  guint review_source;
  guint reload_source;
} Agent;

/* ---- review: what runs, and what is to be held ---- */

/* The cgroups of launchers whose games are to be looked for. */
static GPtrArray *
launcher_cgroups(Agent *agent)
{
  GPtrArray *cgroups = g_ptr_array_new();
  const GPtrArray *units = eppd_unit_finder_list(agent->units);

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
    input.units = eppd_unit_finder_list(agent->units);
  }
  processes = eppd_process_table_list(agent->processes);
  for (guint i = 0; i < processes->len; i++)
    eppd_process_update_cgroup(((EppdTrackedProcess *)processes->pdata[i])->process);
  input.processes = processes;
  games = eppd_roster_games(&input);
  eppd_game_keeper_update(agent->keeper, games);
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
schedule_review(gpointer data)
{
  Agent *agent = data;

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

static void
on_process_ended(const char *cgroup, gpointer data)
{
  Agent *agent = data;

  if (agent->launchers)
    eppd_launcher_look_again(agent->launchers, cgroup);
  /* It may have handed over to another one of the same command. */
  eppd_process_search_soon(agent->search);
  schedule_review(agent);
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
  eppd_process_search_watch(agent->search, files);
}

static void
load_entries(Agent *agent)
{
  g_clear_handle_id(&agent->reload_source, g_source_remove);
  eppd_desktop_index_load(agent->index, &agent->config->settings);
  watch_opted_in(agent);
  eppd_process_search_now(agent->search);
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

/* ---- start and stop ---- */

static void
stop(int exit_status, gpointer data)
{
  Agent *agent = data;

  if (!g_main_loop_is_running(agent->loop))
    return;
  agent->exit_status = exit_status;
  g_main_loop_quit(agent->loop);
}

static gboolean
on_stop_signal(gpointer data)
{
  eppd_info(TOPIC, "told to stop");
  stop(0, data);
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
start_units(Agent *agent, GDBusConnection *session_bus)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *root = eppd_cgroup2_root(&error);

  if (!root) {
    eppd_warning(TOPIC, "applications are known by their processes alone: %s", error->message);
    return;
  }
  agent->units =
      eppd_unit_finder_new(session_bus, root, agent->uid, agent->paths, schedule_review, agent);
  agent->launchers =
      eppd_launcher_look_new(root, agent->uid, agent->processes, schedule_review, agent);
}

static void
start_session(Agent *agent, GDBusConnection *bus)
{
  agent->gamemode = eppd_gamemode_new(bus, on_gamemode_changed, agent);
  agent->launch_watch = eppd_launch_watch_new(bus, on_launched, agent);
  agent->name_watch = eppd_name_watch_new(bus, on_name_appeared, agent);
}

static void
start(GDBusConnection *system_bus, GDBusConnection *session_bus, gpointer data)
{
  Agent *agent = data;
  g_autoptr(GError) error = NULL;

  agent->paths = eppd_path_watch_new(&error);
  if (!agent->paths) {
    eppd_warning(TOPIC, "could not start: %s", error->message);
    stop(1, agent);
    return;
  }
  agent->paths_source =
      g_unix_fd_add(eppd_path_watch_fd(agent->paths), G_IO_IN, on_paths_readable, agent);
  agent->config = eppd_game_config_load(agent->config_file);
  agent->index =
      eppd_desktop_index_new(find_directories(), agent->paths, on_entries_changed, agent);
  agent->processes = eppd_process_table_new(on_process_ended, agent);
  agent->search = eppd_process_search_new(agent->paths, agent->index, agent->uid, agent->processes,
                                          schedule_review, on_entries_changed, agent);
  agent->keeper = eppd_game_keeper_new(system_bus);
  if (session_bus)
    start_session(agent, session_bus);
  start_units(agent, session_bus);
  load_entries(agent);
  eppd_info(TOPIC, "started");
}

static void
tear_down(Agent *agent)
{
  g_clear_pointer(&agent->keeper, eppd_game_keeper_free);
  g_clear_pointer(&agent->gamemode, eppd_gamemode_free);
  g_clear_pointer(&agent->launch_watch, eppd_launch_watch_free);
  g_clear_pointer(&agent->name_watch, eppd_name_watch_free);
  g_clear_pointer(&agent->launchers, eppd_launcher_look_free);
  g_clear_pointer(&agent->units, eppd_unit_finder_free);
  g_clear_pointer(&agent->search, eppd_process_search_free);
  g_clear_pointer(&agent->processes, eppd_process_table_free);
  g_clear_pointer(&agent->index, eppd_desktop_index_free);
  g_clear_handle_id(&agent->paths_source, g_source_remove);
  g_clear_handle_id(&agent->review_source, g_source_remove);
  g_clear_handle_id(&agent->reload_source, g_source_remove);
  g_clear_pointer(&agent->paths, eppd_path_watch_free);
  g_clear_pointer(&agent->config, eppd_game_config_free);
  eppd_buses_free(agent->buses);
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
  agent.buses = eppd_buses_new(start, stop, &agent);

  g_main_loop_run(agent.loop);

  tear_down(&agent);
  for (guint i = 0; i < G_N_ELEMENTS(signals); i++)
    g_source_remove(signals[i]);
  g_main_loop_unref(agent.loop);
  return agent.exit_status;
}
