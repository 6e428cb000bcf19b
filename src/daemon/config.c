/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/config.h"

#include "base/error.h"
#include "base/key-file.h"
#include "base/printable.h"
#include "residency/source-select.h"

#include "build-config.h"

/* A value's longest useful length in a complaint. */
#define SHOWN_BYTES 80

typedef struct KeySpec KeySpec;
struct KeySpec {
  const char *group;
  const char *key;
  /* Stores @text in @field; false if it makes no sense. */
  bool (*parse)(const KeySpec *spec, const char *text, gpointer field);
  gsize offset;
  const char *expected; /* for the complaint: "one of off, opt-in, always" */
  gint64 min;
  gint64 max;
};

static bool
parse_number(const KeySpec *spec, const char *text, gint64 *value)
{
  return g_ascii_string_to_signed(text, 10, spec->min, spec->max, value, NULL);
}

static bool
parse_percent(const KeySpec *spec, const char *text, gpointer field)
{
  gint64 value;

  if (!parse_number(spec, text, &value))
    return false;
  *(guint *)field = (guint)value;
  return true;
}

static bool
parse_ms(const KeySpec *spec, const char *text, gpointer field)
{
  gint64 value;

  if (!parse_number(spec, text, &value))
    return false;
  *(gint64 *)field = value * 1000;
  return true;
}

/* The vocabulary's own parsers, in the shape of the table. */
#define DEFINE_PARSER(name, Type, parser)                                                          \
  static bool name(const KeySpec *spec, const char *text, gpointer field)                          \
  {                                                                                                \
    return parser(text, (Type *)field);                                                            \
  }

DEFINE_PARSER(parse_bool, bool, eppd_boolean_parse)
DEFINE_PARSER(parse_profile, EppdProfile, eppd_profile_parse)
DEFINE_PARSER(parse_table, EppdEppTableKind, eppd_epp_table_kind_parse)
DEFINE_PARSER(parse_mode, EppdBoostMode, eppd_boost_mode_parse)
DEFINE_PARSER(parse_trigger, EppdTrigger, eppd_trigger_parse)
DEFINE_PARSER(parse_backend, EppdBackend, eppd_backend_parse)

static bool
parse_epp(const KeySpec *spec, const char *text, gpointer field)
{
  EppdEpp epp = eppd_epp_parse(text);

  /* A policy EPP of "dynamic" would hand the CPU to the kernel: that is DynamicEpp=, not a value.
   */
  if (!eppd_epp_is_writable(&epp) || epp.kind == EPPD_EPP_DYNAMIC)
    return false;
  *(EppdEpp *)field = epp;
  return true;
}

static bool
parse_profiles(const KeySpec *spec, const char *text, gpointer field)
{
  g_auto(GStrv) words = g_strsplit_set(text, ";,", -1);
  guint mask = 0;

  for (guint i = 0; words[i]; i++) {
    EppdProfile profile;

    if (!*g_strstrip(words[i]))
      continue;
    if (!eppd_profile_parse(words[i], &profile))
      return false;
    mask |= 1u << profile;
  }
  *(guint *)field = mask;
  return true;
}

static bool
parse_source(const KeySpec *spec, const char *text, gpointer field)
{
  /* A trace is for a test's command line: a configured one would boost by a recording. */
  if (g_str_has_prefix(text, "trace") || !eppd_source_select_is_valid(text, NULL))
    return false;
  g_free(*(char **)field);
  *(char **)field = g_strdup(text);
  return true;
}

static bool
parse_dynamic_epp(const KeySpec *spec, const char *text, gpointer field)
{
  if (!g_str_equal(text, "defer") && !g_str_equal(text, "take-over"))
    return false;
  *(bool *)field = g_str_equal(text, "take-over");
  return true;
}

static bool
parse_text(const KeySpec *spec, const char *text, gpointer field)
{
  g_free(*(char **)field);
  *(char **)field = g_strdup(text);
  return true;
}

#define AT(member) G_STRUCT_OFFSET(EppdConfig, member)
#define BOOL       "true or false"
#define EPP        "an EPP name or 0..255"
#define CELL(p, s) AT(table.custom[EPPD_PROFILE_##p][EPPD_POWER_SOURCE_##s])

