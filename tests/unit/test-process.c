/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/process.h"

#include "base/error.h"
#include "identity-text.h"

#include "scratch.h"

#include <signal.h>
#include <sys/wait.h>

/* A child that waits, with the command line and environment that a test wants. */
static pid_t
start(const char *const *argv, const char *const *environment)
{
  g_autoptr(GError) error = NULL;
  GPid pid;

  g_spawn_async("/", (char **)argv, (char **)environment,
                G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_FILE_AND_ARGV_ZERO, NULL, NULL, &pid, &error);
  g_assert_no_error(error);
  return pid;
}

static void
end(pid_t pid)
{
  g_assert_cmpint(kill(pid, SIGKILL), ==, 0);
  g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
}

static void
test_look(void)
{
  static const char *const argv[] = {"/bin/sleep", "my sleep", "1000", NULL};
  static const char *const environment[] = {"HEROIC_APP_NAME=Quail", "SteamAppId=5", NULL};
  pid_t pid = start(argv, environment);
  g_autoptr(GError) error = NULL;
  g_autoptr(EppdProcess) process = eppd_process_look(pid, getuid(), &error);
  g_autoptr(EppdProcess) again = eppd_process_look(pid, getuid(), NULL);
  g_autofree char *text = NULL;
  g_autofree char *words = NULL;

  g_assert_no_error(error);
  text = identities_text(process->identities);
  words = g_strjoinv("|", process->argv);
  g_assert_cmpint(process->pid, ==, pid);
  g_assert_cmpint(process->pidfd, >=, 0);
  g_assert_cmpuint(process->start_ticks, >, 0);
  g_assert_cmpuint(process->start_ticks, ==, again->start_ticks);
  g_assert_cmpstr(process->name, ==, "sleep");
  g_assert_cmpstr(words, ==, "my sleep|1000");
  g_assert_cmpstr(text, ==, "heroic=Quail steam=5");
  end(pid);
}

static void
test_one_that_is_gone(void)
{
  static const char *const argv[] = {"/bin/true", "true", NULL};
  pid_t pid = start(argv, NULL);
  g_autoptr(GError) error = NULL;

  g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
  g_assert_null(eppd_process_look(pid, getuid(), &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_GONE);
}

/* Ended, and not yet waited for. */
static void
test_a_zombie(void)
{
  static const char *const argv[] = {"/bin/true", "true", NULL};
  pid_t pid = start(argv, NULL);
  g_autoptr(GError) error = NULL;
  siginfo_t info;

  g_assert_cmpint(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), ==, 0);
  g_assert_null(eppd_process_look(pid, getuid(), &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_GONE);
  g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
}

static void
test_another_user_s(void)
{
  g_autoptr(GError) error = NULL;

  g_assert_null(eppd_process_look(getpid(), getuid() + 1, &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_DENIED);
}

static char *
pids_text(const GArray *pids)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < pids->len; i++)
    g_string_append_printf(text, "%d ", (int)g_array_index(pids, pid_t, i));
  return g_string_free(text, FALSE);
}

static void
test_list_of_a_cgroup(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(GArray) pids = NULL;
  g_autoptr(GArray) none = NULL;
  g_autofree char *missing = scratch_path(dir, "missing");
  g_autofree char *text = NULL;

  scratch_write(dir, "cgroup.procs", "12\n0\nabc\n99999999999\n13\n");
  scratch_write(dir, "inner/deep/cgroup.procs", "14\n");
  pids = eppd_process_list_cgroup(dir);
  text = pids_text(pids);
  g_assert_cmpstr(text, ==, "12 13 14 ");
  none = eppd_process_list_cgroup(missing);
  g_assert_cmpuint(none->len, ==, 0);
}

static void
test_list_of_all(void)
{
  g_autoptr(GArray) pids = eppd_process_list_all();
  bool is_there = false;

  for (guint i = 0; i < pids->len; i++)
    is_there = is_there || g_array_index(pids, pid_t, i) == getpid();
  g_assert_true(is_there);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/process/look", test_look);
  g_test_add_func("/process/one-that-is-gone", test_one_that_is_gone);
  g_test_add_func("/process/a-zombie", test_a_zombie);
  g_test_add_func("/process/another-user-s", test_another_user_s);
  g_test_add_func("/process/list-of-a-cgroup", test_list_of_a_cgroup);
  g_test_add_func("/process/list-of-all", test_list_of_all);
  return g_test_run();
}
