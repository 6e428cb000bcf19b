/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state-fixture.h"

#define ANY ((char *)NULL)

static const Expected nothing = {-1, ANY, ANY, false, NULL};

/* ---- Reading ---- */

typedef struct {
  const char *name;
  const char *text; /* NULL: no file */
  Expected expected;
  const char *complaint; /* what is said of it; NULL: nothing */
  gsize length;          /* where the text has NULs; 0: up to the first */
} ReadCase;

static const ReadCase read_cases[] = {
    {"no-file", NULL, {-1}, NULL},
    {"empty-file", "", {-1}, NULL},
    {"whole",
     "[State]\nProfile=power-saver\nCpuDriver=amd_pstate\nPlatformDriver=platform_profile\n"
     "BatteryAware=false\n\n[Actions]\namdgpu_dpm=true\ntrickle_charge=false\n",
     {SAVER, "amd_pstate", "platform_profile", true, "amdgpu_dpm=1 trickle_charge=0"},
     NULL},
    {"profile-by-hand-is-for-any-driver", "[State]\nProfile=performance\n", {FASTEST}, NULL},
    {"empty-driver-is-none",
     "[State]\nProfile=balanced\nCpuDriver=\nPlatformDriver=placeholder\n",
     {MIDDLE, "", "placeholder"},
     NULL},
    {"white-space", "[State]\n Profile = power-saver \t\r\n", {SAVER}, NULL},
    {"byte-order-mark", "\xef\xbb\xbf[State]\nProfile=power-saver\n", {SAVER}, NULL},
    {"unknown-profile",
     "[State]\n\nProfile=turbo\nBatteryAware=false\n",
     {-1, .ignores_battery = true},
     "state.ini:3: [State] Profile=turbo: expected power-saver, balanced or performance"},
    {"empty-profile", "[State]\nProfile=\n", {-1}, "state.ini:2: [State] Profile=: expected"},
    {"profile-of-other-case", "[State]\nProfile=Balanced\n", {-1}, "Profile=Balanced: expected"},
    {"other-group", "[Other]\nProfile=performance\n", {-1}, NULL},
    {"no-group", "Profile=performance\n", {-1}, "state.ini:1: 'Profile=performance' is below no"},
    {"bad-battery-aware",
     "[State]\nProfile=balanced\nBatteryAware=maybe\n",
     {MIDDLE},
     "state.ini:3: [State] BatteryAware=maybe: expected true or false"},
    {"bad-action-loses-no-other",
     "[Actions]\nfirst=true\nsecond=\nthird=2\nfourth=false\n",
     {-1, .actions = "first=1 fourth=0"},
     "state.ini:4: [Actions] third=2: expected true or false"},
    {"later-duplicates-win",
     "[State]\nProfile=balanced\nBatteryAware=true\nProfile=performance\nBatteryAware=false\n"
     "[Actions]\na=true\n[State]\nProfile=power-saver\n[Actions]\na=false\n",
     {SAVER, .ignores_battery = true, .actions = "a=0"},
     NULL},
    {"bad-later-duplicate-names-its-line",
     "[State]\nProfile=balanced\nProfile=turbo\n",
     {-1},
     "state.ini:3: [State] Profile=turbo"},
    {"garbage-between",
     "garbage\n[State]\n\x01\x02\nProfile=balanced\n",
     {MIDDLE},
     "state.ini:3: '\\x01\\x02' is no group"},
    {"not-utf8",
     "[State]\nProfile=bal\xff\xfe\nCpuDriver=\xe4\nBatteryAware=false\n",
     {-1, .ignores_battery = true},
     "state.ini:2: 'Profile=bal\\xff\\xfe'"},
    {"nul-loses-its-line-alone",
     "[State]\nProfile=\0balanced\nBatteryAware=false\n",
     {-1, .ignores_battery = true},
     "state.ini:2: ",
     sizeof "[State]\nProfile=\0balanced\nBatteryAware=false\n" - 1},
    {"bytes", "\x7f\x45\x4c\x46\0\0\0\xff\n\n\0", {-1}, "state.ini:1: ", 11},
    {"driver-with-escapes-as-it-stands",
     "[State]\nProfile=balanced\nCpuDriver=a\\qb\n",
     {MIDDLE, "a\\qb"},
     NULL},
    {"foreign-keys", "[State]\nTurbo=1\nProfile=balanced\n[Else]\nx=y\n", {MIDDLE}, NULL},
};

