/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "daemon/actions.h"
#include "hardware/file-watch.h"
#include "scratch.h"

#define CHARGE "sys/class/power_supply/mouse/charge_type"
#define SCOPE  "sys/class/power_supply/mouse/scope"
#define EDP    "sys/class/drm/card0-eDP-1/"
#define PANEL  EDP "amdgpu/panel_power_savings"
#define DPM    "sys/class/drm/card0/device/power_dpm_force_performance_level"

#define AMD   "processor\t: 0\nvendor_id\t: AuthenticAMD\n"
#define INTEL "processor\t: 0\nvendor_id\t: GenuineIntel\n"

static GString *warnings; /* each with a newline behind it */

static GLogWriterOutput
collect_warnings(GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  for (gsize i = 0; (level & G_LOG_LEVEL_WARNING) && i < n_fields; i++) {
    if (strcmp(fields[i].key, "MESSAGE") == 0)
      g_string_append_printf(warnings, "%s\n", (const char *)fields[i].value);
  }
  return G_LOG_WRITER_HANDLED;
}

typedef struct {
  Scratch *dir;
  EppdSysRoot *root;
  EppdActions *actions;
  EppdFileWatch *watch; /* of all files that are written */
} Fixture;

static void
watch_writes(Fixture *fixture, const char *file)
{
  g_autofree char *path = scratch_path(fixture->dir, file);

  g_assert_true(eppd_file_watch_add(fixture->watch, path, 0, NULL));
}

/* A laptop with an AMD GPU and a mouse that charges. */
static void
set_up(Fixture *fixture, gconstpointer data)
{
  static const char *const entries[] = {
      "proc/cpuinfo=" AMD,      SCOPE "=Device\n", CHARGE "=Standard\n",
      EDP "status=connected\n", PANEL "=0\n",      DPM "=auto\n",
  };

  fixture->dir = scratch_new();
  fixture->root = eppd_sys_root_new(fixture->dir);
  for (gsize i = 0; i < G_N_ELEMENTS(entries); i++)
    scratch_make(fixture->dir, entries[i]);
  fixture->actions = eppd_actions_new(fixture->root, NULL);
  fixture->watch = eppd_file_watch_new(NULL);
  g_assert_nonnull(fixture->watch);
  watch_writes(fixture, CHARGE);
  watch_writes(fixture, PANEL);
  watch_writes(fixture, DPM);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  eppd_actions_free(fixture->actions);
  eppd_file_watch_free(fixture->watch);
  eppd_sys_root_unref(fixture->root);
  scratch_free(fixture->dir);
  g_string_truncate(warnings, 0);
}

/* Whether any watched file was written since the last call. */
static bool
was_written(Fixture *fixture)
{
  bool vanished;
  g_autoptr(GArray) tags = eppd_file_watch_drain(fixture->watch, &vanished);

  return tags->len > 0;
}

static void
assert_line(const Fixture *fixture, const char *file, const char *text)
{
  g_autofree char *line = scratch_read_line(fixture->dir, file);

  g_assert_cmpstr(line, ==, text);
}

static void
assert_lines(const Fixture *fixture, const char *charge, const char *panel, const char *dpm)
{
  assert_line(fixture, CHARGE, charge);
  assert_line(fixture, PANEL, panel);
  assert_line(fixture, DPM, dpm);
}

static void
apply(Fixture *fixture, EppdProfile profile, EppdPowerSource source, double percent)
{
  EppdActionInput input = {profile, source, percent};

  eppd_actions_apply(fixture->actions, &input);
}

static bool
switch_action(Fixture *fixture, const char *name, bool enabled)
{
  g_autoptr(GError) error = NULL;
  bool changed;

  g_assert_true(eppd_actions_set_enabled(fixture->actions, name, enabled, &changed, &error));
  g_assert_no_error(error);
  return changed;
}

