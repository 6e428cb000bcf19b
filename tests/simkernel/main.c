/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-fault.h"
#include "sim-fuse.h"
#include "sim-log.h"
#include "sim-machine.h"
#include "sim-tree.h"
#include "sim-uevent.h"

#include <errno.h>
#include <gio/gio.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTROL_PATH    "/simkernel/control"
#define FAULTS_MET_PATH "/simkernel/faults-met"
#define SIMULATED                                                                                  \
  "Everything here is simulated, by eppd-simkernel of eppd's tests: no file is this machine's."

/* The simulated kernel, wired. */
typedef struct {
  SimLog *log; /* or NULL */
  SimFaults *faults;
  SimFuse *fuse;
  SimUevents *uevents; /* NULL where none may be sent */
  SimTree *tree;
  SimMachine *machine;
} App;

typedef struct {
  SimMachineOptions machine;
  char *mountpoint;
  char *log_path;
  guint32 seed;
} Options;

static void
on_notify(SimNode *node, gpointer data)
{
  App *app = data;

  sim_fuse_notify(app->fuse, node);
}

static void
on_removed(SimNode *directory, const char *name, gpointer data)
{
  App *app = data;

  sim_fuse_removed(app->fuse, directory, name);
}

static void
on_uevent(const char *action,
          const char *subsystem,
          const char *devpath,
          const char *const *properties,
          gpointer data)
{
  App *app = data;
  g_autofree char *text = g_strdup_printf("%s %s", action, subsystem);

  if (app->log)
    sim_log_add(app->log, &(SimLogEntry){.now_usec = g_get_monotonic_time(),
                                         .op = "event",
                                         .path = devpath,
                                         .text = text});
  if (app->uevents)
    sim_uevents_send(app->uevents, action, subsystem, devpath, properties);
}

static int
control_store(gpointer data, const char *text)
{
  App *app = data;
  g_autofree char *command = g_strchomp(g_strdup(text));
  g_autofree char *error = NULL;
  bool ok = g_str_has_prefix(command, "fault ")
                ? sim_faults_command(app->faults, command + strlen("fault "), &error)
                : sim_machine_command(app->machine, command, &error);

  if (ok)
    return 0;
  g_printerr("%s: %s\n", command, error);
  return EINVAL;
}

static const SimFileOps control_ops = {.store = control_store};

/* To how many accesses a fault applied; those that met a file that had vanished are not counted. */
static int
faults_met_show(gpointer data, GString *text)
{
  const App *app = data;

  g_string_append_printf(text, "%" G_GUINT64_FORMAT "\n", sim_faults_n_met(app->faults));
  return 0;
}

static const SimFileOps faults_met_ops = {.show = faults_met_show};

static void
add_own_files(App *app)
{
  /* Where the machine's own are bound to, when this is mounted over /sys. */
  static const char *const places[] = {"/sys/kernel", "/sys/fs", "/sys/bus"};

  sim_tree_add_text(app->tree, "/SIMULATED", SIMULATED);
  sim_tree_add_file(app->tree, CONTROL_PATH, &control_ops, app);
  sim_tree_add_file(app->tree, FAULTS_MET_PATH, &faults_met_ops, app);
  for (guint i = 0; i < G_N_ELEMENTS(places); i++)
    sim_tree_add_directory(app->tree, places[i]);
}

static void
on_mounted(void)
{
  puts("ready");
  fflush(stdout);
}

static void
app_clear(App *app)
{
  /* What is open still names nodes. */
  g_clear_pointer(&app->machine, sim_machine_free);
  g_clear_pointer(&app->tree, sim_tree_free);
  g_clear_pointer(&app->fuse, sim_fuse_free);
  g_clear_pointer(&app->uevents, sim_uevents_free);
  g_clear_pointer(&app->faults, sim_faults_free);
  g_clear_pointer(&app->log, sim_log_free);
}