static void
test_read(Fixture *fixture, gconstpointer data)
{
  const ReadCase *row = data;
  g_autoptr(EppdState) state = NULL;

  if (row->text)
    scratch_write_bytes(fixture->dir, "state/state.ini", row->text,
                        row->length > 0 ? row->length : strlen(row->text));
  state = eppd_state_load(fixture->state_dir, NULL);
  assert_state(state, &row->expected);
  g_assert_false(state->is_imported);
  if (row->complaint)
    assert_said(row->complaint);
  else
    g_assert_cmpstr(said->str, ==, "");
}

/* ---- A file that can't be read is not the same as none ---- */

typedef struct {
  const char *name;
  void (*make)(Fixture *fixture);
  const char *complaint;
} OddCase;

static void
make_directory(Fixture *fixture)
{
  scratch_mkdir(fixture->dir, "state/state.ini");
}

static void
make_fifo(Fixture *fixture)
{
  g_autofree char *path = scratch_path(fixture->dir, "state/state.ini");

  scratch_mkdir(fixture->dir, "state");
  g_assert_cmpint(mkfifo(path, 0644), ==, 0);
}

static void
make_huge(Fixture *fixture)
{
  gsize length = 2 * 1024 * 1024;
  g_autofree char *text = g_malloc(length);

  memset(text, '\n', length);
  memcpy(text, "[State]\nProfile=performance\n", 28);
  scratch_write_bytes(fixture->dir, "state/state.ini", text, length);
}

static void
make_unreadable(Fixture *fixture)
{
  scratch_write(fixture->dir, "state/state.ini", "[State]\nProfile=performance\n");
  scratch_chmod(fixture->dir, "state/state.ini", 0);
}

static const OddCase odd_cases[] = {
    {"directory", make_directory, "state.ini is not a regular file; ignoring the saved state"},
    {"fifo", make_fifo, "state.ini is not a regular file; ignoring the saved state"},
    {"huge", make_huge, "state.ini is larger than 1048576 bytes; ignoring the saved state"},
    {"unreadable", make_unreadable, "state.ini: Permission denied; ignoring the saved state"},
};

static void
test_odd(Fixture *fixture, gconstpointer data)
{
  const OddCase *row = data;
  g_autoptr(EppdState) state = NULL;

  row->make(fixture);
  scratch_write(fixture->dir, "ppd/state.ini", "[State]\nProfile=performance\n");
  scratch_be_nobody(true);
  state = eppd_state_load(fixture->state_dir, fixture->import_file);
  scratch_be_nobody(false);
  assert_state(state, &nothing);
  g_assert_false(state->is_imported);
  assert_said(row->complaint);
}

/* ---- power-profiles-daemon's file ---- */

static const ReadCase import_cases[] = {
    {"0.30",
     "[State]\nbattery_aware=false\nCpuDriver=amd_pstate\nPlatformDriver=platform_profile\n"
     "Profile=power-saver\n\n[Actions]\ntrickle_charge=true\namdgpu_panel_power=false\n"
     "amdgpu_dpm=false\n",
     {SAVER, "amd_pstate", "platform_profile", true,
      "amdgpu_dpm=0 amdgpu_panel_power=0 trickle_charge=1"},
     NULL},
    {"0.30-without-a-cpu-driver",
     "[State]\nbattery_aware=true\nPlatformDriver=placeholder\nProfile=balanced\n",
     {MIDDLE, "", "placeholder"},
     NULL},
    {"0.12-platform",
     "[State]\nDriver=platform_profile\nProfile=performance\n",
     {FASTEST, ANY, "platform_profile"},
     NULL},
    {"0.12-intel",
     "[State]\nDriver=intel_pstate\nProfile=power-saver\n",
     {SAVER, "intel_pstate", ANY},
     NULL},
    {"0.12-placeholder",
     "[State]\nDriver=placeholder\nProfile=power-saver\n",
     {SAVER, ANY, "placeholder"},
     NULL},
    {"driver-nobody-knows", "[State]\nDriver=fake\nProfile=balanced\n", {MIDDLE, "fake"}, NULL},
    {"the-two-drivers-go-before-the-one",
     "[State]\nDriver=placeholder\nPlatformDriver=platform_profile\nProfile=balanced\n",
     {MIDDLE, "", "platform_profile"},
     NULL},
    {"profile-alone", "[State]\nProfile=balanced\n", {MIDDLE}, NULL},
    {"empty-file", "", {-1}, NULL},
    {"bad-values",
     "[State]\nbattery_aware=x\nPlatformDriver=placeholder\nProfile=custom\n[Actions]\na=b\n",
     {-1, "", "placeholder"},
     "ppd/state.ini:4: [State] Profile=custom: expected"},
    {"our-own-spelling-is-not-its", "[State]\nBatteryAware=false\n", {-1}, NULL},
};