#define SAVER    EPPD_PROFILE_POWER_SAVER
#define BALANCED EPPD_PROFILE_BALANCED
#define FAST     EPPD_PROFILE_PERFORMANCE
#define AC       EPPD_POWER_SOURCE_AC
#define BATTERY  EPPD_POWER_SOURCE_BATTERY
#define UNKNOWN  EPPD_BATTERY_UNKNOWN

/* ---- which there are ---- */

typedef struct {
  const char *name;
  const char *cpuinfo; /* NULL: none */
  const char *blocked[3];
  const char *actions; /* name=enabled, joined by spaces */
} ListCase;

static const ListCase list_cases[] = {
    {"amd", AMD, {NULL}, "trickle_charge=1 amdgpu_panel_power=0 amdgpu_dpm=0"},
    {"intel", INTEL, {NULL}, "trickle_charge=1 amdgpu_panel_power=0 amdgpu_dpm=0"},
    {"unknown-vendor", NULL, {NULL}, "trickle_charge=1 amdgpu_panel_power=0 amdgpu_dpm=0"},
    {"blocked",
     INTEL,
     {"nope", "trickle_charge"},
     "trickle_charge=0 amdgpu_panel_power=0 amdgpu_dpm=0"},
};

static void
test_list(gconstpointer data)
{
  const ListCase *c = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autoptr(EppdActions) actions = NULL;
  g_autoptr(GString) found = g_string_new(NULL);

  if (c->cpuinfo)
    scratch_write(dir, "proc/cpuinfo", c->cpuinfo);
  actions = eppd_actions_new(root, c->blocked);
  for (guint i = 0; i < eppd_actions_count(actions); i++) {
    const EppdActionInfo *info = eppd_actions_info(actions, i);

    g_string_append_printf(found, "%s%s=%d", i ? " " : "", info->name, info->enabled);
    g_assert_cmpuint(strlen(info->description), >, 10);
  }
  g_assert_cmpstr(found->str, ==, c->actions);
}

