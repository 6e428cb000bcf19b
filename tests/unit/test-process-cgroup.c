/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/process-cgroup.h"

#include "base/error.h"

#include <string.h>
#include <unistd.h>

/* What the kernel's own file says, read another way. */
static char *
expected_cgroup(void)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents("/proc/self/cgroup", &text, NULL, NULL))
    return NULL;
  line = g_str_has_prefix(text, "0::") ? text : strstr(text, "\n0::");
  if (!line)
    return NULL;
  line = strchr(line, '/');
  return g_strndup(line, strcspn(line, "\n"));
}

static void
own(void)
{
  g_autofree char *expected = expected_cgroup();
  g_autoptr(GError) error = NULL;
  g_autofree char *cgroup = eppd_process_cgroup(0, &error);
  g_autofree char *by_pid = eppd_process_cgroup(getpid(), NULL);

  g_assert_cmpstr(cgroup, ==, expected);
  g_assert_cmpstr(by_pid, ==, expected);
  if (!expected)
    g_assert_error(error, EPPD_ERROR, EPPD_ERROR_GONE);
}

static void
no_such_process(void)
{
  g_autoptr(GError) error = NULL;

  /* Past the largest pid that a kernel gives. */
  g_assert_null(eppd_process_cgroup(G_MAXINT, &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_GONE);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/process-cgroup/own", own);
  g_test_add_func("/process-cgroup/no-such-process", no_such_process);
  return g_test_run();
}
