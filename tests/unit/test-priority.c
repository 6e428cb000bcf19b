/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text-file.h"
#include "daemon/priority.h"
#include "skip.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* What /proc/self/autogroup reads after a start with @nice_value, in a session of the child's own;
 * NULL: it may not have that. */
static char *
group_after_start_with(int nice_value)
{
  int fds[2];
  char text[128] = "";
  int status = 0;
  ssize_t n;
  pid_t pid;

  g_assert_cmpint(pipe(fds), ==, 0);
  pid = fork();
  if (pid == 0) {
    g_autofree char *group = NULL;

    setsid();
    if (setpriority(PRIO_PROCESS, 0, nice_value) < 0)
      _exit(77);
    eppd_priority_extend_to_group();
    group = eppd_text_file_read("/proc/self/autogroup", NULL);
    _exit(group && write(fds[1], group, strlen(group)) > 0 ? 0 : 1);
  }
  close(fds[1]);
  n = read(fds[0], text, sizeof text - 1);
  close(fds[0]);
  g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    return NULL;
  g_assert_cmpint(n, >, 0);
  return g_strdup(text);
}

static void
test_the_group_gets_the_nice_value(void)
{
  g_autofree char *raised = NULL;
  g_autofree char *usual = NULL;

  if (geteuid() != 0) {
    skip_lacking_root("a negative nice value");
    return;
  }
  if (!g_file_test("/proc/self/autogroup", G_FILE_TEST_EXISTS)) {
    skip_lacking("autogroup in its scheduler");
    return;
  }
  raised = group_after_start_with(-10);
  if (!raised) {
    skip_lacking("CAP_SYS_NICE for a negative nice value");
    return;
  }
  g_test_message("%s", raised);
  g_assert_true(g_str_has_suffix(raised, " nice -10"));
  usual = group_after_start_with(0);
  g_assert_true(g_str_has_suffix(usual, " nice 0"));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/priority/the-group-gets-the-nice-value", test_the_group_gets_the_nice_value);
  return g_test_run();
}
