/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log.h"

#include <string.h>

/* Logs one line of each level in a process of its own and checks its standard output. */
static void
speak(guint verbosity)
{
  eppd_log_init(verbosity);
  eppd_warning("config", "line %d", 1);
  eppd_notice("policy3", "line %d", 2);
  eppd_info("policy3", "line %d", 3);
  eppd_debug("policy3", "line %d", 4);
}

static void
run_self(void)
{
  g_test_trap_subprocess(NULL, 0, 0);
  g_test_trap_assert_passed();
}

static void
test_verbosity(gconstpointer data)
{
  guint verbosity = GPOINTER_TO_UINT(data);

  if (g_test_subprocess()) {
    speak(verbosity);
    return;
  }
  run_self();
  g_test_trap_assert_stdout("*warning: config: line 1\n*");
  g_test_trap_assert_stdout("*info: policy3: line 2\n*");
  if (verbosity >= 1)
    g_test_trap_assert_stdout("*info: policy3: line 3\n*");
  else
    g_test_trap_assert_stdout_unmatched("*line 3*");
  if (verbosity >= 2)
    g_test_trap_assert_stdout("*debug: policy3: line 4\n*");
  else
    g_test_trap_assert_stdout_unmatched("*line 4*");
}

static void
test_hostile_text_is_escaped(void)
{
  if (g_test_subprocess()) {
    eppd_log_init(0);
    eppd_notice("hold", "by %s", "\x1b[2J\nwarning: forged %s\xff");
    return;
  }
  run_self();
  g_test_trap_assert_stdout("*info: hold: by \\x1b[2J\\x0awarning: forged %s\\xff\n*");
}

static void
test_long_text_is_cut(void)
{
  if (g_test_subprocess()) {
    g_autofree char *text = g_strnfill(1024 * 1024, 'x');

    eppd_log_init(0);
    eppd_notice("hold", "%send", text);
    return;
  }
  run_self();
  g_test_trap_assert_stdout("*info: hold: xxxx*");
  g_test_trap_assert_stdout_unmatched("*end*");
}

static void
test_others_only_when_serious(void)
{
  if (g_test_subprocess()) {
    /* The test framework would make the warning the end of it. */
    g_log_set_always_fatal(G_LOG_FATAL_MASK);
    eppd_log_init(2);
    g_log_structured("GLib-GIO", G_LOG_LEVEL_DEBUG, "MESSAGE", "chatter");
    g_log_structured("GLib-GIO", G_LOG_LEVEL_MESSAGE, "MESSAGE", "gossip");
    g_log_structured("GLib-GIO", G_LOG_LEVEL_WARNING, "MESSAGE", "serious");
    g_log_structured("GLib-GIO", G_LOG_LEVEL_CRITICAL, "MESSAGE", "grave");
    return;
  }
  run_self();
  g_test_trap_assert_stdout_unmatched("*chatter*");
  g_test_trap_assert_stdout_unmatched("*gossip*");
  g_test_trap_assert_stdout("*warning: serious\n*");
  g_test_trap_assert_stdout("*critical: grave\n*");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/log/verbosity/quiet", GUINT_TO_POINTER(0), test_verbosity);
  g_test_add_data_func("/log/verbosity/info", GUINT_TO_POINTER(1), test_verbosity);
  g_test_add_data_func("/log/verbosity/debug", GUINT_TO_POINTER(2), test_verbosity);
  g_test_add_func("/log/hostile-text-is-escaped", test_hostile_text_is_escaped);
  g_test_add_func("/log/long-text-is-cut", test_long_text_is_cut);
  g_test_add_func("/log/others-only-when-serious", test_others_only_when_serious);
  return g_test_run();
}
