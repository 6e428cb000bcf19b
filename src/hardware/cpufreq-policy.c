/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/cpufreq-policy.h"

#include "base/error.h"
#include "base/text-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define CPUFREQ_DIR "/sys/devices/system/cpu/cpufreq"
#define EPP_FILE    "energy_performance_preference"
#define CHOICES     "energy_performance_available_preferences"

struct _EppdCpufreqPolicy {
  guint number;
  char *dir;
  char *name; /* the last part of dir */
  char *governor_path;
  char *epp_path;

  EppdCpuList cpus;
  bool online;
  char *driver;
  char *governor;
  EppdEppChoices choices;

  bool has_epp;
  bool epp_is_writable; /* whether epp_fd can be written by */
  int epp_fd;           /* -1: not open */
};

static char *
file_path(const EppdCpufreqPolicy *policy, const char *file)
{
  return g_build_filename(policy->dir, file, NULL);
}

/* The first line of one of its files; NULL where it can't be read. */
static char *
read_file(const EppdCpufreqPolicy *policy, const char *file)
{
  g_autofree char *path = file_path(policy, file);

  return eppd_text_file_read_line(path, NULL);
}

static bool
read_cpus(const EppdCpufreqPolicy *policy, const char *file, EppdCpuList *cpus)
{
  g_autofree char *text = read_file(policy, file);
  g_auto(EppdCpuList) list = {0};

  if (!text || !eppd_cpu_list_parse(text, &list) || list.n_cpus == 0)
    return false;
  eppd_cpu_list_clear(cpus);
  *cpus = list;
  list = (EppdCpuList){0};
  return true;
}

static void
refresh_cpus(EppdCpufreqPolicy *policy)
{
  policy->online = read_cpus(policy, "affected_cpus", &policy->cpus);
  if (policy->online || read_cpus(policy, "related_cpus", &policy->cpus))
    return;
  eppd_cpu_list_clear(&policy->cpus);
  policy->cpus.cpus = g_memdup2(&policy->number, sizeof policy->number);
  policy->cpus.n_cpus = 1;
}

static void
refresh_choices(EppdCpufreqPolicy *policy)
{
  g_autofree char *text = read_file(policy, CHOICES);

  policy->choices = eppd_epp_choices_parse(text ? text : "");
  /* It takes numbers and does not list "custom" for them. */
  if (g_strcmp0(policy->driver, "intel_pstate") == 0)
    policy->choices.accepts_raw = true;
}

static void
close_epp(EppdCpufreqPolicy *policy)
{
  if (policy->epp_fd >= 0)
    close(policy->epp_fd);
  policy->epp_fd = -1;
}

/* Opens the EPP file anew, for reading alone where writing is denied. */
static gboolean
open_epp(EppdCpufreqPolicy *policy, GError **error)
{
  const int flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

  close_epp(policy);
  policy->epp_is_writable = true;
  policy->epp_fd = TEMP_FAILURE_RETRY(open(policy->epp_path, O_RDWR | flags));
  if (policy->epp_fd < 0 && eppd_error_from_errno(errno) == EPPD_ERROR_DENIED) {
    policy->epp_is_writable = false;
    policy->epp_fd = TEMP_FAILURE_RETRY(open(policy->epp_path, O_RDONLY | flags));
  }
  if (policy->epp_fd < 0) {
    policy->has_epp = eppd_error_from_errno(errno) != EPPD_ERROR_GONE;
    return eppd_error_set_errno(error, errno, "Could not open %s", policy->epp_path);
  }
  policy->has_epp = true;
  return TRUE;
}

/* Runs @access on the open EPP file, and once more on a new descriptor where the old one's file is
 * gone: the driver was replaced. */
typedef gboolean (*EppAccess)(EppdCpufreqPolicy *policy, gpointer data, GError **error);

static gboolean
access_epp(EppdCpufreqPolicy *policy, EppAccess access_func, gpointer data, GError **error)
{
  g_autoptr(GError) first_error = NULL;

  if (policy->epp_fd >= 0) {
    if (access_func(policy, data, &first_error))
      return TRUE;
    if (!g_error_matches(first_error, EPPD_ERROR, EPPD_ERROR_GONE)) {
      g_propagate_error(error, g_steal_pointer(&first_error));
      return FALSE;
    }
  }
  return open_epp(policy, error) && access_func(policy, data, error);
}

