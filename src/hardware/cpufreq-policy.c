/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/cpufreq-policy.h"

#include "base/error.h"
#include "base/text-file.h"
#include "hardware/attribute.h"

#include <glib/gstdio.h>
#include <string.h>

#define CPUFREQ_DIR "/sys/devices/system/cpu/cpufreq"
#define EPP_FILE    "energy_performance_preference"
#define CHOICES     "energy_performance_available_preferences"

struct _EppdCpufreqPolicy {
  guint number;
  char *dir;
  char *name; /* the last part of dir */
  EppdAttribute epp;
  EppdAttribute governor_file;
  EppdAttribute core_boost;
  EppdAttribute min_freq;

  EppdCpuList cpus;
  ino_t directory; /* the inode of dir, which the kernel gives to no other; 0: not known */
  bool online;
  bool is_short;   /* the last refresh had too few descriptors */
  bool is_unclear; /* …could not read whether it is online */
  char *driver;
  char *governor;
  EppdEppChoices choices;
  bool choices_are_known; /* not read under a governor that leaves performance alone */
  GHashTable *floors;     /* name of a file that does not change → its text, once it was read */
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
read_cpus(const EppdCpufreqPolicy *policy, const char *file, EppdCpuList *cpus, GError **error)
{
  g_autofree char *path = file_path(policy, file);
  g_autofree char *text = eppd_text_file_read_line(path, error);
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
  g_autoptr(GError) error = NULL;

  policy->online = read_cpus(policy, "affected_cpus", &policy->cpus, &error);
  policy->is_short = g_error_matches(error, EPPD_ERROR, EPPD_ERROR_LIMIT);
  policy->is_unclear = g_error_matches(error, EPPD_ERROR, EPPD_ERROR_FAILED) ||
                       g_error_matches(error, EPPD_ERROR, EPPD_ERROR_INVALID);
  if (policy->online || read_cpus(policy, "related_cpus", &policy->cpus, NULL))
    return;
  eppd_cpu_list_clear(&policy->cpus);
  policy->cpus.cpus = g_memdup2(&policy->number, sizeof policy->number);
  policy->cpus.n_cpus = 1;
}

static void
read_governor(EppdCpufreqPolicy *policy)
{
  g_free(policy->governor);
  policy->governor = eppd_attribute_read(&policy->governor_file, NULL);
}

static bool
lists_all_choices(const EppdCpufreqPolicy *policy)
{
  return policy->governor && !eppd_cpufreq_policy_governor_is_performance(policy);
}

static void
refresh_choices(EppdCpufreqPolicy *policy)
{
  g_autofree char *text = read_file(policy, CHOICES);

  policy->choices_are_known = lists_all_choices(policy);
  policy->choices = eppd_epp_choices_parse(text ? text : "");
  /* It takes numbers and does not list "custom" for them. */
  if (g_strcmp0(policy->driver, "intel_pstate") == 0)
    policy->choices.accepts_raw = true;
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

/* NULL without @error where there is no such directory. */
static GDir *
open_directory(const char *path, GError **error)
{
  g_autoptr(GError) open_error = NULL;
  GDir *dir = g_dir_open(path, 0, &open_error);
  bool is_gone = g_error_matches(open_error, G_FILE_ERROR, G_FILE_ERROR_NOENT) ||
                 g_error_matches(open_error, G_FILE_ERROR, G_FILE_ERROR_NOTDIR) ||
                 g_error_matches(open_error, G_FILE_ERROR, G_FILE_ERROR_NODEV);

  if (open_error && !is_gone)
    g_set_error_literal(error, EPPD_ERROR, EPPD_ERROR_LIMIT, open_error->message);
  return dir;
}

GArray *
eppd_cpufreq_policy_numbers(EppdSysRoot *root, GError **error)
{
  g_autofree char *path = eppd_sys_root_path(root, "%s", CPUFREQ_DIR);
  g_autoptr(GError) local_error = NULL;
  g_autoptr(GDir) dir = open_directory(path, &local_error);
  GArray *numbers;
  const char *name;
  guint number;

  if (local_error) {
    g_propagate_error(error, g_steal_pointer(&local_error));
    return NULL;
  }
  numbers = g_array_new(FALSE, FALSE, sizeof(guint));
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
eppd_cpufreq_policies_scan(EppdSysRoot *root, GError **error)
{
  g_autoptr(GArray) numbers = eppd_cpufreq_policy_numbers(root, error);
  g_autoptr(GPtrArray) policies =
      g_ptr_array_new_with_free_func((GDestroyNotify)eppd_cpufreq_policy_free);

  if (!numbers)
    return NULL;
  for (guint i = 0; i < numbers->len; i++) {
    EppdCpufreqPolicy *policy = eppd_cpufreq_policy_new(root, g_array_index(numbers, guint, i));

    g_ptr_array_add(policies, policy);
    if (policy->is_short) {
      g_set_error(error, EPPD_ERROR, EPPD_ERROR_LIMIT, "Could not open %s: too many open files",
                  policy->dir);
      return NULL;
    }
  }
  return g_steal_pointer(&policies);
}

EppdCpufreqPolicy *
eppd_cpufreq_policy_new(EppdSysRoot *root, guint number)
{
  EppdCpufreqPolicy *policy = g_new0(EppdCpufreqPolicy, 1);

  policy->number = number;
  policy->dir = eppd_sys_root_path(root, "%s/policy%u", CPUFREQ_DIR, number);
  policy->name = g_path_get_basename(policy->dir);
  policy->floors = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  eppd_attribute_init(&policy->epp, file_path(policy, EPP_FILE));
  eppd_attribute_init(&policy->governor_file, file_path(policy, "scaling_governor"));
  eppd_attribute_init(&policy->core_boost, file_path(policy, "boost"));
  eppd_attribute_init(&policy->min_freq, file_path(policy, "scaling_min_freq"));
  eppd_cpufreq_policy_refresh(policy);
  return policy;
}

void
eppd_cpufreq_policy_free(EppdCpufreqPolicy *policy)
{
  eppd_attribute_clear(&policy->epp);
  eppd_attribute_clear(&policy->governor_file);
  eppd_attribute_clear(&policy->core_boost);
  eppd_attribute_clear(&policy->min_freq);
  eppd_cpu_list_clear(&policy->cpus);
  g_free(policy->dir);
  g_free(policy->name);
  g_free(policy->driver);
  g_free(policy->governor);
  g_hash_table_unref(policy->floors);
  g_free(policy);
}

/* 0: there is none. */
static ino_t
directory_of(const EppdCpufreqPolicy *policy)
{
  GStatBuf status;

  return g_stat(policy->dir, &status) == 0 ? status.st_ino : 0;
}

bool
eppd_cpufreq_policy_is_remade(const EppdCpufreqPolicy *policy)
{
  ino_t now = directory_of(policy);

  return policy->directory != 0 && now != 0 && now != policy->directory;
}

void
eppd_cpufreq_policy_refresh(EppdCpufreqPolicy *policy)
{
  ino_t directory = directory_of(policy);
  g_autoptr(GError) error = NULL;

  /* One that is gone for now may come back as another. */
  if (directory != 0)
    policy->directory = directory;
  refresh_cpus(policy);
  g_free(policy->driver);
  policy->driver = read_file(policy, "scaling_driver");
  eppd_attribute_close(&policy->governor_file);
  eppd_attribute_close(&policy->core_boost);
  eppd_attribute_close(&policy->min_freq);
  g_hash_table_remove_all(policy->floors);
  read_governor(policy);
  refresh_choices(policy);
  eppd_attribute_open(&policy->epp, &error);
  policy->is_short |= g_error_matches(error, EPPD_ERROR, EPPD_ERROR_LIMIT);
}

bool
eppd_cpufreq_policy_take(EppdCpufreqPolicy *policy, EppdCpufreqPolicy *fresh)
{
  EppdCpufreqPolicy old = *policy;
  bool is_remade = old.directory != 0 && fresh->directory != 0 && old.directory != fresh->directory;

  *policy = *fresh;
  *fresh = old;
  /* One that is gone for now may come back as another. */
  if (policy->directory == 0)
    policy->directory = old.directory;
  eppd_cpufreq_policy_free(fresh);
  return is_remade;
}

void
eppd_cpufreq_policy_refresh_governor(EppdCpufreqPolicy *policy)
{
  read_governor(policy);
  if (!policy->choices_are_known && lists_all_choices(policy))
    refresh_choices(policy);
}

bool
eppd_cpufreq_policy_has_new_driver(const EppdCpufreqPolicy *policy)
{
  g_autofree char *driver = read_file(policy, "scaling_driver");

  return driver && g_strcmp0(driver, policy->driver) != 0;
}

bool
eppd_cpufreq_policy_went_offline(const EppdCpufreqPolicy *policy)
{
  g_auto(EppdCpuList) cpus = {0};

  return !read_cpus(policy, "affected_cpus", &cpus, NULL);
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

bool
eppd_cpufreq_policy_is_unclear(const EppdCpufreqPolicy *policy)
{
  return policy->is_unclear;
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
  /* intel_pstate keeps the files in its passive mode, where the governor chooses the frequency. */
  return policy->epp.is_there && g_strcmp0(policy->driver, "intel_cpufreq") != 0;
}

const EppdEppChoices *
eppd_cpufreq_policy_choices(const EppdCpufreqPolicy *policy)
{
  return &policy->choices;
}

const char *
eppd_cpufreq_policy_governor_path(const EppdCpufreqPolicy *policy)
{
  return policy->governor_file.path;
}

EppdEpp
eppd_cpufreq_policy_read_epp(EppdCpufreqPolicy *policy, GError **error)
{
  g_autofree char *text = eppd_attribute_read(&policy->epp, error);

  return eppd_epp_parse(text);
}

gboolean
eppd_cpufreq_policy_write_epp(EppdCpufreqPolicy *policy, const EppdEpp *epp, GError **error)
{
  char buffer[EPPD_EPP_TEXT_SIZE];
  const char *text = eppd_epp_text(epp, buffer);

  if (!eppd_epp_is_writable(epp)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "%s takes no '%s'", policy->epp.path, text);
    return FALSE;
  }
  return eppd_attribute_write(&policy->epp, text, error);
}

gboolean
eppd_cpufreq_policy_write_governor(EppdCpufreqPolicy *policy, const char *governor, GError **error)
{
  eppd_cpufreq_policy_refresh_governor(policy);
  if (g_strcmp0(policy->governor, governor) == 0)
    return TRUE;
  if (!eppd_attribute_write(&policy->governor_file, governor, error))
    return FALSE;
  eppd_cpufreq_policy_refresh_governor(policy);
  return TRUE;
}

gboolean
eppd_cpufreq_policy_write_core_boost(EppdCpufreqPolicy *policy, int on, GError **error)
{
  return eppd_attribute_update(&policy->core_boost, on ? "1" : "0", error);
}

/* The frequency that @source_file tells; in the memory of @policy. */
static const char *
read_floor(EppdCpufreqPolicy *policy, const char *source_file, GError **error)
{
  const char *known = g_hash_table_lookup(policy->floors, source_file);
  g_autofree char *path = NULL;
  char *text;
  gint64 khz = 0;

  if (known)
    return known;
  path = file_path(policy, source_file);
  if (!eppd_text_file_read_number(path, 1, G_MAXUINT32, &khz, error))
    return NULL;
  text = g_strdup_printf("%" G_GINT64_FORMAT, khz);
  g_hash_table_insert(policy->floors, g_strdup(source_file), text);
  return text;
}

gboolean
eppd_cpufreq_policy_write_min_freq_from(EppdCpufreqPolicy *policy,
                                        const char *source_file,
                                        GError **error)
{
  const char *text = read_floor(policy, source_file, error);

  return text && eppd_attribute_update(&policy->min_freq, text, error);
}
