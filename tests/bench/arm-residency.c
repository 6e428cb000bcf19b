/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "base/text-file.h"
#include "residency/bpf/bpf-source.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Arms one variant of the BPF source on all CPUs that are online until its standard input ends; for
 * what the programs cost where nobody acts on what they see. For each line that it reads it prints
 * what each program has run so far («NAME RUNS NSEC») and an empty line. */

typedef struct {
  char *variant;
  char *event;
  char **apps; /* directories of cgroups; NULL: none */
  int threshold_permille;
  gboolean boosted;
  gboolean stats;
} Options;

static gboolean
read_online(EppdCpuList *cpus, GError **error)
{
  g_autofree char *text = eppd_text_file_read("/sys/devices/system/cpu/online", error);

  if (!text)
    return FALSE;
  if (eppd_cpu_list_parse(text, cpus))
    return TRUE;
  g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "'%s' is no list of CPUs", text);
  return FALSE;
}

/* The rules for the cgroups that are given, with the threshold of the core. */
static gboolean
read_apps(const Options *options, GArray *rules, GError **error)
{
  for (guint i = 0; options->apps && options->apps[i]; i++) {
    EppdAppRule rule = {.threshold_permille = (guint)options->threshold_permille};
    struct stat directory;

    if (i == EPPD_APP_RULES_MAX || stat(options->apps[i], &directory) < 0)
      return eppd_error_set_errno(error, i == EPPD_APP_RULES_MAX ? E2BIG : errno,
                                  "Could not watch %s", options->apps[i]);
    rule.cgroup_id = directory.st_ino;
    g_array_append_val(rules, rule);
  }
  return TRUE;
}

static gboolean
arm(EppdResidencySource *source, const Options *options, GError **error)
{
  g_autoptr(GArray) rules = g_array_new(FALSE, FALSE, sizeof(EppdAppRule));
  g_auto(EppdCpuList) cpus = {0};
  EppdResidencyConfig config = {.threshold_permille = (guint)options->threshold_permille,
                                .sample_usec = 10 * 1000};

  if (!read_online(&cpus, error) || !read_apps(options, rules, error))
    return FALSE;
  config.cpus = cpus;
  config.apps = (const EppdAppRule *)(gpointer)rules->data;
  config.n_apps = rules->len;
  if (!eppd_residency_source_arm(source, &config, g_get_monotonic_time(), error))
    return FALSE;
  for (guint i = 0; options->boosted && i < cpus.n_cpus; i++)
    eppd_residency_source_set_boosted(source, cpus.cpus[i], true);
  return TRUE;
}

/* Prints the line of the program that @fd is; most descriptors are none. */
static void
print_program(const char *fd)
{
  g_autofree char *path = g_build_filename("/proc/self/fd", fd, NULL);
  g_autofree char *target = g_file_read_link(path, NULL);
  struct bpf_prog_info info = {0};
  __u32 length = sizeof info;

  if (g_strcmp0(target, "anon_inode:bpf-prog") != 0 ||
      bpf_obj_get_info_by_fd((int)strtol(fd, NULL, 10), &info, &length) != 0)
    return;
  g_print("%s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "\n", info.name, (guint64)info.run_cnt,
          (guint64)info.run_time_ns);
}

static void
print_programs(void)
{
  DIR *dir = opendir("/proc/self/fd");
  struct dirent *entry;

  while (dir && (entry = readdir(dir)))
    print_program(entry->d_name);
  if (dir)
    closedir(dir);
  g_print("\n");
}

static void
serve(void)
{
  char line[64];
  ssize_t n;

  g_print("armed\n");
  fflush(stdout);
  while ((n = read(STDIN_FILENO, line, sizeof line)) > 0) {
    for (ssize_t i = 0; i < n; i++) {
      if (line[i] == '\n')
        print_programs();
    }
    fflush(stdout);
  }
}

static void
clear_options(Options *options)
{
  g_free(options->variant);
  g_free(options->event);
  g_strfreev(options->apps);
}

static bool
parse_options(int argc, char **argv, Options *options)
{
  const GOptionEntry entries[] = {
      {"variant", 0, 0, G_OPTION_ARG_STRING, &options->variant, "mperf or idle", "NAME"},
      {"event", 0, 0, G_OPTION_ARG_STRING, &options->event,
       "The msr event that stands for MPERF (default: mperf)", "NAME"},
      {"threshold-permille", 0, 0, G_OPTION_ARG_INT, &options->threshold_permille,
       "Busy from here on; more than 1000: never", "N"},
      {"app", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->apps,
       "The directory of an application's cgroup, to be told apart (again for others)", "DIR"},
      {"boosted", 0, 0, G_OPTION_ARG_NONE, &options->boosted,
       "Mark the CPUs as boosted, as they are under load", NULL},
      {"stats", 0, 0, G_OPTION_ARG_NONE, &options->stats, "Have the kernel time the programs",
       NULL},
      {NULL},
  };
  g_autoptr(GOptionContext) context = g_option_context_new("- the BPF source alone");
  g_autoptr(GError) error = NULL;

  g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, &argc, &argv, &error)) {
    g_printerr("arm-residency: %s\n", error->message);
    return false;
  }
  if (argc > 1 || options->threshold_permille < 1 ||
      (g_strcmp0(options->variant, "mperf") != 0 && g_strcmp0(options->variant, "idle") != 0)) {
    g_printerr("arm-residency: wants --variant mperf|idle, and a threshold of at least 1\n");
    return false;
  }
  return true;
}

static bool
run(const Options *options)
{
  EppdBpfVariant variant = g_str_equal(options->variant, "mperf") ? EPPD_BPF_MPERF : EPPD_BPF_IDLE;
  g_autoptr(EppdResidencySource) source = eppd_bpf_source_new(variant, options->event);
  g_autoptr(GError) error = NULL;

  if (!arm(source, options, &error)) {
    g_printerr("arm-residency: %s\n", error->message);
    return false;
  }
  serve();
  return true;
}

int
main(int argc, char **argv)
{
  Options options = {.threshold_permille = 500};
  int stats_fd = -1;
  bool ok;

  if (!parse_options(argc, argv, &options)) {
    clear_options(&options);
    return 2;
  }
  if (options.stats)
    stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
  if (options.stats && stats_fd < 0)
    g_printerr("arm-residency: no run times: %s\n", g_strerror(errno));
  ok = (!options.stats || stats_fd >= 0) && run(&options);
  if (stats_fd >= 0)
    close(stats_fd);
  clear_options(&options);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