static void
test_import(Fixture *fixture, gconstpointer data)
{
  const ReadCase *row = data;
  g_autofree char *notice = NULL;
  g_autoptr(EppdState) state = NULL;

  scratch_write(fixture->dir, "ppd/state.ini", row->text);
  state = eppd_state_load(fixture->state_dir, fixture->import_file);
  assert_state(state, &row->expected);
  g_assert_true(state->is_imported);
  notice =
      g_strdup_printf("taking over what power-profiles-daemon saved in %s\n", fixture->import_file);
  assert_said(notice);
  if (row->complaint)
    assert_said(row->complaint);
  else
    g_assert_true(g_str_has_suffix(said->str, notice));
}

static void
test_own_file_goes_first(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdState) state = NULL;

  scratch_write(fixture->dir, "ppd/state.ini", "[State]\nProfile=performance\n");
  scratch_write(fixture->dir, "state/state.ini", "");
  state = eppd_state_load(fixture->state_dir, fixture->import_file);
  assert_state(state, &nothing);
  g_assert_false(state->is_imported);
  g_assert_cmpstr(said->str, ==, "");
}

static void
test_nothing_to_import(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdState) state = eppd_state_load(fixture->state_dir, fixture->import_file);

  assert_state(state, &nothing);
  g_assert_false(state->is_imported);
  g_assert_cmpstr(said->str, ==, "");
}

static void
test_unreadable_import(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdState) state = NULL;

  scratch_mkdir(fixture->dir, "ppd/state.ini");
  state = eppd_state_load(fixture->state_dir, fixture->import_file);
  assert_state(state, &nothing);
  g_assert_false(state->is_imported);
  assert_said("is not a regular file; ignoring what power-profiles-daemon saved");
}

/* ---- In memory ---- */

static const char *const amd = EPPD_DRIVER_AMD_PSTATE;
static const char *const platform = EPPD_DRIVER_PLATFORM_PROFILE;
static const char *const placeholder = EPPD_DRIVER_PLACEHOLDER;

static void
test_matches(Fixture *fixture, gconstpointer data)
{
  const struct {
    Expected state;
    EppdProfileDrivers drivers;
    bool matches;
  } rows[] = {
      {{SAVER, "amd_pstate", "platform_profile"}, {amd, platform}, true},
      {{SAVER, "amd_pstate", "platform_profile"}, {amd, placeholder}, false},
      {{SAVER, "amd_pstate", "platform_profile"}, {NULL, platform}, false},
      {{SAVER, "intel_pstate", "platform_profile"}, {amd, platform}, false},
      {{SAVER, "", "platform_profile"}, {NULL, platform}, true},
      {{SAVER, "", "platform_profile"}, {amd, platform}, false},
      {{SAVER, ANY, "platform_profile"}, {amd, platform}, true},
      {{SAVER, ANY, "platform_profile"}, {NULL, platform}, true},
      {{SAVER, ANY, "platform_profile"}, {amd, placeholder}, false},
      {{SAVER, "amd_pstate", ANY}, {amd, placeholder}, true},
      {{SAVER, "amd_pstate", ANY}, {amd, NULL}, true},
      {{SAVER, "", ""}, {NULL, NULL}, true},
      {{SAVER, "", ""}, {NULL, placeholder}, false},
      {{SAVER}, {amd, platform}, true},
      {{-1}, {amd, platform}, false},
      {{-1, "amd_pstate", "platform_profile"}, {amd, platform}, false},
  };

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(EppdState) state = new_state(&rows[i].state);

    g_test_message("row %u", i);
    g_assert_cmpint(eppd_state_matches(state, &rows[i].drivers), ==, rows[i].matches);
  }
}

