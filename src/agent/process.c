/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/process.h"

#include "base/error.h"
#include "base/file-bytes.h"
#include "base/process-cgroup.h"
#include "base/text-file.h"
#include "games/process-identity.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

/* Cgroups nested deeper are not looked into. */
#define DEPTH_MAX 8

/* ---- what /proc says ---- */

/* The first bytes of a file of /proc that is no text; of none where it can't be read, as another
 * program's own choice (PR_SET_DUMPABLE) may have it. */
static EppdProcessBlock
read_block(pid_t pid, const char *file)
{
  g_autofree char *path = g_strdup_printf("/proc/%d/%s", (int)pid, file);
  EppdProcessBlock block = {0};

  block.bytes = eppd_file_bytes_start(path, EPPD_PROCESS_BLOCK_MAX, &block.length, NULL);
  return block;
}

static char **
split_words(EppdProcessBlock block)
{
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();

  for (guint i = 0; i < EPPD_PROCESS_WORDS_MAX && block.length > 0; i++) {
    gsize length = strnlen(block.bytes, block.length);
    g_autofree char *word = g_strndup(block.bytes, length);

    g_strv_builder_add(words, word);
    length = MIN(length + 1, block.length);
    block.bytes += length;
    block.length -= length;
  }
  return g_strv_builder_end(words);
}

static bool
is_of_user(pid_t pid, uid_t uid)
{
  g_autofree char *path = g_strdup_printf("/proc/%d/status", (int)pid);
  g_autofree char *text = eppd_text_file_read_start(path, NULL);
  const char *line = text ? strstr(text, "\nUid:") : NULL;

  /* The first of four is the real one. strtoull() stops at the tab behind it. */
  return line && g_ascii_strtoull(line + strlen("\nUid:"), NULL, 10) == uid;
}

/* The name, which may hold any byte, and the time of the start, the 22nd field. */
static gboolean
read_stat(EppdProcess *process, GError **error)
{
  enum { BEHIND_NAME = 3, START = 22 };
  g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)process->pid);
  g_autofree char *text = eppd_text_file_read_start(path, error);
  const char *open_bracket;
  const char *close_bracket;
  g_auto(GStrv) fields = NULL;

  if (!text)
    return FALSE;
  open_bracket = strchr(text, '(');
  close_bracket = strrchr(text, ')');
  if (open_bracket && close_bracket > open_bracket && close_bracket[1] == ' ')
    fields = g_strsplit(close_bracket + 2, " ", START - BEHIND_NAME + 2);
  if (!fields || g_strv_length(fields) <= START - BEHIND_NAME) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "%s is of no known form", path);
    return FALSE;
  }
  /* The kernel cuts it, within a character if need be. */
  process->name = g_utf8_make_valid(open_bracket + 1, close_bracket - open_bracket - 1);
  process->start_ticks = g_ascii_strtoull(fields[START - BEHIND_NAME], NULL, 10);
  return TRUE;
}

static bool
has_ended(int pidfd)
{
  struct pollfd poll_fd = {.fd = pidfd, .events = POLLIN};

  return TEMP_FAILURE_RETRY(poll(&poll_fd, 1, 0)) != 0;
}

void
eppd_process_free(EppdProcess *process)
{
  if (process->pidfd >= 0)
    close(process->pidfd);
  g_free(process->name);
  g_free(process->cgroup);
  g_strfreev(process->argv);
  g_clear_pointer(&process->identities, g_ptr_array_unref);
  g_free(process);
}

EppdProcess *
eppd_process_look(pid_t pid, uid_t uid, GError **error)
{
  g_autoptr(EppdProcess) process = g_new0(EppdProcess, 1);
  EppdProcessBlock argv;
  EppdProcessBlock environment;

  process->pid = pid;
  process->pidfd = pidfd_open(pid, 0);
  if (process->pidfd < 0) {
    if (errno == ESRCH)
      g_set_error(error, EPPD_ERROR, EPPD_ERROR_GONE, "There is no process %d", (int)pid);
    else
      eppd_error_set_errno(error, errno, "Could not open process %d", (int)pid);
    return NULL;
  }
  if (!is_of_user(pid, uid)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_DENIED, "Process %d is not one of user %u", (int)pid,
                (guint)uid);
    return NULL;
  }
  if (!read_stat(process, error))
    return NULL;
  argv = read_block(pid, "cmdline");
  environment = read_block(pid, "environ");
  process->identities = eppd_process_identities(pid, argv, environment);
  process->argv = split_words(argv);
  g_free((char *)argv.bytes);
  g_free((char *)environment.bytes);
  eppd_process_update_cgroup(process);

  if (has_ended(process->pidfd)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_GONE, "Process %d has ended", (int)pid);
    return NULL;
  }
  return g_steal_pointer(&process);
}

void
eppd_process_update_cgroup(EppdProcess *process)
{
  char *cgroup = eppd_process_cgroup(process->pid, NULL);

  /* Of one that ends right now, the last that is known. */
  if (!cgroup)
    return;
  g_free(process->cgroup);
  process->cgroup = cgroup;
}

/* ---- lists ---- */

static void
add_pid(GArray *pids, const char *text)
{
  gint64 number;

  if (pids->len < EPPD_PROCESSES_MAX &&
      g_ascii_string_to_signed(text, 10, 1, G_MAXINT32, &number, NULL)) {
    pid_t pid = (pid_t)number;

    g_array_append_val(pids, pid);
  }
}

static void
list_cgroup(GArray *pids, const char *path, guint depth)
{
  g_autofree char *file = g_build_filename(path, "cgroup.procs", NULL);
  g_autofree char *text = eppd_text_file_read_start(file, NULL);
  g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;
  g_autoptr(GDir) dir = NULL;
  const char *name;

  for (guint i = 0; lines && lines[i]; i++)
    add_pid(pids, lines[i]);
  if (depth == DEPTH_MAX || pids->len >= EPPD_PROCESSES_MAX)
    return;
  dir = g_dir_open(path, 0, NULL);
  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *inner = g_build_filename(path, name, NULL);

    if (g_file_test(inner, G_FILE_TEST_IS_DIR))
      list_cgroup(pids, inner, depth + 1);
  }
}

GArray *
eppd_process_list_cgroup(const char *path)
{
  GArray *pids = g_array_new(FALSE, FALSE, sizeof(pid_t));

  list_cgroup(pids, path, 0);
  return pids;
}

GArray *
eppd_process_list_all(void)
{
  GArray *pids = g_array_new(FALSE, FALSE, sizeof(pid_t));
  g_autoptr(GDir) dir = g_dir_open("/proc", 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir)))
    add_pid(pids, name);
  return pids;
}
