/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/config.h"

#include <glib/gstdio.h>
#include <string.h>

/* One configuration file in a directory of its own. */
typedef struct {
  char *dir;
  char *path;
  GPtrArray *complaints;
} Fixture;

static void
set_up(Fixture *fixture, gconstpointer data)
{
  fixture->dir = g_dir_make_tmp("eppd-config-XXXXXX", NULL);
  fixture->path = g_build_filename(fixture->dir, "eppd.conf", NULL);
  fixture->complaints = g_ptr_array_new_with_free_func(g_free);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  g_unlink(fixture->path);
  g_rmdir(fixture->dir);
  g_free(fixture->path);
  g_free(fixture->dir);
  g_ptr_array_unref(fixture->complaints);
}

static EppdConfig *
load(Fixture *fixture, const char *text)
{
  g_assert_true(g_file_set_contents(fixture->path, text, -1, NULL));
  return eppd_config_load(fixture->path, fixture->complaints);
}

static void
assert_complaint(Fixture *fixture, guint index, const char *part)
{
  g_assert_cmpuint(index, <, fixture->complaints->len);
  g_test_message("%s", (char *)fixture->complaints->pdata[index]);
  g_assert_nonnull(strstr(fixture->complaints->pdata[index], part));
}

static void
test_defaults(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdConfig) config = load(fixture, "");

  g_assert_cmpuint(fixture->complaints->len, ==, 0);
  g_assert_cmpint(config->default_profile, ==, EPPD_PROFILE_BALANCED);
  g_assert_cmpint(config->table.kind, ==, EPPD_EPP_TABLE_PPD);
  g_assert_true(config->governor && config->frequency_floor && config->core_boost);
  g_assert_cmpint(config->power_source_debounce_usec, ==, 2000000);
  g_assert_false(config->model_values);
  g_assert_cmpint(config->mode, ==, EPPD_BOOST_MODE_OPT_IN);
  g_assert_cmpint(config->trigger, ==, EPPD_TRIGGER_CORE);
  g_assert_cmpuint(config->threshold_percent, ==, 50);
  g_assert_cmpuint(config->app_threshold_percent, ==, 10);
  g_assert_cmpint(config->sample_usec, ==, 10000);
  g_assert_cmpint(config->hold_usec, ==, 300000);
  g_assert_cmpint(config->boost_epp.kind, ==, EPPD_EPP_PERFORMANCE);
  g_assert_cmpuint(config->suppress_in, ==, 1u << EPPD_PROFILE_POWER_SAVER);
  g_assert_true(config->on_battery);
  g_assert_cmpint(config->backend, ==, EPPD_BACKEND_AUTO);
  g_assert_false(config->siblings);
  g_assert_cmpstr(config->residency_source, ==, "auto");
  g_assert_false(config->dynamic_epp_take_over);
  g_assert_true(config->desktop_key && config->game_mode);
  g_assert_cmpstr(config->categories, ==, "");
}

static void
test_every_key(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdConfig) config = load(
      fixture,
      "[Policy]\nDefaultProfile=performance\nTable=custom\nPowerSaverAC=power\n"
      "PowerSaverBattery=255\nBalancedAC=0x40\nBalancedBattery=default\nPerformanceAC=performance\n"
      "PerformanceBattery=balance_performance\nGovernor=false\nFrequencyFloor=no\nCoreBoost=0\n"
      "PowerSourceDebounceMs=0\nModelValues=true\n"
      "[Boost]\nMode=always\nTrigger=app\nThresholdPercent=100\nAppThresholdPercent=1\n"
      "SampleMs=1000\nHoldMs=0\nEpp=16\nSuppressIn=power-saver;balanced;\nOnBattery=false\n"
      "Backend=user\nSiblings=true\n[Residency]\nSource=procstat\n[Kernel]\nDynamicEpp=take-over\n"
      "[Games]\nDesktopKey=false\nCategories=Game;Emulator\nGameMode=off\n");

  for (guint i = 0; i < fixture->complaints->len; i++)
    g_test_message("%s", (char *)fixture->complaints->pdata[i]);
  g_assert_cmpuint(fixture->complaints->len, ==, 0);
  g_assert_cmpint(config->default_profile, ==, EPPD_PROFILE_PERFORMANCE);
  g_assert_cmpint(config->table.kind, ==, EPPD_EPP_TABLE_CUSTOM);
  g_assert_cmpuint(config->table.custom[EPPD_PROFILE_BALANCED][EPPD_POWER_SOURCE_AC].raw, ==, 0x40);
  g_assert_cmpint(config->table.custom[EPPD_PROFILE_BALANCED][EPPD_POWER_SOURCE_BATTERY].kind, ==,
                  EPPD_EPP_DEFAULT);
  g_assert_false(config->governor || config->frequency_floor || config->core_boost);
  g_assert_cmpint(config->power_source_debounce_usec, ==, 0);
  g_assert_true(config->model_values);
  g_assert_cmpint(config->mode, ==, EPPD_BOOST_MODE_ALWAYS);
  g_assert_cmpint(config->trigger, ==, EPPD_TRIGGER_APP);
  g_assert_cmpuint(config->threshold_percent, ==, 100);
  g_assert_cmpuint(config->app_threshold_percent, ==, 1);
  g_assert_cmpint(config->sample_usec, ==, 1000000);
  g_assert_cmpint(config->hold_usec, ==, 0);
  g_assert_cmpuint(config->boost_epp.raw, ==, 16);
  g_assert_cmpuint(config->suppress_in, ==,
                   1u << EPPD_PROFILE_POWER_SAVER | 1u << EPPD_PROFILE_BALANCED);
  g_assert_false(config->on_battery);
  g_assert_cmpint(config->backend, ==, EPPD_BACKEND_USER);
  g_assert_true(config->siblings);
  g_assert_cmpstr(config->residency_source, ==, "procstat");
  g_assert_true(config->dynamic_epp_take_over);
  g_assert_false(config->desktop_key || config->game_mode);
  g_assert_cmpstr(config->categories, ==, "Game;Emulator");
}

