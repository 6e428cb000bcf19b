/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-poke.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct SimPoker {
  int fd;
  pid_t pid;
};

static void
poke(const char *mountpoint, const char *path)
{
  g_autofree char *full_path = g_strconcat(mountpoint, path, NULL);
  int fd = open(full_path, O_WRONLY | O_CLOEXEC);

  if (fd < 0)
    return;
  /* A file that went meanwhile needs no news. */
  (void)!write(fd, "\n", 1);
  close(fd);
}

/* A message is a path. */
static G_GNUC_NORETURN void
serve(int fd, const char *mountpoint)
{
  char path[PATH_MAX];
  ssize_t length;

  /* The end of the socket ends it, or of its parent. */
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  /* Who waits for the end of our parent's output must not wait for us. */
  if (!freopen("/dev/null", "w", stdout))
    _exit(1);
  while ((length = recv(fd, path, sizeof path - 1, 0)) > 0) {
    path[length] = '\0';
    poke(mountpoint, path);
  }
  _exit(0);
}

static bool
fork_server(SimPoker *poker, int fds[2], const char *mountpoint)
{
  poker->pid = fork();
  if (poker->pid < 0)
    return false;
  if (poker->pid == 0) {
    close(fds[0]);
    serve(fds[1], mountpoint);
  }
  close(fds[1]);
  poker->fd = fds[0];
  return true;
}

SimPoker *
sim_poker_new(const char *mountpoint, GError **error)
{
  SimPoker *poker = g_new0(SimPoker, 1);
  int fds[2];

  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) == 0) {
    if (fork_server(poker, fds, mountpoint))
      return poker;
    close(fds[0]);
    close(fds[1]);
  }
  g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno), "a process for inotify: %s",
              g_strerror(errno));
  g_free(poker);
  return NULL;
}

void
sim_poker_free(SimPoker *poker)
{
  close(poker->fd);
  while (waitpid(poker->pid, NULL, 0) < 0 && errno == EINTR)
    continue;
  g_free(poker);
}

pid_t
sim_poker_pid(const SimPoker *poker)
{
  return poker->pid;
}

void
sim_poker_poke(SimPoker *poker, const char *path)
{
  /* With a thousand of them waiting, this one may be lost: inotify would merge them too. */
  (void)!send(poker->fd, path, strlen(path), MSG_DONTWAIT | MSG_NOSIGNAL);
}