static void
test_unknown_action(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  bool changed = true;

  g_assert_false(eppd_actions_set_enabled(fixture->actions, "nope", true, &changed, &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_INVALID);
  g_assert_cmpstr(error->message, ==, "No such action 'nope'");
  g_assert_true(changed);
}

static void
test_blocked_action_stays_off(Fixture *fixture, gconstpointer data)
{
  static const char *const blocked[] = {"amdgpu_dpm", NULL};
  g_autoptr(EppdActions) actions = eppd_actions_new(fixture->root, blocked);
  g_autoptr(GError) error = NULL;
  bool changed;

  g_assert_false(eppd_actions_set_enabled(actions, "amdgpu_dpm", true, &changed, &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_FAILED);
  g_assert_cmpstr(error->message, ==, "Action 'amdgpu_dpm' is blocked (--block-action)");
  g_assert_true(eppd_actions_set_enabled(actions, "amdgpu_dpm", false, &changed, NULL));
  g_assert_false(changed);
}

/* ---- what they write ---- */

/* All actions are enabled. */
typedef struct {
  const char *name;
  EppdActionInput input;
  const char *before[3]; /* charge_type, panel_power_savings, DPM level */
  const char *after[3];
} ApplyCase;

static const ApplyCase apply_cases[] = {
    {"power-saver-ac", {SAVER, AC, 10}, {"Standard", "0", "auto"}, {"Trickle", "0", "low"}},
    {"balanced-ac", {BALANCED, AC, 10}, {"Trickle", "3", "low"}, {"Standard", "0", "auto"}},
    {"performance-ac", {FAST, AC, 100}, {"Fast", "1", "high"}, {"Standard", "0", "auto"}},
    {"performance-battery", {FAST, BATTERY, 5}, {"Trickle", "3", "low"}, {"Standard", "0", "auto"}},
    {"untouchable-values", {SAVER, AC, 10}, {"Custom", "0", "manual"}, {"Custom", "0", "manual"}},
    {"adaptive", {BALANCED, AC, 10}, {"Adaptive", "0", "auto"}, {"Adaptive", "0", "auto"}},
    {"odd-values", {SAVER, BATTERY, 10}, {"N/A", "odd", "odd"}, {"N/A", "3", "low"}},
    {"power-saver-50", {SAVER, BATTERY, 50}, {"Trickle", "3", "low"}, {"Trickle", "0", "low"}},
    {"power-saver-49", {SAVER, BATTERY, 49.9}, {"Trickle", "0", "low"}, {"Trickle", "1", "low"}},
    {"power-saver-30", {SAVER, BATTERY, 30}, {"Trickle", "0", "low"}, {"Trickle", "2", "low"}},
    {"power-saver-20", {SAVER, BATTERY, 20}, {"Trickle", "0", "low"}, {"Trickle", "3", "low"}},
    {"balanced-30", {BALANCED, BATTERY, 30}, {"Standard", "1", "auto"}, {"Standard", "0", "auto"}},
    {"balanced-29", {BALANCED, BATTERY, 29}, {"Standard", "0", "auto"}, {"Standard", "1", "auto"}},
    {"no-battery-known",
     {SAVER, BATTERY, UNKNOWN},
     {"Trickle", "3", "low"},
     {"Trickle", "0", "low"}},
};

static void
test_apply(Fixture *fixture, gconstpointer data)
{
  const ApplyCase *c = data;
  static const char *const files[] = {CHARGE, PANEL, DPM};

  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *text = g_strconcat(c->before[i], "\n", NULL);

    scratch_write(fixture->dir, files[i], text);
  }
  switch_action(fixture, "amdgpu_panel_power", true);
  switch_action(fixture, "amdgpu_dpm", true);
  assert_lines(fixture, c->before[0], c->before[1], c->before[2]);
  eppd_actions_apply(fixture->actions, &c->input);
  assert_lines(fixture, c->after[0], c->after[1], c->after[2]);

  /* Not even the same is written once more. */
  was_written(fixture);
  eppd_actions_apply(fixture->actions, &c->input);
  g_assert_false(was_written(fixture));
  g_assert_cmpstr(warnings->str, ==, "");
}

static void
test_disabled_actions_write_nothing(Fixture *fixture, gconstpointer data)
{
  apply(fixture, SAVER, BATTERY, 10);
  assert_lines(fixture, "Trickle", "0", "auto");
}

static void
test_nothing_before_the_first_input(Fixture *fixture, gconstpointer data)
{
  scratch_write(fixture->dir, CHARGE, "Fast\n");
  scratch_write(fixture->dir, PANEL, "4\n");
  was_written(fixture);
  g_assert_true(switch_action(fixture, "trickle_charge", false));
  g_assert_true(switch_action(fixture, "trickle_charge", true));
  g_assert_true(switch_action(fixture, "amdgpu_panel_power", true));
  eppd_actions_device_changed(fixture->actions, "power_supply");
  eppd_actions_device_changed(fixture->actions, "drm");
  g_assert_false(was_written(fixture));
}

static void
test_switch_takes_effect_at_once(Fixture *fixture, gconstpointer data)
{
  apply(fixture, SAVER, BATTERY, 10);
  g_assert_true(switch_action(fixture, "amdgpu_dpm", true));
  assert_lines(fixture, "Trickle", "0", "low");
  g_assert_true(switch_action(fixture, "amdgpu_panel_power", true));
  assert_lines(fixture, "Trickle", "3", "low");
  g_assert_false(switch_action(fixture, "amdgpu_panel_power", true));

  g_assert_true(switch_action(fixture, "amdgpu_dpm", false));
  assert_lines(fixture, "Trickle", "3", "auto");
  g_assert_true(switch_action(fixture, "trickle_charge", false));
  assert_lines(fixture, "Standard", "3", "auto");
  g_assert_true(switch_action(fixture, "amdgpu_panel_power", false));
  assert_lines(fixture, "Standard", "0", "auto");
  g_assert_false(switch_action(fixture, "amdgpu_panel_power", false));

  apply(fixture, SAVER, BATTERY, 5);
  assert_lines(fixture, "Standard", "0", "auto");
}

static void
test_no_hardware_for_it(Fixture *fixture, gconstpointer data)
{
  scratch_write(fixture->dir, "proc/cpuinfo", INTEL);
  eppd_actions_free(fixture->actions);
  fixture->actions = eppd_actions_new(fixture->root, NULL);
  g_assert_true(switch_action(fixture, "amdgpu_panel_power", true));
  g_assert_true(switch_action(fixture, "amdgpu_dpm", true));
  apply(fixture, SAVER, BATTERY, 10);
  assert_lines(fixture, "Trickle", "0", "auto");
}

/* ---- devices that come and go ---- */

static void
test_new_peripheral(Fixture *fixture, gconstpointer data)
{
  apply(fixture, SAVER, AC, UNKNOWN);
  scratch_write(fixture->dir, "sys/class/power_supply/keyboard/scope", "Device\n");
  scratch_write(fixture->dir, "sys/class/power_supply/keyboard/charge_type", "Fast\n");
  eppd_actions_device_changed(fixture->actions, "drm");
  eppd_actions_device_changed(fixture->actions, "cpu");
  assert_line(fixture, "sys/class/power_supply/keyboard/charge_type", "Fast");
  eppd_actions_device_changed(fixture->actions, "power_supply");
  assert_line(fixture, "sys/class/power_supply/keyboard/charge_type", "Trickle");
}

static void
test_connector_hotplug(Fixture *fixture, gconstpointer data)
{
  scratch_write(fixture->dir, EDP "status", "disconnected\n");
  switch_action(fixture, "amdgpu_panel_power", true);
  apply(fixture, SAVER, BATTERY, 10);
  assert_line(fixture, PANEL, "0");
  scratch_write(fixture->dir, EDP "status", "connected\n");
  eppd_actions_device_changed(fixture->actions, "power_supply");
  assert_line(fixture, PANEL, "0");
  eppd_actions_device_changed(fixture->actions, "drm");
  assert_line(fixture, PANEL, "3");
}

static void
test_disabled_action_and_new_device(Fixture *fixture, gconstpointer data)
{
  apply(fixture, SAVER, AC, UNKNOWN);
  switch_action(fixture, "trickle_charge", false);
  was_written(fixture);
  eppd_actions_device_changed(fixture->actions, "power_supply");
  g_assert_false(was_written(fixture));
}

static void
test_devices_gone(Fixture *fixture, gconstpointer data)
{
  switch_action(fixture, "amdgpu_panel_power", true);
  switch_action(fixture, "amdgpu_dpm", true);
  apply(fixture, SAVER, BATTERY, 10);
  scratch_remove(fixture->dir, "sys");
  apply(fixture, BALANCED, BATTERY, 10);
  eppd_actions_device_changed(fixture->actions, "drm");
  g_assert_true(switch_action(fixture, "trickle_charge", false));
  g_assert_cmpstr(warnings->str, ==, "");
}

/* ---- files that refuse ---- */

static guint
count_warnings(void)
{
  guint n = 0;

  for (const char *p = warnings->str; (p = strchr(p, '\n')); p++)
    n++;
  return n;
}

static void
test_refusal_is_said_once_and_tried_again(Fixture *fixture, gconstpointer data)
{
  scratch_chmod(fixture->dir, CHARGE, 0444);
  scratch_chmod(fixture->dir, PANEL, 0666);
  switch_action(fixture, "amdgpu_panel_power", true);

  scratch_be_nobody(true);
  apply(fixture, SAVER, BATTERY, 10);
  apply(fixture, SAVER, BATTERY, 9);
  eppd_actions_device_changed(fixture->actions, "power_supply");
  scratch_be_nobody(false);
  g_assert_cmpuint(count_warnings(), ==, 1);
  g_assert_true(g_str_has_prefix(warnings->str, "trickle_charge: "));
  g_assert_nonnull(strstr(warnings->str, CHARGE));
  /* The others went on. */
  assert_lines(fixture, "Standard", "3", "auto");

  scratch_chmod(fixture->dir, CHARGE, 0644);
  eppd_actions_device_changed(fixture->actions, "power_supply");
  assert_line(fixture, CHARGE, "Standard");
  apply(fixture, SAVER, BATTERY, 9);
  assert_line(fixture, CHARGE, "Trickle");

  /* What was over is said again when it is back. */
  scratch_chmod(fixture->dir, CHARGE, 0444);
  scratch_be_nobody(true);
  apply(fixture, BALANCED, BATTERY, 9);
  scratch_be_nobody(false);
  g_assert_cmpuint(count_warnings(), ==, 2);
}

static void
write_coredump_filter(const char *text)
{
  FILE *stream = g_fopen("/proc/self/coredump_filter", "w");

  g_assert_nonnull(stream);
  g_assert_cmpint(fputs(text, stream), >=, 0);
  g_assert_cmpint(fclose(stream), ==, 0);
}

static void
assert_coredump_filter(const char *text)
{
  g_autofree char *contents = NULL;

  g_assert_true(g_file_get_contents("/proc/self/coredump_filter", &contents, NULL, NULL));
  g_assert_cmpstr(g_strchomp(contents), ==, text);
}

/* Such a write may cause the uevent that makes it tried again: that must have an end. This file of
 * the kernel reads eight digits whatever was written. */
static void
test_value_that_does_not_stick(Fixture *fixture, gconstpointer data)
{
  scratch_remove(fixture->dir, PANEL);
  scratch_symlink(fixture->dir, "/proc/self/coredump_filter", PANEL);
  switch_action(fixture, "amdgpu_panel_power", true);
  apply(fixture, SAVER, BATTERY, 10);
  assert_coredump_filter("00000003");
  g_assert_cmpuint(count_warnings(), ==, 1);

  write_coredump_filter("0x33");
  eppd_actions_device_changed(fixture->actions, "drm");
  assert_coredump_filter("00000033");
  apply(fixture, SAVER, BATTERY, 25);
  assert_coredump_filter("00000002");
  g_assert_cmpuint(count_warnings(), ==, 1);
  write_coredump_filter("0x33");
}

static void
add(const char *path, gconstpointer data, void (*func)(Fixture *, gconstpointer))
{
  g_autofree char *full = g_strconcat("/actions/", path, NULL);

  g_test_add(full, Fixture, data, set_up, func, tear_down);
}

int
main(int argc, char **argv)
{
  int result;

  g_test_init(&argc, &argv, NULL);
  warnings = g_string_new(NULL);
  g_log_set_writer_func(collect_warnings, NULL, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(list_cases); i++) {
    g_autofree char *path = g_strconcat("/actions/list/", list_cases[i].name, NULL);

    g_test_add_data_func(path, &list_cases[i], test_list);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(apply_cases); i++) {
    g_autofree char *path = g_strconcat("apply/", apply_cases[i].name, NULL);

    add(path, &apply_cases[i], test_apply);
  }
  add("unknown-action", NULL, test_unknown_action);
  add("blocked-action-stays-off", NULL, test_blocked_action_stays_off);
  add("disabled-actions-write-nothing", NULL, test_disabled_actions_write_nothing);
  add("nothing-before-the-first-input", NULL, test_nothing_before_the_first_input);
  add("switch-takes-effect-at-once", NULL, test_switch_takes_effect_at_once);
  add("no-hardware-for-it", NULL, test_no_hardware_for_it);
  add("new-peripheral", NULL, test_new_peripheral);
  add("connector-hotplug", NULL, test_connector_hotplug);
  add("disabled-action-and-new-device", NULL, test_disabled_action_and_new_device);
  add("devices-gone", NULL, test_devices_gone);
  add("refusal-is-said-once-and-tried-again", NULL, test_refusal_is_said_once_and_tried_again);
  add("value-that-does-not-stick", NULL, test_value_that_does_not_stick);
  result = g_test_run();
  g_string_free(warnings, TRUE);
  return result;
}
