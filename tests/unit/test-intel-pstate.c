/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/intel-pstate.h"
#include "scratch.h"

#define DIR "sys/devices/system/cpu/intel_pstate/"

#define NO_TURBO(text)  DIR "no_turbo=" text
#define TURBO_PCT(text) DIR "turbo_pct=" text

typedef struct {
  const char *name;
  const char *entries[2];
  bool is_off;
} Case;

static const Case cases[] = {
    {"none", {NULL}, false},
    {"allowed", {NO_TURBO("0\n"), TURBO_PCT("30\n")}, false},
    {"switched-off", {NO_TURBO("1\n"), TURBO_PCT("30\n")}, true},
    {"none-to-switch-off", {NO_TURBO("1\n"), TURBO_PCT("0\n")}, false},
    /* Hybrid parts have no turbo_pct. */
    {"no-turbo-pct", {NO_TURBO("1\n")}, false},
    {"no-no-turbo", {TURBO_PCT("100\n")}, false},

    {"empty-files", {NO_TURBO(""), TURBO_PCT("")}, false},
    {"blank-files", {NO_TURBO("\n"), TURBO_PCT("\n")}, false},
    {"odd-texts", {NO_TURBO("yes\n"), TURBO_PCT("30\n")}, false},
    {"odd-numbers", {NO_TURBO("2\n"), TURBO_PCT("30\n")}, false},
    {"too-large-percentage", {NO_TURBO("1\n"), TURBO_PCT("101\n")}, false},
    {"huge-number", {NO_TURBO("1\n"), TURBO_PCT("99999999999999999999\n")}, false},
    {"negative-number", {NO_TURBO("1\n"), TURBO_PCT("-30\n")}, false},
    {"directories", {DIR "no_turbo/", DIR "turbo_pct/"}, false},
};

static void
test_turbo_is_off(gconstpointer data)
{
  const Case *c = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);

  for (gsize i = 0; i < G_N_ELEMENTS(c->entries) && c->entries[i]; i++)
    scratch_make(dir, c->entries[i]);
  g_assert_cmpint(eppd_intel_pstate_turbo_is_off(root), ==, c->is_off);
}

static void
test_hwp_boost_is_on(void)
{
  static const struct {
    const char *text; /* NULL: no such file */
    bool is_on;
  } boosts[] = {{NULL, false}, {"0\n", false}, {"1\n", true},
                {"", false},   {"2\n", false}, {"on\n", false}};

  for (gsize i = 0; i < G_N_ELEMENTS(boosts); i++) {
    g_autoptr(Scratch) dir = scratch_new();
    g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
    g_autofree char *entry = g_strconcat(DIR "hwp_dynamic_boost=", boosts[i].text, NULL);

    if (boosts[i].text)
      scratch_make(dir, entry);
    g_assert_cmpint(eppd_intel_pstate_hwp_boost_is_on(root), ==, boosts[i].is_on);
  }
}

static void
test_no_turbo_path(void)
{
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new("/tree");
  g_autofree char *path = eppd_intel_pstate_no_turbo_path(root);

  g_assert_cmpstr(path, ==, "/tree/" DIR "no_turbo");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/intel-pstate/turbo-is-off/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_turbo_is_off);
  }
  g_test_add_func("/intel-pstate/hwp-boost-is-on", test_hwp_boost_is_on);
  g_test_add_func("/intel-pstate/no-turbo-path", test_no_turbo_path);
  return g_test_run();
}