/* Each value is wrong in its own way; the default stands, and the complaint names line, group and
 * key. */
static void
test_wrong_values(Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *group;
    const char *line;
  } rows[] = {
      {"Policy", "DefaultProfile=turbo"},
      {"Policy", "Table=mine"},
      {"Policy", "BalancedAC=fast"},
      {"Policy", "BalancedAC=custom"},
      {"Policy", "BalancedAC=dynamic"},
      {"Policy", "BalancedAC=256"},
      {"Policy", "BalancedAC=-1"},
      {"Policy", "Governor=maybe"},
      {"Policy", "PowerSourceDebounceMs=-5"},
      {"Policy", "PowerSourceDebounceMs=99999999999999999999"},
      {"Boost", "Mode=sometimes"},
      {"Boost", "Mode="},
      {"Boost", "Trigger=cores"},
      {"Boost", "ThresholdPercent=0"},
      {"Boost", "ThresholdPercent=101"},
      {"Boost", "ThresholdPercent=50%"},
      {"Boost", "SampleMs=0"},
      {"Boost", "SampleMs=10.5"},
      {"Boost", "HoldMs=60001"},
      {"Boost", "Epp=custom"},
      {"Boost", "SuppressIn=power-saver;turbo"},
      {"Boost", "Backend=gpu"},
      {"Residency", "Source=magic"},
      {"Residency", "Source=trace:/etc/passwd"},
      {"Kernel", "DynamicEpp=fight"},
      {"Boost", "Unknown=1"},
      {"Nonsense", "Key=1"},
  };
  g_autoptr(EppdConfig) defaults = eppd_config_new();

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf("# a comment\n[%s]\n%s\n", rows[i].group, rows[i].line);
    g_autoptr(EppdConfig) config = NULL;

    g_ptr_array_set_size(fixture->complaints, 0);
    config = load(fixture, text);
    g_test_message("%s", rows[i].line);
    g_assert_cmpuint(fixture->complaints->len, ==, 1);
    assert_complaint(fixture, 0, g_str_equal(rows[i].group, "Nonsense") ? ":2: [" : ":3: [");
    assert_complaint(fixture, 0, "ignoring it");

    /* All that is not a pointer is as if the line were not there. */
    g_assert_cmpmem(config, G_STRUCT_OFFSET(EppdConfig, residency_source), defaults,
                    G_STRUCT_OFFSET(EppdConfig, residency_source));
    g_assert_cmpstr(config->residency_source, ==, "auto");
    g_assert_false(config->dynamic_epp_take_over);
  }
}

static void
test_the_rest_counts(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdConfig) config =
      load(fixture, "no group yet\n[Boost]\nHoldMs=100   # short\n%%%garbage%%%\n"
                    "SampleMs=5\nHoldMs=banana\n[Unclosed\nSampleMs=9\n");

  g_assert_cmpint(config->sample_usec, ==, 5000);
  g_assert_cmpint(config->hold_usec, ==, 300000);
  g_assert_cmpuint(fixture->complaints->len, ==, 5);
  assert_complaint(fixture, 0, ":1: 'no group yet' is no group, key=value or comment; ignoring it");
  assert_complaint(fixture, 1, ":4: ");
  assert_complaint(fixture, 2, ":7: '[Unclosed' is no group");
  assert_complaint(fixture, 3, ":8: 'SampleMs=9' is below no valid group; ignoring it");
  assert_complaint(fixture, 4, ":6: [Boost] HoldMs=banana: ");
}

static void
test_trailing_comment(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdConfig) config =
      load(fixture, "[Boost]\nHoldMs=250      # 0..60000\nMode=always# off | opt-in | always\n");

  g_assert_cmpint(config->hold_usec, ==, 250000);
  /* No space before it: it may belong to the value. */
  g_assert_cmpint(config->mode, ==, EPPD_BOOST_MODE_OPT_IN);
  g_assert_cmpuint(fixture->complaints->len, ==, 1);
}

static void
test_missing_file(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdConfig) config = eppd_config_load(fixture->path, fixture->complaints);

  g_assert_nonnull(config);
  assert_complaint(fixture, 0, fixture->path);
}

static void
test_directory_for_file(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdConfig) config = eppd_config_load(fixture->dir, fixture->complaints);

  g_assert_cmpint(config->hold_usec, ==, 300000);
  assert_complaint(fixture, 0, fixture->dir);
}

#define ADD(name, function) g_test_add("/config/" name, Fixture, NULL, set_up, function, tear_down)

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  ADD("defaults", test_defaults);
  ADD("every-key", test_every_key);
  ADD("wrong-values", test_wrong_values);
  ADD("the-rest-counts", test_the_rest_counts);
  ADD("trailing-comment", test_trailing_comment);
  ADD("missing-file", test_missing_file);
  ADD("directory-for-file", test_directory_for_file);
  return g_test_run();
}