static bool
run(App *app, const Options *options, GError **error)
{
  const SimTreeHooks hooks = {.notify = on_notify, .uevent = on_uevent, .removed = on_removed};
  g_autoptr(GError) no_uevents = NULL;

  app->faults = sim_faults_new(options->seed);
  if (options->log_path && !(app->log = sim_log_open(options->log_path, error)))
    return false;
  app->fuse = sim_fuse_new(app->faults, app->log, options->mountpoint, error);
  if (!app->fuse)
    return false;
  app->uevents = sim_uevents_new(&no_uevents);
  if (no_uevents)
    g_printerr("no uevents: %s\n", no_uevents->message);
  app->tree = sim_tree_new(&hooks, app);
  app->machine = sim_machine_new(&options->machine, app->tree);
  add_own_files(app);
  return sim_fuse_run(app->fuse, app->tree, on_mounted, error);
}

static bool
parse_kernel(const char *text, SimKernelVersion *version)
{
  static const struct {
    const char *text;
    SimKernelVersion version;
  } kernels[] = {
      {"7.0", SIM_KERNEL_7_0},
      {"7.1", SIM_KERNEL_7_1},
      {"7.2", SIM_KERNEL_7_1},
      {"7.3", SIM_KERNEL_7_3},
  };

  for (guint i = 0; i < G_N_ELEMENTS(kernels); i++) {
    if (g_str_equal(text, kernels[i].text)) {
      *version = kernels[i].version;
      return true;
    }
  }
  return false;
}

static bool
is_among(const char *text, const char *const *words)
{
  return g_strv_contains(words, text);
}

typedef struct {
  int n_cpus;
  int cpus_per_policy;
  char *driver;
  char *mode;
  char *kernel;
  gboolean no_cppc;
  gboolean epp_boost;
  gboolean epb;
  gboolean battery;
  gboolean powercap;
  gboolean platform_class;
  char *platform_choices;
  char *platform_choices2;
  char *log_path;
  gint64 seed;
} CommandLine;

static bool
parse_command_line(CommandLine *line, int *argc, char ***argv, GError **error)
{
  const GOptionEntry entries[] = {
      {"cpus", 0, 0, G_OPTION_ARG_INT, &line->n_cpus, "how many CPUs (4)", "N"},
      {"cpus-per-policy", 0, 0, G_OPTION_ARG_INT, &line->cpus_per_policy,
       "how many of them share a policy (1)", "N"},
      {"driver", 0, 0, G_OPTION_ARG_STRING, &line->driver,
       "amd-pstate (the default), intel_pstate, acpi-cpufreq, none", "NAME"},
      {"mode", 0, 0, G_OPTION_ARG_STRING, &line->mode,
       "the driver's: active (the default), passive, guided", "MODE"},
      {"kernel", 0, 0, G_OPTION_ARG_STRING, &line->kernel, "7.0 (the default), 7.1, 7.2, 7.3",
       "VERSION"},
      {"no-cppc", 0, 0, G_OPTION_ARG_NONE, &line->no_cppc, "shared-memory CPPC", NULL},
      {"epp-boost", 0, 0, G_OPTION_ARG_NONE, &line->epp_boost, "the kernel's own boost", NULL},
      {"epb", 0, 0, G_OPTION_ARG_NONE, &line->epb, "energy_perf_bias", NULL},
      {"battery", 0, 0, G_OPTION_ARG_NONE, &line->battery, "a battery besides the adapter", NULL},
      {"powercap", 0, 0, G_OPTION_ARG_NONE, &line->powercap, "RAPL", NULL},
      {"platform-profile", 0, 0, G_OPTION_ARG_STRING, &line->platform_choices,
       "platform_profile, with these", "CHOICES"},
      {"platform-profile2", 0, 0, G_OPTION_ARG_STRING, &line->platform_choices2,
       "a second handler, with these", "CHOICES"},
      {"platform-class", 0, 0, G_OPTION_ARG_NONE, &line->platform_class,
       "the platform-profile class too", NULL},
      {"log", 0, 0, G_OPTION_ARG_FILENAME, &line->log_path, "where to append what happens", "FILE"},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &line->seed, "of what faults do at random", "N"},
      {NULL},
  };
  g_autoptr(GOptionContext) context = g_option_context_new("MOUNTPOINT");

  g_option_context_set_summary(context, "A kernel's files of CPUs, profiles and power, simulated.");
  g_option_context_add_main_entries(context, entries, NULL);
  return g_option_context_parse(context, argc, argv, error);
}