static const KeySpec key_specs[] = {
    {"Policy", "DefaultProfile", parse_profile, AT(default_profile),
     "power-saver, balanced or performance"},
    {"Policy", "Table", parse_table, AT(table.kind), "ppd, dynamic-epp or custom"},
    {"Policy", "PowerSaverAC", parse_epp, CELL(POWER_SAVER, AC), EPP},
    {"Policy", "PowerSaverBattery", parse_epp, CELL(POWER_SAVER, BATTERY), EPP},
    {"Policy", "BalancedAC", parse_epp, CELL(BALANCED, AC), EPP},
    {"Policy", "BalancedBattery", parse_epp, CELL(BALANCED, BATTERY), EPP},
    {"Policy", "PerformanceAC", parse_epp, CELL(PERFORMANCE, AC), EPP},
    {"Policy", "PerformanceBattery", parse_epp, CELL(PERFORMANCE, BATTERY), EPP},
    {"Policy", "Governor", parse_bool, AT(governor), BOOL},
    {"Policy", "FrequencyFloor", parse_bool, AT(frequency_floor), BOOL},
    {"Policy", "CoreBoost", parse_bool, AT(core_boost), BOOL},
    {"Policy", "PowerSourceDebounceMs", parse_ms, AT(power_source_debounce_usec),
     "a number of 0..600000", 0, 600000},
    {"Policy", "ModelValues", parse_bool, AT(model_values), BOOL},
    {"Boost", "Mode", parse_mode, AT(mode), "off, opt-in or always"},
    {"Boost", "Trigger", parse_trigger, AT(trigger), "core or app"},
    {"Boost", "ThresholdPercent", parse_percent, AT(threshold_percent), "a number of 1..100", 1,
     100},
    {"Boost", "AppThresholdPercent", parse_percent, AT(app_threshold_percent), "a number of 1..100",
     1, 100},
    {"Boost", "SampleMs", parse_ms, AT(sample_usec), "a number of 1..1000", 1, 1000},
    {"Boost", "HoldMs", parse_ms, AT(hold_usec), "a number of 0..60000", 0, 60000},
    {"Boost", "Epp", parse_epp, AT(boost_epp), EPP},
    {"Boost", "SuppressIn", parse_profiles, AT(suppress_in), "profiles, separated by ';'"},
    {"Boost", "OnBattery", parse_bool, AT(on_battery), BOOL},
    {"Boost", "Backend", parse_backend, AT(backend), "auto, kernel or user"},
    {"Boost", "Siblings", parse_bool, AT(siblings), BOOL},
    {"Residency", "Source", parse_source, AT(residency_source), "auto, bpf, perf or procstat"},
    {"Kernel", "DynamicEpp", parse_dynamic_epp, AT(dynamic_epp_take_over), "defer or take-over"},
    {"Games", "DesktopKey", parse_bool, AT(desktop_key), BOOL},
    {"Games", "Categories", parse_text, AT(categories), "categories, separated by ';'"},
    {"Games", "GameMode", parse_bool, AT(game_mode), BOOL},
};

static void G_GNUC_PRINTF(4, 5)
    complain(GPtrArray *complaints, const char *path, guint line, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  va_start(args, format);
  what = g_strdup_vprintf(format, args);
  va_end(args);
  g_ptr_array_add(complaints, g_strdup_printf("%s:%u: %s; ignoring it", path, line, what));
}

static const KeySpec *
find_spec(const char *group, const char *key, bool *group_is_known)
{
  *group_is_known = false;
  for (guint i = 0; i < G_N_ELEMENTS(key_specs); i++) {
    if (!g_str_equal(key_specs[i].group, group))
      continue;
    *group_is_known = true;
    if (key && g_str_equal(key_specs[i].key, key))
      return &key_specs[i];
  }
  return NULL;
}