static gboolean
pread_epp(EppdCpufreqPolicy *policy, gpointer data, GError **error)
{
  g_autofree char *text = eppd_text_file_pread(policy->epp_fd, policy->epp_path, error);

  if (!text)
    return FALSE;
  *(EppdEpp *)data = eppd_epp_parse(text);
  return TRUE;
}

static gboolean
pwrite_epp(EppdCpufreqPolicy *policy, gpointer data, GError **error)
{
  const EppdEpp *epp = data;
  char buffer[EPPD_EPP_TEXT_SIZE];

  if (!policy->epp_is_writable)
    return eppd_error_set_errno(error, EACCES, "Could not open %s for writing", policy->epp_path);
  return eppd_text_file_pwrite(policy->epp_fd, policy->epp_path, eppd_epp_text(epp, buffer), error);
}

static int
compare_numbers(const void *a, const void *b)
{
  guint x = *(const guint *)a;
  guint y = *(const guint *)b;

  return (x > y) - (x < y);
}

bool
eppd_cpufreq_policy_parse_name(const char *name, guint *number)
{
  const char *digits = name + strlen("policy");
  guint64 value;

  if (!g_str_has_prefix(name, "policy") || (digits[0] == '0' && digits[1] != '\0'))
    return false;
  if (!g_ascii_string_to_unsigned(digits, 10, 0, EPPD_CPU_MAX - 1, &value, NULL))
    return false;
  *number = (guint)value;
  return true;
}

GArray *
eppd_cpufreq_policy_numbers(EppdSysRoot *root)
{
  g_autofree char *path = eppd_sys_root_path(root, "%s", CPUFREQ_DIR);
  g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
  GArray *numbers = g_array_new(FALSE, FALSE, sizeof(guint));
  const char *name;
  guint number;

  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *policy_path = g_build_filename(path, name, NULL);

    if (eppd_cpufreq_policy_parse_name(name, &number) &&
        g_file_test(policy_path, G_FILE_TEST_IS_DIR))
      g_array_append_val(numbers, number);
  }
  g_array_sort(numbers, compare_numbers);
  return numbers;
}

GPtrArray *
eppd_cpufreq_policies_scan(EppdSysRoot *root)
{
  g_autoptr(GArray) numbers = eppd_cpufreq_policy_numbers(root);
  GPtrArray *policies = g_ptr_array_new_with_free_func((GDestroyNotify)eppd_cpufreq_policy_free);

  for (guint i = 0; i < numbers->len; i++)
    g_ptr_array_add(policies, eppd_cpufreq_policy_new(root, g_array_index(numbers, guint, i)));
  return policies;
}

EppdCpufreqPolicy *
eppd_cpufreq_policy_new(EppdSysRoot *root, guint number)
{
  EppdCpufreqPolicy *policy = g_new0(EppdCpufreqPolicy, 1);

  policy->number = number;
  policy->dir = eppd_sys_root_path(root, "%s/policy%u", CPUFREQ_DIR, number);
  policy->name = g_path_get_basename(policy->dir);
  policy->governor_path = file_path(policy, "scaling_governor");
  policy->epp_path = file_path(policy, EPP_FILE);
  policy->epp_fd = -1;
  eppd_cpufreq_policy_refresh(policy);
  return policy;
}

void
eppd_cpufreq_policy_free(EppdCpufreqPolicy *policy)
{
  close_epp(policy);
  eppd_cpu_list_clear(&policy->cpus);
  g_free(policy->dir);
  g_free(policy->name);
  g_free(policy->governor_path);
  g_free(policy->epp_path);
  g_free(policy->driver);
  g_free(policy->governor);
  g_free(policy);
}

void
eppd_cpufreq_policy_refresh(EppdCpufreqPolicy *policy)
{
  refresh_cpus(policy);
  g_free(policy->driver);
  policy->driver = read_file(policy, "scaling_driver");
  eppd_cpufreq_policy_refresh_governor(policy);
  refresh_choices(policy);
  open_epp(policy, NULL);
}

