/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of HoldBoost. The first byte is the caller: '0' is root, else a user. The rest is a
 * value, see variant-text.h. The message brings three descriptors: no pidfd, our own, and that of a
 * process that is gone. */
#include "fuzz.h"

#include "daemon/hold-options.h"
#include "variant-text.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define USER_UID 1000

static int
open_pidfd(pid_t pid)
{
  return (int)syscall(SYS_pidfd_open, pid, 0);
}

static int
open_dead_pidfd(void)
{
  pid_t pid = fork();
  int fd;

  g_assert_cmpint(pid, >=, 0);
  if (pid == 0) {
    for (;;)
      pause();
  }
  fd = open_pidfd(pid);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  return fd;
}

static GUnixFDList *
make_descriptors(void)
{
  int fds[3] = {memfd_create("no-pidfd", MFD_CLOEXEC), open_pidfd(getpid()), open_dead_pidfd()};

  for (gsize i = 0; i < G_N_ELEMENTS(fds); i++)
    g_assert_cmpint(fds[i], >=, 0);
  return g_unix_fd_list_new_from_array(fds, G_N_ELEMENTS(fds));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static GUnixFDList *fds;
  g_autofree char *text = fuzz_text(data, size);
  g_auto(EppdHoldOptions) options = EPPD_HOLD_OPTIONS_INIT;
  g_autoptr(GVariant) dict = NULL;
  g_autoptr(GError) error = NULL;

  if (!fds)
    fds = make_descriptors();
  dict = *text ? variant_text_parse(text + 1) : NULL;
  if (!dict)
    return 0;
  options.threshold_percent = 77;
  if (eppd_hold_options_parse(&options, dict, fds, *text == '0' ? 0 : USER_UID, EPPD_TRIGGER_CORE,
                              &error)) {
    g_assert_no_error(error);
    g_assert_cmpuint(options.threshold_percent, <=, 100);
    g_assert_cmpint(options.pidfd >= 0, ==, options.pid > 0);
    g_assert_cmpint(options.cgroup != NULL, ==, options.cgroup_events_fd >= 0);
    g_assert_cmpint(options.cgroup != NULL, ==, options.cgroup_id != 0);
    g_assert_true(!options.cgroup || options.cgroup[0] == '/');
  } else {
    g_assert_cmpint(error->domain, ==, (int)G_DBUS_ERROR);
    g_assert_true(g_utf8_validate(error->message, -1, NULL));
    g_assert_cmpuint(options.threshold_percent, ==, 77);
    g_assert_cmpint(options.pidfd, ==, -1);
    g_assert_cmpint(options.cgroup_events_fd, ==, -1);
  }
  return 0;
}