static void
take_key(EppdConfig *config,
         EppdKeyFile *file,
         const char *group,
         const char *key,
         GPtrArray *complaints)
{
  bool group_is_known;
  const KeySpec *spec = find_spec(group, key, &group_is_known);
  guint line = eppd_key_file_line(file, group, key);
  const char *path = eppd_key_file_path(file);
  g_autofree char *text = eppd_key_file_value(file, group, key);
  g_autofree char *shown_key = eppd_printable(key, SHOWN_BYTES);
  g_autofree char *shown = NULL;

  if (!spec) {
    complain(complaints, path, line, "[%s] %s: no such key", group, shown_key);
    return;
  }
  if (!text)
    return;
  if (spec->parse(spec, text, (char *)config + spec->offset))
    return;
  shown = eppd_printable(text, SHOWN_BYTES);
  complain(complaints, path, line, "[%s] %s=%s: expected %s", group, key, shown, spec->expected);
}

static void
on_bad_line(const char *path, guint line, const char *text, const char *why, gpointer data)
{
  g_autofree char *shown = eppd_printable(text, SHOWN_BYTES);

  complain(data, path, line, "'%s' %s", shown, why);
}

static void
take_file(EppdConfig *config, const char *path, bool must_exist, GPtrArray *complaints)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(EppdKeyFile) file = eppd_key_file_load(path, on_bad_line, complaints, &error);
  g_auto(GStrv) groups = NULL;

  if (!file) {
    if (must_exist || !g_error_matches(error, EPPD_ERROR, EPPD_ERROR_GONE))
      g_ptr_array_add(complaints, g_strdup_printf("%s; ignoring it", error->message));
    return;
  }

  groups = g_key_file_get_groups(eppd_key_file_get(file), NULL);
  for (guint i = 0; groups[i]; i++) {
    g_auto(GStrv) keys = g_key_file_get_keys(eppd_key_file_get(file), groups[i], NULL, NULL);
    bool group_is_known;

    find_spec(groups[i], NULL, &group_is_known);
    if (!group_is_known) {
      g_autofree char *shown = eppd_printable(groups[i], SHOWN_BYTES);

      complain(complaints, path, eppd_key_file_line(file, groups[i], NULL), "[%s]: no such group",
               shown);
      continue;
    }
    for (guint k = 0; keys && keys[k]; k++) {
      /* A key that stands twice is listed twice, with its last value. */
      if (!g_strv_contains((const char *const *)keys + k + 1, keys[k]))
        take_key(config, file, groups[i], keys[k], complaints);
    }
  }
}

static void
take_directory(EppdConfig *config, const char *directory, GPtrArray *complaints)
{
  g_autoptr(GPtrArray) paths = eppd_key_file_paths(directory);

  for (guint i = 0; i < paths->len; i++)
    take_file(config, paths->pdata[i], true, complaints);
}

EppdConfig *
eppd_config_new(void)
{
  EppdConfig *config = g_new0(EppdConfig, 1);

  config->default_profile = EPPD_PROFILE_BALANCED;
  config->table.kind = EPPD_EPP_TABLE_PPD;
  config->governor = true;
  config->frequency_floor = true;
  config->core_boost = true;
  config->power_source_debounce_usec = 2000 * 1000;
  config->mode = EPPD_BOOST_MODE_OPT_IN;
  config->trigger = EPPD_TRIGGER_CORE;
  /* The kernel RFC's constants. */
  config->threshold_percent = 50;
  config->sample_usec = 10 * 1000;
  config->hold_usec = 300 * 1000;
  config->boost_epp = eppd_epp_named(EPPD_EPP_PERFORMANCE);
  config->app_threshold_percent = 10;
  config->suppress_in = 1u << EPPD_PROFILE_POWER_SAVER;
  config->on_battery = true;
  config->backend = EPPD_BACKEND_AUTO;
  config->residency_source = g_strdup("auto");
  config->desktop_key = true;
  config->categories = g_strdup("");
  config->game_mode = true;
  return config;
}

void
eppd_config_free(EppdConfig *config)
{
  g_free(config->residency_source);
  g_free(config->categories);
  g_free(config);
}

EppdConfig *
eppd_config_load(const char *only_file, GPtrArray *complaints)
{
  EppdConfig *config = eppd_config_new();

  if (only_file) {
    take_file(config, only_file, true, complaints);
    return config;
  }
  take_file(config, EPPD_VENDOR_CONFIG, false, complaints);
  take_file(config, EPPD_SYSTEM_CONFIG, false, complaints);
  take_directory(config, EPPD_SYSTEM_CONFIG_DIR, complaints);
  return config;
}
