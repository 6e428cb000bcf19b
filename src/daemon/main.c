/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "base/log.h"
#include "daemon/owner-lock.h"
#include "daemon/restore.h"
#include "daemon/service.h"
#include "residency/source-select.h"

#include "build-config.h"

#include <locale.h>
#include <malloc.h>
#include <stdlib.h>

typedef struct {
  gboolean version;
  gboolean replace;
  gboolean restore;
  gboolean check_config;
  guint verbosity;
  char *root;
  char *config;
  char *state_dir;
  char *runtime_dir;
  char *residency;
  char **blocked_drivers;
  char **blocked_actions;
  gboolean disable_upower;
  gboolean disable_logind;
} Arguments;

static gboolean
on_verbose(const char *name, const char *value, gpointer data, GError **error)
{
  Arguments *arguments = data;

  arguments->verbosity++;
  return TRUE;
}

static gboolean
parse(Arguments *arguments, int *argc, char ***argv, GError **error)
{
  GOptionEntry entries[] = {
      {"root", 0, 0, G_OPTION_ARG_FILENAME, &arguments->root,
       "Control the /sys and /proc files below DIR", "DIR"},
      {"config", 0, 0, G_OPTION_ARG_FILENAME, &arguments->config,
       "Read FILE instead of the configuration's usual places", "FILE"},
      {"state-dir", 0, 0, G_OPTION_ARG_FILENAME, &arguments->state_dir,
       "Keep state in DIR (" EPPD_STATE_DIR ")", "DIR"},
      {"runtime-dir", 0, 0, G_OPTION_ARG_FILENAME, &arguments->runtime_dir,
       "Keep the lock and the restore journal in DIR (" EPPD_RUNTIME_DIR ")", "DIR"},
      {"residency", 0, 0, G_OPTION_ARG_STRING, &arguments->residency,
       "Take C0 residency from SOURCE: auto, bpf, perf, procstat, trace:FILE, trace:virtual:FILE",
       "SOURCE"},
      {"replace", 'r', 0, G_OPTION_ARG_NONE, &arguments->replace,
       "Replace a running eppd or power-profiles-daemon", NULL},
      {"block-driver", 0, 0, G_OPTION_ARG_STRING_ARRAY, &arguments->blocked_drivers,
       "Leave amd_pstate, intel_pstate or platform_profile alone; may be given again", "DRIVER"},
      {"block-action", 0, 0, G_OPTION_ARG_STRING_ARRAY, &arguments->blocked_actions,
       "Never do trickle_charge, amdgpu_panel_power or amdgpu_dpm; may be given again", "ACTION"},
      {"disable-upower", 0, 0, G_OPTION_ARG_NONE, &arguments->disable_upower,
       "Do not ask UPower for the power source, but the kernel", NULL},
      {"disable-logind", 0, 0, G_OPTION_ARG_NONE, &arguments->disable_logind,
       "Do not follow the machine's sleep", NULL},
      {"restore", 0, 0, G_OPTION_ARG_NONE, &arguments->restore,
       "Put back what a dead eppd left boosted, and exit", NULL},
      {"check-config", 0, 0, G_OPTION_ARG_NONE, &arguments->check_config,
       "Check the configuration, and exit (1: something is wrong)", NULL},
      {"verbose", 'v', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, on_verbose,
       "Say more; twice: for debugging", NULL},
      {"version", 0, 0, G_OPTION_ARG_NONE, &arguments->version, "Print the version, and exit",
       NULL},
      {NULL}};
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  GOptionGroup *group = g_option_group_new("eppd", "", "", arguments, NULL);

  g_option_group_add_entries(group, entries);
  g_option_context_set_main_group(context, group);
  g_option_context_set_summary(
      context, "Power profiles, and a higher energy performance preference for busy cores.");
  if (!g_option_context_parse(context, argc, argv, error))
    return FALSE;
  if (*argc > 1) {
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "Unexpected argument '%s'",
                (*argv)[1]);
    return FALSE;
  }
  if (arguments->root && !g_file_test(arguments->root, G_FILE_TEST_IS_DIR)) {
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--root %s is no directory",
                arguments->root);
    return FALSE;
  }
  return !arguments->residency || eppd_source_select_is_valid(arguments->residency, error);
}

static int
check_config(const Arguments *arguments)
{
  g_autoptr(GPtrArray) complaints = g_ptr_array_new_with_free_func(g_free);
  EppdConfig *config = eppd_config_load(arguments->config, complaints);

  eppd_config_free(config);
  for (guint i = 0; i < complaints->len; i++)
    g_print("%s\n", (const char *)complaints->pdata[i]);
  return complaints->len > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int
restore(EppdSysRoot *root, const char *runtime_dir)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(EppdOwnerLock) lock = eppd_owner_lock_try(runtime_dir, &error);
  EppdRestoreResult result;

  if (!lock) {
    /* A running eppd restores by itself. */
    eppd_notice("restore", "nothing done: %s", error->message);
    return g_error_matches(error, EPPD_ERROR, EPPD_ERROR_BUSY) ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  result = eppd_restore(root, runtime_dir);
  if (result.restored + result.left_alone + result.pending > 0)
    eppd_notice("restore", "%u restored, %u left alone (written by others), %u pending",
                result.restored, result.left_alone, result.pending);
  return EXIT_SUCCESS;
}

static void
clear_arguments(Arguments *arguments)
{
  g_free(arguments->root);
  g_free(arguments->config);
  g_free(arguments->state_dir);
  g_free(arguments->runtime_dir);
  g_free(arguments->residency);
  g_strfreev(arguments->blocked_drivers);
  g_strfreev(arguments->blocked_actions);
}

static int
run(const Arguments *arguments)
{
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(arguments->root);
  const char *runtime_dir = arguments->runtime_dir ? arguments->runtime_dir : EPPD_RUNTIME_DIR;
  EppdServiceOptions options = {
      .controller = {.root = root,
                     .config_file = arguments->config,
                     .state_dir = arguments->state_dir ? arguments->state_dir : EPPD_STATE_DIR,
                     .runtime_dir = runtime_dir,
                     .residency_source = arguments->residency,
                     .blocked_drivers = (const char *const *)arguments->blocked_drivers,
                     .blocked_actions = (const char *const *)arguments->blocked_actions,
                     .without_upower = arguments->disable_upower,
                     .without_logind = arguments->disable_logind},
      .replace = arguments->replace,
  };

  if (arguments->version) {
    g_print("eppd %s\n", EPPD_VERSION);
    return EXIT_SUCCESS;
  }
  if (arguments->check_config)
    return check_config(arguments);
  if (arguments->restore)
    return restore(root, runtime_dir);
  return eppd_service_run(&options);
}

int
main(int argc, char **argv)
{
  Arguments arguments = {0};
  g_autoptr(GError) error = NULL;
  int status;

  /* Threads are few and allocate little: an arena each would cost more than they ever wait. */
  mallopt(M_ARENA_MAX, 1);
  setlocale(LC_ALL, "");
  if (!parse(&arguments, &argc, &argv, &error)) {
    g_printerr("eppd: %s\n", error->message);
    clear_arguments(&arguments);
    return 2;
  }
  eppd_log_init(arguments.verbosity);
  status = run(&arguments);
  clear_arguments(&arguments);
  return status;
}
