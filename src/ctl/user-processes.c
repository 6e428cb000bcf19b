/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/user-processes.h"

#include "ctl/session-bus.h"

#include "base/file-bytes.h"
#include "base/process-cgroup.h"
#include "base/text-file.h"
#include "games/process-identity.h"
#include "games/scope-name.h"

#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AGENT "eppd-agent"

#define GAME_MODE_NAME      "com.feralinteractive.GameMode"
#define GAME_MODE_PATH      "/com/feralinteractive/GameMode"
#define GAME_MODE_INTERFACE "com.feralinteractive.GameMode"

/* What is behind that of a command line or an environment is not looked at. */
#define BLOCK_MAX (256 * 1024)

static void
free_process(gpointer data)
{
  EppdUserProcess *process = data;

  g_free(process->cgroup);
  g_free(process->unit);
  g_ptr_array_unref(process->units);
  g_ptr_array_unref(process->shown);
  g_free(process);
}

/* The start of a file that may hold NULs; empty where it can't be read. Its bytes are owned by the
 * caller. */
static EppdProcessBlock
read_block(pid_t pid, const char *name)
{
  g_autofree char *path = g_strdup_printf("/proc/%d/%s", (int)pid, name);
  EppdProcessBlock block = {0};

  block.bytes = eppd_file_bytes_start(path, BLOCK_MAX, &block.length, NULL);
  return block;
}

static GPtrArray *
look_at_process(pid_t pid)
{
  EppdProcessBlock argv = read_block(pid, "cmdline");
  EppdProcessBlock environment = read_block(pid, "environ");
  GPtrArray *identities = eppd_process_identities(pid, argv, environment);

  g_free((char *)argv.bytes);
  g_free((char *)environment.bytes);
  return identities;
}

/* The innermost part of the cgroup that is an application's unit; NULL if none is. */
static char *
unit_of(const char *cgroup)
{
  g_auto(GStrv) parts = g_strsplit(cgroup, "/", -1);

  for (guint i = g_strv_length(parts); i > 0; i--) {
    g_autoptr(EppdScopeName) name = eppd_scope_name_parse(parts[i - 1]);

    if (name)
      return g_strdup(parts[i - 1]);
  }
  return NULL;
}

static GPtrArray *
unit_identities(const char *unit)
{
  GPtrArray *identities = eppd_game_identities_new();
  g_autoptr(EppdScopeName) name = unit ? eppd_scope_name_parse(unit) : NULL;

  for (guint i = 0; name && i < name->readings->len; i++) {
    const EppdScopeReading *reading = name->readings->pdata[i];

    eppd_game_identities_take(
        identities, eppd_game_identity_new(reading->identity->kind, reading->identity->id));
  }
  return identities;
}

static void
add_process(EppdUserProcesses *processes, pid_t pid)
{
  EppdUserProcess *process = g_new0(EppdUserProcess, 1);

  process->pid = pid;
  process->cgroup = eppd_process_cgroup(pid, NULL);
  process->unit = process->cgroup ? unit_of(process->cgroup) : NULL;
  process->units = unit_identities(process->unit);
  process->shown = look_at_process(pid);
  if (process->units->len > 0 || process->shown->len > 0)
    g_ptr_array_add(processes->processes, process);
  else
    free_process(process);
}

static bool
is_own(pid_t pid)
{
  g_autofree char *path = g_strdup_printf("/proc/%d", (int)pid);
  struct stat st;

  return stat(path, &st) == 0 && st.st_uid == getuid();
}

static bool
is_agent(pid_t pid)
{
  g_autofree char *path = g_strdup_printf("/proc/%d/comm", (int)pid);
  g_autofree char *name = eppd_text_file_read_line(path, NULL);

  return g_strcmp0(name, AGENT) == 0;
}

static int
compare_pids(gconstpointer a, gconstpointer b)
{
  const EppdUserProcess *left = *(EppdUserProcess *const *)a;
  const EppdUserProcess *right = *(EppdUserProcess *const *)b;

  return left->pid < right->pid ? -1 : left->pid > right->pid;
}

static void
look_at_all(EppdUserProcesses *processes)
{
  g_autoptr(GDir) dir = g_dir_open("/proc", 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir))) {
    gint64 pid;

    if (!g_ascii_string_to_signed(name, 10, 1, G_MAXINT32, &pid, NULL) || !is_own((pid_t)pid))
      continue;
    if (is_agent((pid_t)pid))
      processes->agent_pid = (pid_t)pid;
    else
      add_process(processes, (pid_t)pid);
  }
  g_ptr_array_sort(processes->processes, compare_pids);
}

/* What GameMode was told of, a(io); NULL where it does not run or answer. */
static GVariant *
list_registered(int timeout_ms)
{
  g_autoptr(GDBusConnection) bus = eppd_session_bus_open(timeout_ms, NULL);
  g_autoptr(GVariant) reply = NULL;

  if (!bus)
    return NULL;
  reply = g_dbus_connection_call_sync(bus, GAME_MODE_NAME, GAME_MODE_PATH, GAME_MODE_INTERFACE,
                                      "ListGames", NULL, G_VARIANT_TYPE("(a(io))"),
                                      G_DBUS_CALL_FLAGS_NO_AUTO_START, timeout_ms, NULL, NULL);
  return reply ? g_variant_get_child_value(reply, 0) : NULL;
}

static void
mark_registered(EppdUserProcesses *processes, pid_t pid)
{
  for (guint i = 0; i < processes->processes->len; i++) {
    EppdUserProcess *process = processes->processes->pdata[i];

    if (process->pid == pid)
      process->is_registered = true;
  }
}

EppdUserProcesses *
eppd_user_processes_look(void)
{
  EppdUserProcesses *processes = g_new0(EppdUserProcesses, 1);

  processes->processes = g_ptr_array_new_with_free_func(free_process);
  look_at_all(processes);
  return processes;
}

void
eppd_user_processes_ask_game_mode(EppdUserProcesses *processes, int timeout_ms)
{
  g_autoptr(GVariant) games = list_registered(timeout_ms);

  for (gsize i = 0; games && i < g_variant_n_children(games); i++) {
    gint32 pid;

    g_variant_get_child(games, i, "(io)", &pid, NULL);
    mark_registered(processes, pid);
  }
}

void
eppd_user_processes_free(EppdUserProcesses *processes)
{
  g_ptr_array_unref(processes->processes);
  g_free(processes);
}