/* NULL, or what is wrong. */
static const char *
check_command_line(const CommandLine *line, int argc)
{
  const char *const drivers[] = {"amd-pstate", "intel_pstate", "acpi-cpufreq", "none", NULL};
  const char *const modes[] = {"active", "passive", "guided", NULL};

  if (argc != 2)
    return "one MOUNTPOINT is needed";
  if (line->n_cpus < 1 || line->n_cpus > 65536)
    return "--cpus: 1 to 65536";
  if (line->cpus_per_policy < 1 || line->cpus_per_policy > line->n_cpus)
    return "--cpus-per-policy: 1 to the number of CPUs";
  if (line->seed < 0 || line->seed > G_MAXUINT32)
    return "--seed: 0 to 4294967295";
  if (line->driver && !is_among(line->driver, drivers))
    return "--driver: amd-pstate, intel_pstate, acpi-cpufreq or none";
  if (line->mode && !is_among(line->mode, modes))
    return "--mode: active, passive or guided";
  if (line->platform_choices2 && !line->platform_choices)
    return "--platform-profile2 needs --platform-profile";
  return NULL;
}

/* Borrows @line's texts. */
static bool
options_from(const CommandLine *line, const char *mountpoint, Options *options)
{
  const char *driver = line->driver ? line->driver : "amd-pstate";

  *options = (Options){
      .machine =
          {
              .n_cpus = line->n_cpus,
              .cpus_per_policy = line->cpus_per_policy,
              .driver = g_str_equal(driver, "none") ? NULL : driver,
              .mode = line->mode ? line->mode : "active",
              .has_cppc = !line->no_cppc,
              .has_epp_boost = line->epp_boost,
              .has_epb = line->epb,
              .has_battery = line->battery,
              .has_powercap = line->powercap,
              .platform_choices = line->platform_choices,
              .platform_choices2 = line->platform_choices2,
              .has_platform_class = line->platform_class,
          },
      /* The working directory may be another when it is unmounted. */
      .mountpoint = realpath(mountpoint, NULL),
      .log_path = line->log_path,
      .seed = line->seed,
  };
  if (!options->mountpoint) {
    g_printerr("%s: %s\n", mountpoint, g_strerror(errno));
    return false;
  }
  if (!g_file_test(options->mountpoint, G_FILE_TEST_IS_DIR)) {
    g_printerr("%s: %s\n", mountpoint, g_strerror(ENOTDIR));
    return false;
  }
  if (!parse_kernel(line->kernel ? line->kernel : "7.0", &options->machine.kernel)) {
    g_printerr("--kernel: 7.0, 7.1, 7.2 or 7.3\n");
    return false;
  }
  return true;
}

static void
command_line_clear(CommandLine *line)
{
  g_free(line->driver);
  g_free(line->mode);
  g_free(line->kernel);
  g_free(line->platform_choices);
  g_free(line->platform_choices2);
  g_free(line->log_path);
}

/* Before there are threads: all of them have them blocked, and one waits for them. */
static void
block_signals(void)
{
  sigset_t signals;

  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, NULL);
}

static int
start(const CommandLine *line, const char *mountpoint)
{
  g_autoptr(GError) error = NULL;
  Options options;
  App app = {NULL};
  bool ok;

  if (!options_from(line, mountpoint, &options)) {
    free(options.mountpoint);
    return 2;
  }
  block_signals();
  ok = run(&app, &options, &error);
  if (!ok)
    g_printerr("%s\n", error->message);
  app_clear(&app);
  free(options.mountpoint);
  return ok ? 0 : 1;
}

int
main(int argc, char **argv)
{
  CommandLine line = {.n_cpus = 4, .cpus_per_policy = 1};
  g_autoptr(GError) error = NULL;
  const char *mistake = NULL;
  int code = 2;

  setlocale(LC_ALL, "");
  if (!parse_command_line(&line, &argc, &argv, &error))
    mistake = error->message;
  else
    mistake = check_command_line(&line, argc);
  if (mistake)
    g_printerr("%s\n", mistake);
  else
    code = start(&line, argv[1]);
  command_line_clear(&line);
  return code;
}