static void
test_choose(Fixture *fixture, gconstpointer data)
{
  const struct {
    Expected before;
    EppdProfile profile;
    EppdProfileDrivers drivers;
    bool changes;
    Expected after;
  } rows[] = {
      {{-1}, MIDDLE, {amd, platform}, true, {MIDDLE, "amd_pstate", "platform_profile"}},
      {{SAVER, "amd_pstate", "placeholder"},
       SAVER,
       {amd, placeholder},
       false,
       {SAVER, "amd_pstate", "placeholder"}},
      {{MIDDLE, "amd_pstate", "placeholder"},
       SAVER,
       {amd, placeholder},
       true,
       {SAVER, "amd_pstate", "placeholder"}},
      {{SAVER, "amd_pstate", "placeholder"},
       SAVER,
       {amd, platform},
       true,
       {SAVER, "amd_pstate", "platform_profile"}},
      {{SAVER, "amd_pstate", "placeholder"},
       SAVER,
       {NULL, placeholder},
       true,
       {SAVER, "", "placeholder"}},
      {{SAVER, "", "placeholder"}, SAVER, {NULL, placeholder}, false, {SAVER, "", "placeholder"}},
      {{SAVER}, SAVER, {NULL, placeholder}, true, {SAVER, "", "placeholder"}},
      {{-1, "amd_pstate", "placeholder", true, "a=1"},
       SAVER,
       {amd, placeholder},
       true,
       {SAVER, "amd_pstate", "placeholder", true, "a=1"}},
  };

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(EppdState) state = new_state(&rows[i].before);

    g_test_message("row %u", i);
    g_assert_cmpint(eppd_state_choose(state, rows[i].profile, &rows[i].drivers), ==,
                    rows[i].changes);
    assert_state(state, &rows[i].after);
  }
}

static void
test_switches(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdState) state = eppd_state_new();
  bool enabled = true;

  g_assert_false(eppd_state_set_battery_aware(state, true));
  g_assert_true(eppd_state_set_battery_aware(state, false));
  g_assert_false(eppd_state_set_battery_aware(state, false));
  g_assert_false(state->battery_aware);

  g_assert_false(eppd_state_action(state, "a", &enabled));
  g_assert_true(enabled);
  /* Switched off is more than never switched. */
  g_assert_true(eppd_state_set_action(state, "a", false));
  g_assert_false(eppd_state_set_action(state, "a", false));
  g_assert_true(eppd_state_action(state, "a", &enabled));
  g_assert_false(enabled);
  g_assert_true(eppd_state_set_action(state, "a", true));
  g_assert_true(eppd_state_action(state, "a", &enabled));
  g_assert_true(enabled);
  g_assert_false(eppd_state_action(state, "b", &enabled));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  /* What is wrong in the file is warned of, and must not end the test. */
  g_log_set_always_fatal(G_LOG_FATAL_MASK);
  g_log_set_writer_func(keep_said, NULL, NULL);

  ADD_ROWS("read/", read_cases, test_read);
  ADD_ROWS("unreadable-is-not-imported-over/", odd_cases, test_odd);
  ADD_ROWS("import/", import_cases, test_import);
  add("import/own-file-goes-first", NULL, test_own_file_goes_first);
  add("import/nothing-there", NULL, test_nothing_to_import);
  add("import/unreadable", NULL, test_unreadable_import);
  add("matches-the-drivers-that-it-was-chosen-with", NULL, test_matches);
  add("choose-tells-a-change", NULL, test_choose);
  add("switches-tell-a-change", NULL, test_switches);
  return g_test_run();
}
