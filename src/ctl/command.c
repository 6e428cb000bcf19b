/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/command.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <glib/gi18n.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const int forwarded_signals[] = {SIGTERM, SIGINT,  SIGHUP,  SIGQUIT,
                                        SIGABRT, SIGUSR1, SIGUSR2, SIGCONT};

typedef struct {
  GMainLoop *loop;
  pid_t pid;
  int wait_status;
  struct sigaction old_actions[G_N_ELEMENTS(forwarded_signals)];
} Command;

typedef struct {
  int signal_number;
  pid_t sender;
} Received;

/* A signal handler has no other way to its data. Written by start_receiving() before the handlers
 * are installed. */
static int received_fd = -1;

static void
receive(int signal_number, siginfo_t *info, void *context)
{
  Received received = {signal_number, info->si_pid};
  int saved_errno = errno;

  /* si_code > 0: from the kernel, so from the terminal. A full pipe loses the signal, as a pending
   * one would be merged. */
  if (info->si_code <= 0 && write(received_fd, &received, sizeof received) < 0)
    errno = saved_errno;
  errno = saved_errno;
}

static gboolean
forward(int fd, GIOCondition condition, gpointer data)
{
  Command *command = data;
  Received received;

  while (read(fd, &received, sizeof received) == (ssize_t)sizeof received) {
    /* The command may signal its parent's whole group; it need not hear itself. */
    if (received.sender != command->pid)
      kill(command->pid, received.signal_number);
  }
  return G_SOURCE_CONTINUE;
}

static gboolean
start_receiving(Command *command, int fds[2], GError **error)
{
  struct sigaction action = {.sa_sigaction = receive, .sa_flags = SA_SIGINFO | SA_RESTART};

  if (!g_unix_open_pipe(fds, FD_CLOEXEC, error))
    return FALSE;
  g_unix_set_fd_nonblocking(fds[0], TRUE, NULL);
  g_unix_set_fd_nonblocking(fds[1], TRUE, NULL);
  received_fd = fds[1];

  /* An ignored signal (nohup) stays ignored, here and in the command. */
  for (guint i = 0; i < G_N_ELEMENTS(forwarded_signals); i++) {
    sigaction(forwarded_signals[i], NULL, &command->old_actions[i]);
    if (command->old_actions[i].sa_handler != SIG_IGN)
      sigaction(forwarded_signals[i], &action, NULL);
  }
  return TRUE;
}

static void
stop_receiving(const Command *command, const int fds[2])
{
  for (guint i = 0; i < G_N_ELEMENTS(forwarded_signals); i++)
    sigaction(forwarded_signals[i], &command->old_actions[i], NULL);
  received_fd = -1;
  close(fds[0]);
  close(fds[1]);
}

static void
ended(GPid pid, int wait_status, gpointer data)
{
  Command *command = data;

  command->wait_status = wait_status;
  g_main_loop_quit(command->loop);
}

/* A script without a #! line is the shell's, as for execvp(3). */
static int
spawn_script(pid_t *pid, char **argv)
{
  g_autofree char *path = g_find_program_in_path(argv[0]);
  g_autoptr(GPtrArray) shell_argv = g_ptr_array_new();

  if (!path)
    return ENOENT;
  g_ptr_array_add(shell_argv, (char *)"/bin/sh");
  g_ptr_array_add(shell_argv, path);
  for (guint i = 1; argv[i]; i++)
    g_ptr_array_add(shell_argv, argv[i]);
  g_ptr_array_add(shell_argv, NULL);
  return posix_spawn(pid, "/bin/sh", NULL, NULL, (char **)shell_argv->pdata, environ);
}

/* posix_spawn gives the handled signals of the child their defaults, and reports exec's errno. */
static gboolean
spawn(pid_t *pid, char **argv, GError **error)
{
  int errnum = posix_spawnp(pid, argv[0], NULL, NULL, argv, environ);

  if (errnum == ENOEXEC)
    errnum = spawn_script(pid, argv);
  if (errnum == 0)
    return TRUE;
  g_set_error(error, G_SPAWN_ERROR,
              errnum == ENOENT || errnum == ENOTDIR ? G_SPAWN_ERROR_NOENT : G_SPAWN_ERROR_FAILED,
              "%s: %s", argv[0], errnum == ENOENT ? _("command not found") : g_strerror(errnum));
  return FALSE;
}

static void
wait_for_end(Command *command, int fd)
{
  guint forward_id = g_unix_fd_add(fd, G_IO_IN, forward, command);

  command->loop = g_main_loop_new(NULL, FALSE);
  g_child_watch_add(command->pid, ended, command);
  g_main_loop_run(command->loop);
  g_main_loop_unref(command->loop);
  g_source_remove(forward_id);
}

gboolean
eppd_command_run(char **argv, int *wait_status, GError **error)
{
  Command command = {0};
  int fds[2];
  gboolean started;

  /* With SIGCHLD ignored (it may be inherited so) the kernel would not keep the exit status. */
  signal(SIGCHLD, SIG_DFL);
  if (!start_receiving(&command, fds, error))
    return FALSE;

  started = spawn(&command.pid, argv, error);
  if (started) {
    wait_for_end(&command, fds[0]);
    *wait_status = command.wait_status;
  }
  stop_receiving(&command, fds);
  return started;
}

int
eppd_command_error_code(const GError *error)
{
  return g_error_matches(error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT) ? EPPD_EXIT_NOT_FOUND
                                                                    : EPPD_EXIT_NOT_EXECUTABLE;
}

int
eppd_command_exit_code(int wait_status)
{
  struct rlimit no_core = {0, 0};
  sigset_t signals;

  if (WIFEXITED(wait_status))
    return WEXITSTATUS(wait_status);

  setrlimit(RLIMIT_CORE, &no_core);
  signal(WTERMSIG(wait_status), SIG_DFL);
  sigemptyset(&signals);
  sigaddset(&signals, WTERMSIG(wait_status));
  sigprocmask(SIG_UNBLOCK, &signals, NULL);
  raise(WTERMSIG(wait_status));
  return 128 + WTERMSIG(wait_status);
}