bool
eppd_cpufreq_policy_refresh_governor(EppdCpufreqPolicy *policy)
{
  g_free(policy->governor);
  policy->governor = eppd_text_file_read_line(policy->governor_path, NULL);
  return policy->governor != NULL;
}

bool
eppd_cpufreq_policy_has_new_driver(const EppdCpufreqPolicy *policy)
{
  g_autofree char *driver = read_file(policy, "scaling_driver");

  return driver && g_strcmp0(driver, policy->driver) != 0;
}

guint
eppd_cpufreq_policy_number(const EppdCpufreqPolicy *policy)
{
  return policy->number;
}

const char *
eppd_cpufreq_policy_name(const EppdCpufreqPolicy *policy)
{
  return policy->name;
}

const EppdCpuList *
eppd_cpufreq_policy_cpus(const EppdCpufreqPolicy *policy)
{
  return &policy->cpus;
}

bool
eppd_cpufreq_policy_is_online(const EppdCpufreqPolicy *policy)
{
  return policy->online;
}

const char *
eppd_cpufreq_policy_driver(const EppdCpufreqPolicy *policy)
{
  return policy->driver;
}

const char *
eppd_cpufreq_policy_governor(const EppdCpufreqPolicy *policy)
{
  return policy->governor;
}

bool
eppd_cpufreq_policy_governor_is_performance(const EppdCpufreqPolicy *policy)
{
  return g_strcmp0(policy->governor, "performance") == 0;
}

bool
eppd_cpufreq_policy_has_epp(const EppdCpufreqPolicy *policy)
{
  return policy->has_epp;
}

const EppdEppChoices *
eppd_cpufreq_policy_choices(const EppdCpufreqPolicy *policy)
{
  return &policy->choices;
}

const char *
eppd_cpufreq_policy_governor_path(const EppdCpufreqPolicy *policy)
{
  return policy->governor_path;
}

const char *
eppd_cpufreq_policy_epp_path(const EppdCpufreqPolicy *policy)
{
  return policy->epp_path;
}

EppdEpp
eppd_cpufreq_policy_read_epp(EppdCpufreqPolicy *policy, GError **error)
{
  EppdEpp epp = eppd_epp_named(EPPD_EPP_UNKNOWN);

  access_epp(policy, pread_epp, &epp, error);
  return epp;
}

gboolean
eppd_cpufreq_policy_write_epp(EppdCpufreqPolicy *policy, const EppdEpp *epp, GError **error)
{
  EppdEpp value = *epp;
  char buffer[EPPD_EPP_TEXT_SIZE];

  if (!eppd_epp_is_writable(epp)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "%s takes no '%s'", policy->epp_path,
                eppd_epp_text(epp, buffer));
    return FALSE;
  }
  /* Who may write it can change, and the descriptor would not know. */
  if (!policy->epp_is_writable)
    open_epp(policy, NULL);
  return access_epp(policy, pwrite_epp, &value, error);
}

gboolean
eppd_cpufreq_policy_write_governor(EppdCpufreqPolicy *policy, const char *governor, GError **error)
{
  if (!eppd_text_file_update(policy->governor_path, governor, error))
    return FALSE;
  eppd_cpufreq_policy_refresh_governor(policy);
  return TRUE;
}

gboolean
eppd_cpufreq_policy_write_core_boost(EppdCpufreqPolicy *policy, int on, GError **error)
{
  g_autofree char *path = file_path(policy, "boost");

  return eppd_text_file_update(path, on ? "1" : "0", error);
}

gboolean
eppd_cpufreq_policy_write_min_freq_from(EppdCpufreqPolicy *policy,
                                        const char *source_file,
                                        GError **error)
{
  g_autofree char *source_path = file_path(policy, source_file);
  g_autofree char *path = file_path(policy, "scaling_min_freq");
  g_autofree char *text = NULL;
  gint64 khz = 0;

  if (!eppd_text_file_read_number(source_path, 1, G_MAXUINT32, &khz, error))
    return FALSE;
  text = g_strdup_printf("%" G_GINT64_FORMAT, khz);
  return eppd_text_file_update(path, text, error);
}
